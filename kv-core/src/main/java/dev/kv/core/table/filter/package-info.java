/**
 * Filters: LevelDB's bloom filter, and the block of a table that holds filters of any policy.
 *
 * <p>Called by the table builder and reader, inspect and db; imports {@code memory} and the API.
 */
@NullMarked
package dev.kv.core.table.filter;

import org.jspecify.annotations.NullMarked;
