/**
 * Blocks of tables in memory, read from the cache or else from the file.
 *
 * <p>{@link dev.kv.core.table.cache.BlockProvider} returns a {@link
 * dev.kv.core.table.cache.PinnedBlock}: a {@link dev.kv.core.table.cache.CachedBlock} of the block
 * cache, or an {@link dev.kv.core.table.cache.UncachedBlock}. {@link
 * dev.kv.core.table.cache.BlockReader} reads a {@link dev.kv.core.table.cache.TableFile}, verifies
 * and uncompresses. It is the only class that reads blocks from files. A {@link
 * dev.kv.core.table.cache.TablePath} is the name of a table's file.
 *
 * <p>A {@link dev.kv.core.table.cache.TableLookup} is the lookup of one key, and searches a block
 * for it. A {@link dev.kv.core.table.cache.BlockAccess} is a way in which it reads the block.
 * {@link dev.kv.core.table.cache.IndexedBlocks} finds blocks in the cache without a pin.
 *
 * <p>Called by the table and table.mapped packages. May import table.format, block, cache and the
 * layers below.
 */
@NullMarked
package dev.kv.core.table.cache;

import org.jspecify.annotations.NullMarked;
