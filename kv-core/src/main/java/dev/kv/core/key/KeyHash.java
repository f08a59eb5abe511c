package dev.kv.core.key;

import java.nio.ByteBuffer;

/**
 * A fast hash of the bytes of a user key, for filters in memory. It is never stored, so it may
 * change. It depends on every byte, so a filter that uses it needs an order in which only identical
 * keys are equal.
 */
public final class KeyHash {
  private static final long SPREAD = 0x9E3779B97F4A7C15L;

  private KeyHash() {}

  /** Returns the hash of the {@code length} bytes at {@code offset}. */
  public static long of(ByteBuffer key, int offset, int length) {
    long hash = length * SPREAD;
    int i = 0;
    for (; i + Long.BYTES <= length; i += Long.BYTES) {
      hash = mixed(hash ^ key.getLong(offset + i));
    }
    for (; i < length; i++) {
      hash = mixed(hash ^ key.get(offset + i));
    }
    return hash;
  }

  private static long mixed(long word) {
    long product = word * SPREAD;
    return product ^ product >>> 32;
  }
}
