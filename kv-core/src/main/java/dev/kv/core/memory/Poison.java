package dev.kv.core.memory;

import java.nio.ByteBuffer;

/** The filling of freed memory, so that a late reader sees garbage that is easy to recognize. */
final class Poison {
  private static final long PATTERN = 0xdbdbdbdbdbdbdbdbL;

  private Poison() {}

  static void fill(ByteBuffer buffer, int offset, int length) {
    int end = offset + length;
    int i = offset;
    for (; i + Long.BYTES <= end; i += Long.BYTES) {
      buffer.putLong(i, PATTERN);
    }
    for (; i < end; i++) {
      buffer.put(i, Invariants.POISON);
    }
  }

  /** Returns true if every byte is still poison, so that no write came after the release. */
  static boolean isWhole(ByteBuffer buffer, int offset, int length) {
    for (int i = offset; i < offset + length; i++) {
      if (buffer.get(i) != Invariants.POISON) {
        return false;
      }
    }
    return true;
  }
}
