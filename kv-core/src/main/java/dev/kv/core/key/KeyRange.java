package dev.kv.core.key;

import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/**
 * The user keys from {@code smallest} to {@code largest}, both inclusive: those of a table, of
 * several tables, of what a job writes, or of a manual compaction. The arrays are borrowed and
 * never changed. Compare instances by identity: arrays have no equality of their own.
 *
 * @param smallest the first key; null for no bound
 * @param largest the last key; null for no bound
 */
public record KeyRange(byte @Nullable [] smallest, byte @Nullable [] largest) {

  /** Returns true if both ranges have a key in common. */
  public boolean overlaps(UserKeyComparator order, KeyRange other) {
    return reaches(order, other.smallest) && other.reaches(order, smallest);
  }

  private boolean reaches(UserKeyComparator order, byte @Nullable [] key) {
    return largest == null || key == null || order.compare(largest, key) >= 0;
  }

  /** Returns true if this range has all keys of the other. */
  public boolean covers(UserKeyComparator order, KeyRange other) {
    return beginsBy(order, other.smallest) && endsFrom(order, other.largest);
  }

  /** Returns the smallest range with the keys of both. */
  public KeyRange with(UserKeyComparator order, KeyRange other) {
    return new KeyRange(
        beginsBy(order, other.smallest) ? smallest : other.smallest,
        endsFrom(order, other.largest) ? largest : other.largest);
  }

  /** Returns true if the range begins at a first key or before it. */
  private boolean beginsBy(UserKeyComparator order, byte @Nullable [] first) {
    return smallest == null || (first != null && order.compare(first, smallest) >= 0);
  }

  /** Returns true if the range ends at a last key or after it. */
  private boolean endsFrom(UserKeyComparator order, byte @Nullable [] last) {
    return largest == null || (last != null && order.compare(last, largest) <= 0);
  }

  /** Returns bounds around the range; without an upper one if the order is not the bytewise one. */
  public KeyBounds bounds(UserKeyComparator order) {
    byte[] after =
        largest != null && order.isBytewise() ? Arrays.copyOf(largest, largest.length + 1) : null;
    return new KeyBounds(smallest, after);
  }
}
