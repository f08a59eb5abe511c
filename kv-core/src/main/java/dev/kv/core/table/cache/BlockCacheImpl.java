package dev.kv.core.table.cache;

import dev.kv.BlockCache;
import dev.kv.core.cache.LruCache;
import dev.kv.core.memory.BlockAllocator;
import dev.kv.core.memory.OffHeapBudget;

/** The cache of uncompressed data blocks: of one database, or shared by several. Thread-safe. */
public final class BlockCacheImpl implements BlockCache {
  /** Below this many bytes a shard would hold too few blocks to be fair. */
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

  /** Returns a cache of at most {@code capacity} bytes with memory of its own; 0 caches nothing. */
  public static BlockCacheImpl shared(long capacity) {
    return new BlockCacheImpl(capacity, new BlockAllocator(new OffHeapBudget(0)), true);
  }

  /**
   * Returns a cache whose memory comes from {@code allocator}, which stays its owner's to close.
   */
  public static BlockCacheImpl in(BlockAllocator allocator, long capacity) {
    return new BlockCacheImpl(capacity, allocator, false);
  }

  /** Returns {@code cache} as the engine's own; {@link IllegalArgumentException} if it is not. */
  public static BlockCacheImpl of(BlockCache cache) {
    if (cache instanceof BlockCacheImpl own) {
      return own;
    }
    throw new IllegalArgumentException(
        "a block cache that BlockCache.create did not make: " + cache.getClass().getName());
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

  /** Returns how many lookups found their block. */
  public long hits() {
    return blocks.hits();
  }

  /** Returns how many lookups did not. */
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
