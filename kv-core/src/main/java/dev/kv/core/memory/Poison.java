package dev.kv.core.memory;

import java.nio.ByteBuffer;

/** The filling of freed memory, so that a late reader sees garbage that is easy to recognize. */
final class Poison {
  private static final long PATTERN = 0xdbdbdbdbdbdbdbdbL;

  private Poison() {}

  /** Fills the first {@code length} bytes. */
  static void fill(ByteBuffer buffer, int length) {
    int i = 0;
    for (; i + Long.BYTES <= length; i += Long.BYTES) {
      buffer.putLong(i, PATTERN);
    }
    for (; i < length; i++) {
      buffer.put(i, Invariants.POISON);
    }
  }

  /** Returns true if every byte is still poison, so that no write came after the release. */
  static boolean isWhole(ByteBuffer buffer) {
    for (int i = 0; i < buffer.capacity(); i++) {
      if (buffer.get(i) != Invariants.POISON) {
        return false;
      }
    }
    return true;
  }
}
