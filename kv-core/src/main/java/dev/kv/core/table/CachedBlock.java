package dev.kv.core.table;

import dev.kv.core.block.BlockIterator;
import dev.kv.core.cache.CacheHandle;
import dev.kv.core.cache.CacheValue;
import dev.kv.core.memory.BlockAllocator;
import dev.kv.core.memory.Pinned;
import io.netty.buffer.ByteBuf;
import java.nio.ByteBuffer;
import org.jspecify.annotations.Nullable;

/**
 * An uncompressed block in memory of its own. It lives in the cache, pinned by a {@link
 * CacheHandle}; or outside of it, pinned by itself for its only user.
 */
final class CachedBlock implements CacheValue, Pinned {
  /** What counts the memory and takes it back; null where the garbage collector does. */
  private final @Nullable ByteBuf memory;

  private final ByteBuffer bytes;
  private final int length;

  /** Whether there is an entry index behind the block; null until that was tried. */
  private volatile @Nullable Boolean hasEntryIndex;

  private CachedBlock(@Nullable ByteBuf memory, ByteBuffer bytes, int length) {
    this.memory = memory;
    this.bytes = bytes;
    this.length = length;
  }

  /** Returns a block of {@code length} bytes in {@code memory}, which it adopts. */
  static CachedBlock in(ByteBuf memory, int length) {
    return new CachedBlock(memory, BlockAllocator.viewOf(memory), length);
  }

  /**
   * Returns a block of {@code length} bytes in memory that nobody counts, for when the budget is
   * spent.
   */
  static CachedBlock uncounted(ByteBuffer bytes, int length) {
    return new CachedBlock(null, bytes, length);
  }

  /** Returns the block that {@code pin} keeps. */
  @SuppressWarnings("unchecked")
  static CachedBlock of(Pinned pin) {
    return pin instanceof CacheHandle<?>
        ? ((CacheHandle<CachedBlock>) pin).value()
        : (CachedBlock) pin;
  }

  /**
   * Has a cursor that is set on this block seek by its entry index. For a block that was met again
   * in the cache: most that come into a small one never are.
   *
   * @param write whether the directory may be written, for which the block has to be sound
   */
  void useEntryIndex(BlockIterator cursor, boolean write) {
    Boolean present = hasEntryIndex;
    if (present == null && write) {
      present = cursor.writeEntryIndex(length);
      hasEntryIndex = present;
    }
    if (present != null && present) {
      cursor.useEntryIndex(length);
    }
  }

  /** Returns the memory with the block in it, from 0 on. */
  ByteBuffer bytes() {
    return bytes;
  }

  /** Returns the length of the block. */
  int length() {
    return length;
  }

  @Override
  public long charge() {
    return memory == null ? length : BlockAllocator.chargeOf(memory);
  }

  @Override
  public void free() {
    if (memory != null) {
      memory.release();
    }
  }

  /** Frees a block outside of the cache. */
  @Override
  public void close() {
    free();
  }
}
