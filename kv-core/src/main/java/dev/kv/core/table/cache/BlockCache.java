package dev.kv.core.table.cache;

import dev.kv.core.cache.LruCache;
import dev.kv.core.memory.BlockAllocator;

/**
 * The cache of uncompressed data blocks, used by one database or shared by several. Thread-safe.
 */
public final class BlockCache implements AutoCloseable {
  /** The minimum size of a shard; a smaller one would hold too few blocks to evict fairly. */
  private static final long MIN_SHARD_BYTES = 512 << 10;

  private static final int MAX_SHARD_BITS = 4;

  private final LruCache<CachedBlock> blocks;
  private final BlockAllocator allocator;

  /**
   * Creates a cache of at most {@code capacity} bytes; with 0 it caches nothing.
   *
   * @param allocator provides the memory; the caller closes it, after the cache
   */
  public BlockCache(BlockAllocator allocator, long capacity) {
    blocks = new LruCache<>(capacity, shardBits(capacity));
    this.allocator = allocator;
    allocator.serve(blocks);
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

  /** Returns the capacity in bytes. */
  public long capacity() {
    return blocks.capacity();
  }

  /** Returns the bytes of the blocks in the cache, whether or not they are in use. */
  public long totalCharge() {
    return blocks.totalCharge();
  }

  /** Drops every block that is not in use. */
  public void prune() {
    blocks.prune();
  }

  @Override
  public void close() {
    blocks.close();
  }
}
