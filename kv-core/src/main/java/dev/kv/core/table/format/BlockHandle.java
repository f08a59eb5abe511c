package dev.kv.core.table.format;

import dev.kv.core.codec.Varint;
import java.nio.ByteBuffer;
import org.jspecify.annotations.Nullable;

/**
 * Where a block lies in its file; {@code size} is without the trailer.
 *
 * <pre>
 * handle := offset varint64, size varint64
 * </pre>
 */
public record BlockHandle(long offset, long size) {
  /** The most bytes that an encoded handle takes. */
  static final int MAX_ENCODED = 2 * Varint.MAX_64;

  /** Reads a handle, or returns null if there is none before {@code limit}. */
  public static @Nullable BlockHandle decode(ByteBuffer source, int at, int limit) {
    int middle = Varint.end64(source, at, limit);
    int end = middle < 0 ? middle : Varint.end64(source, middle, limit);
    return end < 0
        ? null
        : new BlockHandle(Varint.get64(source, at, middle), Varint.get64(source, middle, end));
  }

  /** Returns how many bytes the encoded handle takes. */
  public int encodedLength() {
    return Varint.size64(offset) + Varint.size64(size);
  }

  /** Writes the handle and returns the offset after it. */
  int encode(ByteBuffer target, int at) {
    return Varint.put64(target, Varint.put64(target, at, offset), size);
  }
}
