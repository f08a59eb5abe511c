/** The commands that tell figures of a database: stats, levels, properties and approximate-size. */
@NullMarked
package dev.kv.tools.stats;

import org.jspecify.annotations.NullMarked;
