/**
 * Access to tables: lookups and cursors.
 *
 * <p>{@link dev.kv.core.table.TableCache} keeps the tables of a database open. A {@link
 * dev.kv.core.table.Table} is one open table: a {@code TableIndex}, a filter and a {@code
 * BlockBloomCache} in memory, and data blocks.
 *
 * <p>One key: {@code Table.get} finds the block that may have it and searches that block through a
 * {@link dev.kv.core.table.cache.BlockAccess}: in the cache, in the mapping of the file ({@code
 * table.mapped}), or, for several keys, in the blocks that a {@link
 * dev.kv.core.table.MultiGetContext} keeps pinned. Many keys: {@link
 * dev.kv.core.table.TableIterator} is a cursor over the entries.
 *
 * <p>The format and its writer are in {@code table.format}, blocks in memory in {@code
 * table.cache}, and tables outside of a database in {@code table.standalone}.
 *
 * <p>Called by the read, compaction and state packages. May import table.mapped, table.cache,
 * table.format, block, version and the layers below.
 */
@NullMarked
package dev.kv.core.table;

import org.jspecify.annotations.NullMarked;
