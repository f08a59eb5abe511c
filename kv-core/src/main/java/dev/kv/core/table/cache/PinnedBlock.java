package dev.kv.core.table.cache;

import dev.kv.core.memory.Pinned;
import io.netty.buffer.ByteBuf;
import java.nio.ByteBuffer;
import org.jspecify.annotations.Nullable;

/**
 * An uncompressed block in memory, and a pin that keeps it there until {@link #close()}. A {@link
 * CachedBlock} is shared through the block cache; an {@link UncachedBlock} has one owner.
 */
public abstract sealed class PinnedBlock implements Pinned permits CachedBlock, UncachedBlock {
  /** The memory of the block, to be released; null if the garbage collector frees it. */
  private final @Nullable ByteBuf memory;

  private final ByteBuffer bytes;
  private final int length;

  PinnedBlock(@Nullable ByteBuf memory, ByteBuffer bytes, int length) {
    this.memory = memory;
    this.bytes = bytes;
    this.length = length;
  }

  /** Returns the memory, which contains the block at offset 0. */
  public final ByteBuffer bytes() {
    return bytes;
  }

  /** Returns the length of the block in bytes. */
  public final int length() {
    return length;
  }

  /** Returns the buffer that has the memory; null if the garbage collector frees it. */
  final @Nullable ByteBuf memory() {
    return memory;
  }

  /** Frees the memory. */
  final void freeMemory() {
    if (memory != null) {
      memory.release();
    }
  }

  @Override
  public abstract void close();
}
