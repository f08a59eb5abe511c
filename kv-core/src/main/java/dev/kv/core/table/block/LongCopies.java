package dev.kv.core.table.block;

import java.nio.ByteBuffer;

/** Copies and compares short runs of bytes, eight at a time. The buffers are little-endian. */
final class LongCopies {
  /** Bytes after a run that {@link #copy} may read and write. */
  static final int SLACK = Long.BYTES;

  private LongCopies() {}

  /**
   * Copies whole words: up to 7 bytes too many, which must be there in both buffers. A run may be
   * moved down in its buffer. In a block they are there: a restart point and the count follow the
   * last entry.
   */
  static void copy(ByteBuffer source, int from, ByteBuffer target, int to, int length) {
    for (int i = 0; i < length; i += Long.BYTES) {
      target.putLong(to + i, source.getLong(from + i));
    }
  }

  /** Copies {@code length} bytes. */
  static void copyExactly(ByteBuffer source, int from, ByteBuffer target, int to, int length) {
    int i = 0;
    for (; i + Long.BYTES <= length; i += Long.BYTES) {
      target.putLong(to + i, source.getLong(from + i));
    }
    for (; i < length; i++) {
      target.put(to + i, source.get(from + i));
    }
  }

  /** Returns how many bytes of the two runs of {@code length} are the same before one differs. */
  static int mismatch(ByteBuffer a, int aOffset, ByteBuffer b, int bOffset, int length) {
    int i = 0;
    for (; i + Long.BYTES <= length; i += Long.BYTES) {
      long difference = a.getLong(aOffset + i) ^ b.getLong(bOffset + i);
      if (difference != 0) {
        return i + (Long.numberOfTrailingZeros(difference) >>> 3);
      }
    }
    while (i < length && a.get(aOffset + i) == b.get(bOffset + i)) {
      i++;
    }
    return i;
  }
}
