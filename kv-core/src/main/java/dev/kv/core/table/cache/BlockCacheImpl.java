package dev.kv.core.table.cache;

import dev.kv.BlockCache;
import dev.kv.core.cache.LruCache;
import dev.kv.core.memory.BlockAllocator;
import dev.kv.core.memory.OffHeapBudget;

/**
 * The cache of uncompressed data blocks, used by one database or shared by several. Thread-safe.
 */
public final class BlockCacheImpl implements BlockCache {
  /** The minimum size of a shard; a smaller one would hold too few blocks to evict fairly. */
  private static final long MIN_SHARD_BYTES = 512 << 10;

  private static final int MAX_SHARD_BITS = 4;

  private final LruCache<CachedBlock> blocks;
  private final BlockAllocator allocator;
  private final boolean ownsAllocator;

  private BlockCacheImpl(long capacity, BlockAllocator allocator, boolean ownsAllocator) {
    blocks = new LruCache<>(capacity, shardBits(capacity));
    this.allocator = allocator;
    this.ownsAllocator = ownsAllocator;
    allocator.serve(blocks);
  }

  /**
   * Returns a cache of at most {@code capacity} bytes with its own memory; with 0 it caches
   * nothing.
   */
  public static BlockCacheImpl shared(long capacity) {
    return new BlockCacheImpl(capacity, new BlockAllocator(new OffHeapBudget(0)), true);
  }

  /** Returns a cache that takes its memory from {@code allocator}, which the caller closes. */
  public static BlockCacheImpl in(BlockAllocator allocator, long capacity) {
    return new BlockCacheImpl(capacity, allocator, false);
  }

  /**
   * Returns {@code cache} as this class; throws {@link IllegalArgumentException} if it has another
   * class.
   */
  public static BlockCacheImpl of(BlockCache cache) {
    if (cache instanceof BlockCacheImpl own) {
      return own;
    }
    throw new IllegalArgumentException(
        "the block cache was not created by BlockCache.create: " + cache.getClass().getName());
  }

  private static int shardBits(long capacity) {
    int bits = 0;
    while (bits < MAX_SHARD_BITS && capacity >> (bits + 1) >= MIN_SHARD_BYTES) {
      bits++;
    }
    return bits;
  }

  public LruCache<CachedBlock> blocks() {
    return blocks;
  }

  /** Returns the allocator of the cached blocks. */
  BlockAllocator allocator() {
    return allocator;
  }

  /** Returns the number of lookups that found their block. */
  public long hits() {
    return blocks.hits();
  }

  /** Returns the number of lookups that did not find their block. */
  public long misses() {
    return blocks.misses();
  }

  @Override
  public long capacity() {
    return blocks.capacity();
  }

  @Override
  public long totalCharge() {
    return blocks.totalCharge();
  }

  @Override
  public void prune() {
    blocks.prune();
  }

  @Override
  public void close() {
    blocks.close();
    if (ownsAllocator) {
      allocator.close();
    }
  }
}
