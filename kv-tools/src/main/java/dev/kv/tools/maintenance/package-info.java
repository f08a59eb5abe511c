/** The commands that rewrite or delete a whole database: compact, copy, repair and destroy. */
@NullMarked
package dev.kv.tools.maintenance;

import org.jspecify.annotations.NullMarked;
