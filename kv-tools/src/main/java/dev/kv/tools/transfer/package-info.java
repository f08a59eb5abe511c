/** The commands that carry entries out of databases and into them: export, import and load. */
@NullMarked
package dev.kv.tools.transfer;

import org.jspecify.annotations.NullMarked;
