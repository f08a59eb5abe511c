package dev.kv.core.key;

import dev.kv.ReadOptions;
import dev.kv.bytes.Escape;
import java.nio.ByteBuffer;
import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/**
 * A range of user keys, such as those that an iterator returns: from a lower bound, inclusive, to
 * an upper bound, exclusive.
 *
 * @param lower the smallest key of the range; null for no bound
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
      requireBytewise(comparator);
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

  /**
   * Returns a range; keeps copies of the bounds.
   *
   * @throws IllegalArgumentException if the lower bound is after the upper one
   */
  public static KeyBounds of(
      byte @Nullable [] lower, byte @Nullable [] upper, UserKeyComparator comparator) {
    KeyBounds range =
        new KeyBounds(lower == null ? null : lower.clone(), upper == null ? null : upper.clone());
    if (lower != null && upper != null && comparator.compare(lower, upper) > 0) {
      throw new IllegalArgumentException("the range ends before it begins: " + range.describe());
    }
    return range;
  }

  /**
   * Returns the keys that begin with {@code prefix}; if it is empty, all keys.
   *
   * @throws IllegalArgumentException if the order is not the bytewise one
   */
  public static KeyBounds ofPrefix(byte[] prefix, UserKeyComparator comparator) {
    requireBytewise(comparator);
    return prefix.length == 0
        ? new KeyBounds(null, null)
        : new KeyBounds(prefix.clone(), successor(prefix));
  }

  private static void requireBytewise(UserKeyComparator comparator) {
    if (!comparator.isBytewise()) {
      throw new IllegalArgumentException(
          "a prefix needs the bytewise comparator, and this database has " + comparator.name());
    }
  }

  /** Returns true if a key of {@code keys} can be within the bounds. */
  public boolean overlaps(UserKeyComparator order, KeyRange keys) {
    byte[] first = keys.smallest();
    byte[] last = keys.largest();
    return (upper == null || first == null || order.compare(first, upper) < 0)
        && (lower == null || last == null || order.compare(last, lower) >= 0);
  }

  /** Returns true if all of {@code keys} are within the bounds. */
  public boolean covers(UserKeyComparator order, KeyRange keys) {
    byte[] first = keys.smallest();
    byte[] last = keys.largest();
    return (lower == null || (first != null && order.compare(first, lower) >= 0))
        && (upper == null || (last != null && order.compare(last, upper) < 0));
  }

  /** Returns true if a user key in a direct buffer lies before the upper bound. */
  public boolean isBeforeEnd(UserKeyComparator order, ByteBuffer key, int offset, int length) {
    return upper == null || order.compare(key, offset, length, upper, upper.length) < 0;
  }

  /** Returns the bounds as text, for messages. */
  public String describe() {
    String from = lower == null ? "the first key" : "'" + Escape.shown(lower) + "'";
    String to = upper == null ? " on" : " to '" + Escape.shown(upper) + "'";
    return "from " + from + to;
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
