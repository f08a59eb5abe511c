package dev.kv.core.table;

import dev.kv.core.cache.LruCache;
import dev.kv.core.memory.BlockAllocator;
import dev.kv.core.memory.OffHeapBudget;
import dev.kv.core.table.cache.BlockProvider;
import dev.kv.core.table.cache.CachedBlock;
import dev.kv.core.table.cache.MappingQuota;
import dev.kv.core.table.mapped.EntryIndexMemory;

/**
 * The memory that open tables use, which the tables of several databases may share.
 *
 * @param blocks caches data blocks
 * @param allocator provides the memory of indexes, filters and uncached blocks
 * @param budget counts all of it
 * @param entryIndexes holds the entry indexes of blocks that are searched in the mapping
 * @param mappings limits the number of mapped tables
 */
public record TableMemory(
    LruCache<CachedBlock> blocks,
    BlockAllocator allocator,
    OffHeapBudget budget,
    EntryIndexMemory entryIndexes,
    MappingQuota mappings) {
  /** Returns a new provider of blocks, which its owner closes. */
  public BlockProvider newBlocks(boolean nativeSnappy) {
    return new BlockProvider(blocks, allocator, budget, nativeSnappy);
  }
}
