/**
 * One table file, written and read.
 *
 * <p>{@link dev.kv.core.table.TableBuilder} writes a table through {@link
 * dev.kv.core.table.BlockWriter}; {@link dev.kv.core.table.TableReader} is an open one, with {@link
 * dev.kv.core.table.TableIndex} in memory and its data blocks behind {@link
 * dev.kv.core.table.BlockProvider}: the cache, or {@link dev.kv.core.table.BlockReader}, which
 * reads, verifies and uncompresses. {@link dev.kv.core.table.TableIterator} walks it; {@link
 * dev.kv.core.table.TableCache} keeps a database's tables open. The stand-alone tables of the API
 * are {@link dev.kv.core.table.UserTableWriter} and {@link dev.kv.core.table.UserTableReader}.
 * {@link dev.kv.core.table.TableInspector} takes files apart for tools, and where the index is lost
 * {@link dev.kv.core.table.BlockScanner} finds the blocks.
 *
 * <p>Called by the read, compaction and db packages. May import block, version and everything
 * below.
 */
@NullMarked
package dev.kv.core.table;

import org.jspecify.annotations.NullMarked;
