package dev.kv.core.read;

import dev.kv.DBIterator;
import dev.kv.core.key.UserKeyComparator;
import java.nio.ByteBuffer;
import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/**
 * A range of user keys that a cursor has moved over. Both ends belong to it, except an end that is
 * the upper bound of the cursor.
 *
 * @param low the first key; null if the range begins before all keys
 * @param high the last key; null if the range ends after all keys
 * @param highIncluded true if {@code high} belongs to the range
 */
public record ReadRange(byte @Nullable [] low, byte @Nullable [] high, boolean highIncluded) {

  /** Returns true if a key lies after the range. */
  boolean endsBefore(UserKeyComparator order, ByteBuffer key, int offset, int length) {
    if (high == null) {
      return false;
    }
    int comparison = order.compare(key, offset, length, high, high.length);
    return highIncluded ? comparison > 0 : comparison >= 0;
  }

  /** Returns true if a key lies in the range. */
  public boolean contains(UserKeyComparator order, ByteBuffer key, int offset, int length) {
    return (low == null || order.compare(key, offset, length, low, low.length) >= 0)
        && !endsBefore(order, key, offset, length);
  }

  /**
   * Returns the first key of the range at which two cursors show different entries, or null. Moves
   * both cursors.
   */
  public byte @Nullable [] firstDifference(
      DBIterator first, DBIterator second, UserKeyComparator order) {
    seekToLow(first);
    seekToLow(second);
    while (true) {
      byte[] one = keyInRange(first, order);
      byte[] two = keyInRange(second, order);
      if (one == null && two == null) {
        return null;
      }
      if (one == null || two == null) {
        return one == null ? two : one;
      }
      int comparison = order.compare(one, two);
      if (comparison != 0) {
        return comparison < 0 ? one : two;
      }
      if (!Arrays.equals(first.value(), second.value())) { // slices do not end with the database
        return one;
      }
      first.next();
      second.next();
    }
  }

  private void seekToLow(DBIterator cursor) {
    if (low == null) {
      cursor.seekToFirst();
    } else {
      cursor.seek(low);
    }
  }

  private byte @Nullable [] keyInRange(DBIterator cursor, UserKeyComparator order) {
    if (!cursor.isValid()) {
      return null;
    }
    byte[] key = cursor.key();
    int comparison = high == null ? -1 : order.compare(key, high);
    return comparison < 0 || (comparison == 0 && highIncluded) ? key : null;
  }
}
