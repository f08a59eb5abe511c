package dev.kv.map;

import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/**
 * A range of encoded keys, in the order of their bytes.
 *
 * @param lower the smallest key, inclusive; empty if there is no bound
 * @param upper the end, exclusive; null if there is no bound
 */
record KeyRange(byte[] lower, byte @Nullable [] upper) {
  static final KeyRange ALL = new KeyRange(new byte[0], null);

  /** Returns the first key after {@code key}. */
  static byte[] after(byte[] key) {
    return Arrays.copyOf(key, key.length + 1);
  }

  boolean contains(byte[] key) {
    return Arrays.compareUnsigned(key, lower) >= 0
        && (upper == null || Arrays.compareUnsigned(key, upper) < 0);
  }

  boolean isEmpty() {
    return upper != null && Arrays.compareUnsigned(lower, upper) >= 0;
  }

  /** Returns the keys of this range at or after {@code key}. */
  KeyRange from(byte[] key) {
    return Arrays.compareUnsigned(key, lower) > 0 ? new KeyRange(key, upper) : this;
  }

  /** Returns the keys of this range before {@code key}. */
  KeyRange until(byte[] key) {
    return upper == null || Arrays.compareUnsigned(key, upper) < 0
        ? new KeyRange(lower, key)
        : this;
  }

  /**
   * Returns the keys of this range up to {@code key}, or null if that is outside the range. A key
   * next to a bound is not outside, also if the range does not include it.
   */
  @Nullable KeyRange head(byte[] key, boolean inclusive) {
    byte[] next = after(key);
    byte[] end = inclusive ? next : key;
    return Arrays.compareUnsigned(next, lower) < 0
            || (upper != null && Arrays.compareUnsigned(end, upper) > 0)
        ? null
        : new KeyRange(lower, end);
  }

  /** Returns the keys of this range from {@code key} on, or null if that is outside the range. */
  @Nullable KeyRange tail(byte[] key, boolean inclusive) {
    byte[] begin = inclusive ? key : after(key);
    return Arrays.compareUnsigned(begin, lower) < 0
            || (upper != null && Arrays.compareUnsigned(key, upper) > 0)
        ? null
        : new KeyRange(begin, upper);
  }
}
