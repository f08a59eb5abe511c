package dev.kv.core.table.cache;

import dev.kv.core.memory.BlockAllocator;
import io.netty.buffer.ByteBuf;
import java.nio.ByteBuffer;
import org.jspecify.annotations.Nullable;

/**
 * A block that is not in the cache and has a single owner: the index or filter of an open table, or
 * a data block that is read without filling the cache. The owner closes it, once.
 */
public final class UncachedBlock extends PinnedBlock {
  private UncachedBlock(@Nullable ByteBuf memory, ByteBuffer bytes, int length) {
    super(memory, bytes, length);
  }

  /** Returns a block of {@code length} bytes in {@code memory}, which this takes ownership of. */
  static UncachedBlock in(ByteBuf memory, int length) {
    try {
      return new UncachedBlock(memory, BlockAllocator.viewOf(memory), length);
    } catch (Throwable e) {
      memory.release();
      throw e;
    }
  }

  /**
   * Returns a block in memory that it neither counts nor releases: memory of the garbage collector,
   * or a buffer of the owner of the block.
   */
  static UncachedBlock uncounted(ByteBuffer bytes, int length) {
    return new UncachedBlock(null, bytes, length);
  }

  /** Frees the block. */
  @Override
  public void close() {
    freeMemory();
  }
}
