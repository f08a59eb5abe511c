package dev.kv.core.key;

import java.nio.ByteBuffer;

/**
 * A total order over keys in direct buffers, and the shortening of keys for indexes. Thread-safe.
 */
public abstract class KeyComparator {
  /** Only for the orders of this package. */
  KeyComparator() {}

  /** Compares two keys; both buffers are little-endian. */
  public abstract int compare(
      ByteBuffer a, int aOffset, int aLength, ByteBuffer b, int bOffset, int bLength);

  /** Returns a short key in [{@code start}, {@code limit}), or {@code start} itself. */
  public abstract byte[] shortestSeparator(byte[] start, byte[] limit);

  /** Returns a short key at or after {@code key}, or {@code key} itself. */
  public abstract byte[] shortSuccessor(byte[] key);
}
