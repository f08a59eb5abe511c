/**
 * The statistics and properties of an open database. {@link dev.kv.core.stats.DatabaseStats} is
 * asked by the database; where its numbers come from is an interface, because a database that is
 * open for reading only has other ones. Used by {@code db}.
 */
@NullMarked
package dev.kv.core.stats;

import org.jspecify.annotations.NullMarked;
