/** The commands that move entries out of databases and into them: export, import and load. */
@NullMarked
package dev.kv.tools.transfer;

import org.jspecify.annotations.NullMarked;
