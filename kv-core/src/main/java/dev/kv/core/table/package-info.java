/**
 * Access to tables: lookups and cursors.
 *
 * <p>{@link dev.kv.core.table.TableCache} keeps the tables of a database open. A {@link
 * dev.kv.core.table.Table} is one open table: a {@link dev.kv.core.table.TableIndex} and a filter
 * in memory, hints that shorten lookups, and data blocks that {@link
 * dev.kv.core.table.cache.BlockProvider} provides. {@link dev.kv.core.table.TableIterator} is a
 * cursor over its entries.
 *
 * <p>The format and its writer are in {@code table.format}, blocks in memory in {@code
 * table.cache}, tools for damaged files in {@code table.inspect}, and tables outside of a database
 * in {@code table.standalone}.
 *
 * <p>Called by the read, compaction and state packages. May import table.cache, table.format,
 * block, version and the layers below.
 */
@NullMarked
package dev.kv.core.table;

import org.jspecify.annotations.NullMarked;
