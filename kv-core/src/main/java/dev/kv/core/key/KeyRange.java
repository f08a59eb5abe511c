package dev.kv.core.key;

/**
 * The keys from {@code smallest} to {@code largest}, both inclusive: those of a table, of several
 * tables, or of what a job writes. The arrays are borrowed and never changed. Compare instances by
 * identity: arrays have no equality of their own.
 */
public record KeyRange(byte[] smallest, byte[] largest) {

  /** Returns true if both ranges of user keys have a key in common. */
  public boolean overlaps(UserKeyComparator order, KeyRange other) {
    return order.compare(largest, other.smallest) >= 0
        && order.compare(smallest, other.largest) <= 0;
  }
}
