package dev.kv.map;

import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/**
 * The encoded keys that a map shows: a range in the order of their bytes, and the direction in
 * which the map passes it.
 *
 * @param lower the smallest key, inclusive; empty if there is no bound
 * @param upper the end, exclusive; null if there is no bound
 * @param descending true if the first key of the map is the largest
 */
record KeyRange(byte[] lower, byte @Nullable [] upper, boolean descending) {
  static final KeyRange ALL = new KeyRange(new byte[0], null, false);

  /** Returns the smallest key that is larger than {@code key}. */
  private static byte[] successor(byte[] key) {
    return Arrays.copyOf(key, key.length + 1);
  }

  boolean contains(byte[] key) {
    return Arrays.compareUnsigned(key, lower) >= 0
        && (upper == null || Arrays.compareUnsigned(key, upper) < 0);
  }

  boolean isEmpty() {
    return upper != null && Arrays.compareUnsigned(lower, upper) >= 0;
  }

  /** Compares two keys in the order of the map. */
  int compare(byte[] a, byte[] b) {
    return descending ? Arrays.compareUnsigned(b, a) : Arrays.compareUnsigned(a, b);
  }

  /** Returns the same keys in the other direction. */
  KeyRange reversed() {
    return new KeyRange(lower, upper, !descending);
  }

  /** Returns the keys of this range before {@code key}, in the order of the map. */
  KeyRange before(byte[] key, boolean inclusive) {
    return descending ? from(key, inclusive) : until(key, inclusive);
  }

  /** Returns the keys of this range after {@code key}, in the order of the map. */
  KeyRange after(byte[] key, boolean inclusive) {
    return descending ? until(key, inclusive) : from(key, inclusive);
  }

  private KeyRange from(byte[] key, boolean inclusive) {
    byte[] begin = inclusive ? key : successor(key);
    return Arrays.compareUnsigned(begin, lower) > 0 ? new KeyRange(begin, upper, descending) : this;
  }

  private KeyRange until(byte[] key, boolean inclusive) {
    byte[] end = inclusive ? successor(key) : key;
    return upper == null || Arrays.compareUnsigned(end, upper) < 0
        ? new KeyRange(lower, end, descending)
        : this;
  }

  /**
   * Returns {@link #before}, or null if {@code key} is outside the range. A key next to a bound is
   * not outside, also if the range does not include it.
   */
  @Nullable KeyRange head(byte[] key, boolean inclusive) {
    boolean inside = descending ? mayBegin(key, inclusive) : mayEnd(key, inclusive);
    return inside ? before(key, inclusive) : null;
  }

  /** Returns {@link #after}, or null if {@code key} is outside the range, as for {@link #head}. */
  @Nullable KeyRange tail(byte[] key, boolean inclusive) {
    boolean inside = descending ? mayEnd(key, inclusive) : mayBegin(key, inclusive);
    return inside ? after(key, inclusive) : null;
  }

  private boolean mayBegin(byte[] key, boolean inclusive) {
    return Arrays.compareUnsigned(inclusive ? key : successor(key), lower) >= 0
        && (upper == null || Arrays.compareUnsigned(key, upper) <= 0);
  }

  private boolean mayEnd(byte[] key, boolean inclusive) {
    byte[] next = successor(key);
    return Arrays.compareUnsigned(next, lower) >= 0
        && (upper == null || Arrays.compareUnsigned(inclusive ? next : key, upper) <= 0);
  }
}
