/**
 * Values of {@link dev.kv.Options}: compression, recovery modes, kept logs, names of tables,
 * filters of compactions.
 */
@NullMarked
package dev.kv.options;

import org.jspecify.annotations.NullMarked;
