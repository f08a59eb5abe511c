package dev.kv.core.key;

import dev.kv.ReadOptions;
import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/**
 * The user keys that an iterator returns: from a lower bound, inclusive, to an upper bound,
 * exclusive.
 *
 * @param lower the smallest key to return; null for no bound
 * @param upper the first key after the range; null for no bound
 */
public record KeyBounds(byte @Nullable [] lower, byte @Nullable [] upper) {

  /**
   * Returns the bounds that read options ask for. A prefix is a pair of bounds.
   *
   * @param options the options of an iterator
   * @param comparator the order of the user keys
   * @return the narrower of the options' bounds and those of their prefix
   * @throws IllegalArgumentException if there is a prefix and the order is not the bytewise one
   */
  public static KeyBounds of(ReadOptions options, UserKeyComparator comparator) {
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
    return new KeyBounds(lower, upper);
  }

  /** Returns the first key after all keys that begin with {@code prefix}; null if there is none. */
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
