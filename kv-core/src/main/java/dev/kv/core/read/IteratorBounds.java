package dev.kv.core.read;

import dev.kv.ReadOptions;
import dev.kv.core.key.UserKeyComparator;
import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/**
 * Between which user keys an iterator shows entries.
 *
 * @param lower the smallest, or null
 * @param upper what all are smaller than, or null
 */
record IteratorBounds(byte @Nullable [] lower, byte @Nullable [] upper) {

  /** Returns the bounds that {@code options} give, a prefix being a pair of bounds. */
  static IteratorBounds of(ReadOptions options, UserKeyComparator comparator) {
    byte[] lower = options.lowerBound();
    byte[] upper = options.upperBound();
    byte[] prefix = options.prefix();
    if (prefix != null && prefix.length > 0) {
      if (!comparator.isBytewise()) {
        throw new IllegalArgumentException(
            "a prefix needs the bytewise comparator, and this database has " + comparator.name());
      }
      if (lower == null || comparator.compare(lower, prefix) < 0) {
        lower = prefix;
      }
      byte[] end = successor(prefix);
      if (upper == null || (end != null && comparator.compare(end, upper) < 0)) {
        upper = end;
      }
    }
    return new IteratorBounds(lower, upper);
  }

  /** Returns the first key behind all that begin with {@code prefix}; null if there is none. */
  private static byte @Nullable [] successor(byte[] prefix) {
    int length = prefix.length;
    while (length > 0 && prefix[length - 1] == (byte) 0xff) {
      length--;
    }
    if (length == 0) {
      return null;
    }
    byte[] end = Arrays.copyOf(prefix, length);
    end[length - 1]++;
    return end;
  }
}
