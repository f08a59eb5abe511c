package dev.kv.core.transaction;

import dev.kv.core.key.KeyBounds;
import dev.kv.core.key.UserKeyComparator;
import dev.kv.core.read.ReadRange;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * Follows a cursor, and reports the ranges of keys that it has moved over: from the target of a
 * seek, or the key at which it turned, to the key where it is, or to the bound of the cursor if it
 * is past its last entry. The target of a seek may be outside of the bounds: then the range ends at
 * the bound, or is empty. Not thread-safe.
 */
final class VisitedRange {
  private final KeyBounds bounds;
  private final UserKeyComparator order;
  private final @Nullable Consumer<ReadRange> target;
  private byte @Nullable [] start;
  private boolean forward;
  private boolean open;

  /**
   * Creates the object.
   *
   * @param bounds the bounds of the cursor
   * @param order the order of the keys
   * @param target receives the ranges; null if they are not wanted
   */
  VisitedRange(KeyBounds bounds, UserKeyComparator order, @Nullable Consumer<ReadRange> target) {
    this.bounds = bounds;
    this.order = order;
    this.target = target;
  }

  /** Begins a range at a key, or at a bound if the key is null. */
  void begin(byte @Nullable [] key, boolean towardsEnd) {
    if (target != null) {
      start = key == null ? null : key.clone();
      forward = towardsEnd;
      open = true;
    }
  }

  /** Ends the range at a key, which belongs to it, or at the bound if the key is null. */
  void end(byte @Nullable [] key) {
    Consumer<ReadRange> to = target;
    if (to == null || !open) {
      return;
    }
    byte[] low = forward ? start : key;
    byte[] high = forward ? key : start;
    byte[] lower = bounds.lower();
    byte[] upper = bounds.upper();
    boolean fromLower = low == null || (lower != null && order.compare(low, lower) < 0);
    boolean toUpper = high == null || (upper != null && order.compare(high, upper) >= 0);
    to.accept(new ReadRange(fromLower ? lower : low, toUpper ? upper : high, !toUpper));
    open = false; // not if the program's comparator has thrown: the commit ends the range again
  }
}
