package dev.kv.core.table.cache;

import dev.kv.core.cache.CacheHandle;
import dev.kv.core.cache.CacheValue;
import dev.kv.core.cache.LruCache;
import dev.kv.core.memory.BlockAllocator;
import dev.kv.core.table.block.BlockIterator;
import io.netty.buffer.ByteBuf;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * A block in the block cache. {@link #close()} releases one pin; the cache frees the block when it
 * is evicted and no pin is left.
 */
public final class CachedBlock extends PinnedBlock implements CacheValue {
  /** The minimum size of a shard; a smaller one would hold too few blocks to evict fairly. */
  private static final long MIN_SHARD_BYTES = 512 << 10;

  private static final int MAX_SHARD_BITS = 4;

  /** The cache entry of this block; every pin of the block is a pin of the entry. */
  private volatile @Nullable CacheHandle<CachedBlock> handle;

  /** True if an entry index follows the block, false if none fits; null before the first try. */
  private volatile @Nullable Boolean hasEntryIndex;

  /** What has the place of this block; null while nothing has. Changed with the lock held. */
  private volatile @Nullable IndexedBlocks places;

  /** The number of this block in {@link #places}. */
  private int number;

  private CachedBlock(ByteBuf memory, int length) {
    super(memory, BlockAllocator.viewOf(memory), length);
  }

  /**
   * Returns a block cache of at most {@code capacity} bytes; with 0 it caches nothing.
   *
   * @param allocator provides the memory; the caller closes it, after the cache
   */
  public static LruCache<CachedBlock> newCache(BlockAllocator allocator, long capacity) {
    int shardBits = 0;
    while (shardBits < MAX_SHARD_BITS && capacity >> (shardBits + 1) >= MIN_SHARD_BYTES) {
      shardBits++;
    }
    LruCache<CachedBlock> cache = new LruCache<>(capacity, shardBits);
    allocator.serve(cache);
    return cache;
  }

  /** Returns a block of {@code length} bytes in {@code memory}, which this takes ownership of. */
  static CachedBlock in(ByteBuf memory, int length) {
    try {
      return new CachedBlock(memory, length);
    } catch (Throwable e) {
      memory.release();
      throw e;
    }
  }

  /** Returns the block of a pinned cache entry; closing the block closes that pin. */
  static CachedBlock of(CacheHandle<CachedBlock> pin) {
    CachedBlock block = pin.value();
    if (block.handle != pin) {
      block.handle = pin; // the same for every thread: a block is in one entry
    }
    return block;
  }

  private CacheHandle<CachedBlock> handle() {
    CacheHandle<CachedBlock> present = handle;
    if (present == null) {
      throw new AssertionError("the block is not in the cache");
    }
    return present;
  }

  /** Returns true if a reader found the block in the cache after it was loaded. */
  public boolean wasHit() {
    return handle().hits() > 0;
  }

  /** Makes seeks of a cursor on this block use the entry index of the block, if one fits. */
  public void useEntryIndex(BlockIterator cursor) {
    Boolean present = hasEntryIndex;
    if (present == null) {
      present = cursor.writeEntryIndex(length());
      hasEntryIndex = present;
    }
    if (present != null && present) {
      cursor.useEntryIndex(length());
    }
  }

  /**
   * Adds the place of this block to those of its table, if an entry index follows the block. If the
   * table was closed and opened again, the place is moved.
   *
   * @param at the number of the block in the table
   * @param offset its offset in the file
   */
  public void addTo(IndexedBlocks table, int at, long offset) {
    if (places != table && Boolean.TRUE.equals(hasEntryIndex)) {
      place(table, at, offset);
    }
  }

  private synchronized void place(IndexedBlocks table, int at, long offset) {
    IndexedBlocks present = places;
    if (present == table) {
      return;
    }
    if (present != null) {
      present.remove(number);
      places = null;
    }
    ByteBuf memory = requireMemory();
    int begin = BlockAllocator.offsetOf(memory);
    if (table.add(at, offset, BlockAllocator.memoryOf(memory), begin, length())) {
      number = at;
      places = table;
    }
  }

  @Override
  public int touched(int pinned) {
    IndexedBlocks present = places;
    int unpinned = present == null ? pinned : present.touched(number, pinned);
    return unpinned - pinned > 0 ? unpinned : pinned;
  }

  @Override
  public long charge() {
    return BlockAllocator.chargeOf(requireMemory());
  }

  private ByteBuf requireMemory() {
    return Objects.requireNonNull(memory());
  }

  /** Frees the block. Called by the cache. */
  @Override
  public void free() {
    IndexedBlocks present = places;
    if (present != null) {
      present.remove(number);
    }
    freeMemory();
  }

  @Override
  public void close() {
    handle().close();
  }
}
