package dev.kv.core.recovery;

import java.util.Map;
import java.util.TreeMap;

/**
 * The sequence numbers of the records that a recovery has applied, in runs without gaps. In a log
 * that is in order, no number is compared with more than the greatest one. For one thread.
 */
final class AppliedNumbers {
  /** The runs that have ended: the first number of each, and the last. */
  private final TreeMap<Long, Long> ended = new TreeMap<>();

  // The run that goes on: [first, next).
  private long first;
  private long next;
  private long greatest = -1;

  /** Returns true if one of the numbers from {@code from} to {@code to} was applied. */
  boolean containAny(long from, long to) {
    if (from > greatest) {
      return false;
    }
    if (from < next && to >= first) {
      return true;
    }
    Map.Entry<Long, Long> run = ended.floorEntry(to);
    return run != null && run.getValue() >= from;
  }

  /** Adds the numbers from {@code from} to {@code to}, of which none was applied before. */
  void add(long from, long to) {
    if (from != next) {
      if (next > first) {
        ended.put(first, next - 1);
      }
      first = from;
    }
    next = to + 1;
    greatest = Math.max(greatest, to);
  }
}
