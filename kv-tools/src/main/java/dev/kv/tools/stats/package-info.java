/** The commands that print statistics: stats, levels, properties and approximate-size. */
@NullMarked
package dev.kv.tools.stats;

import org.jspecify.annotations.NullMarked;
