package dev.kv.bytes;

import java.nio.ByteBuffer;
import java.util.Objects;

/**
 * A value that stays in memory until it is closed. {@link dev.kv.DB#pinned(dev.kv.ReadOptions,
 * ByteBuffer)} returns it.
 *
 * <p>If the value is in a block of the block cache, its bytes are those of the block, and nothing
 * is copied. The block stays in the cache and counts against its capacity until the value is
 * closed, so a small value keeps the memory of a whole block. A value that is still in a memtable
 * is copied, because a pin would keep the whole memtable. All of this memory counts against {@link
 * dev.kv.Options.Memory#offHeapLimit()}, as far as it has room; what a read needs beyond it is not
 * counted.
 *
 * <p>The bytes stay the same when the key is overwritten or deleted, and they stay readable after
 * the close of the database. A value that is never closed keeps its memory until the database is
 * closed; in a database with {@link dev.kv.SharedResources}, the memory counts against their limit
 * until they are closed.
 *
 * <p>Several threads may read a value at the same time. One of them closes it, after the last read.
 */
public interface PinnedValue extends AutoCloseable {
  /**
   * Returns a value on the heap, for readers that pin nothing.
   *
   * @param value the bytes; not copied
   * @return the value
   */
  static PinnedValue of(byte[] value) {
    return new CopiedValue(Objects.requireNonNull(value, "value"));
  }

  /**
   * Returns the length of the value.
   *
   * @return the length in bytes
   */
  int length();

  /**
   * Returns a view of the value, without a copy. It is valid until {@link #close}. A slice from the
   * engine throws {@link IllegalStateException} afterwards.
   *
   * @return the bytes of the value
   * @throws IllegalStateException if the value is closed
   */
  Slice slice();

  /**
   * Returns a view of the value for a call that needs a buffer, such as the write to a channel. The
   * view is valid until {@link #close}. A read of it after the close cannot be detected, and
   * returns arbitrary bytes; it never reads freed memory.
   *
   * @return a new read-only buffer, whose remaining bytes are the value; direct if the value comes
   *     from the engine
   * @throws IllegalStateException if the value is closed
   */
  ByteBuffer buffer();

  /** Releases the memory. Closing it twice does nothing. */
  @Override
  void close();
}
