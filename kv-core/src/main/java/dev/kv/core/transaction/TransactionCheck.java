package dev.kv.core.transaction;

import dev.kv.DBIterator;
import dev.kv.ReadOptions;
import dev.kv.core.batch.BatchCursor;
import dev.kv.core.key.InternalKey;
import dev.kv.core.key.UserKeyComparator;
import dev.kv.core.read.DatabaseReader;
import dev.kv.core.read.ReadRange;
import dev.kv.core.read.RecentMemTables;
import dev.kv.core.read.ValidationView;
import dev.kv.core.write.CommitCondition;
import dev.kv.core.write.WriteOutcome;
import java.util.Arrays;
import java.util.List;
import java.util.function.Function;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/**
 * The check that no other write has changed the keys and ranges that a transaction depends on since
 * its snapshot, or the keys that a conditional write expects to have certain values, since these
 * were compared.
 *
 * <p>A change has a higher sequence number than the snapshot. It is found, because the snapshot is
 * open: compactions keep the newest entry of each key that is newer than the snapshot, also if that
 * is a tombstone.
 */
final class TransactionCheck {
  private final List<byte[]> keys;
  private final List<ReadRange> ranges;
  private final long snapshot;
  private final UserKeyComparator order;
  private byte @Nullable [] changed;

  /**
   * Creates the check.
   *
   * @param snapshot the sequence number of the transaction's snapshot, or of the state in which the
   *     values were compared
   */
  TransactionCheck(
      List<byte[]> keys, List<ReadRange> ranges, long snapshot, UserKeyComparator order) {
    this.keys = keys;
    this.ranges = ranges;
    this.snapshot = snapshot;
    this.order = order;
  }

  /** Returns the key that was found to be changed; not a copy. */
  byte[] changedKey() {
    byte[] key = changed;
    if (key == null) {
      throw new AssertionError("nothing has changed");
    }
    return key;
  }

  /** Searches the base of a view, which may read tables. */
  boolean holdsInBase(ValidationView view) {
    return holds(key -> view.hasNewer(key, snapshot), range -> view.firstNewer(range, snapshot));
  }

  private boolean holds(
      Predicate<byte[]> hasChanged, Function<ReadRange, byte @Nullable []> firstChanged) {
    for (byte[] key : keys) {
      if (hasChanged.test(key)) {
        return isChanged(key);
      }
    }
    for (ReadRange range : ranges) {
      byte[] key = firstChanged.apply(range);
      if (key != null) {
        return isChanged(key);
      }
    }
    return true;
  }

  /**
   * Compares the keys and ranges as the snapshot shows them with the newest state. Needed if
   * content has changed outside the log, because a table that was dropped as a whole leaves no
   * newer entries behind.
   *
   * @param fromSnapshot reads the snapshot
   */
  boolean isEqualInNewest(DatabaseReader reader, ReadOptions fromSnapshot) {
    return holds(
        key -> !Arrays.equals(reader.get(fromSnapshot, key), reader.get(ReadOptions.DEFAULT, key)),
        range -> {
          try (DBIterator before = reader.iterator(fromSnapshot);
              DBIterator now = reader.iterator(ReadOptions.DEFAULT)) {
            return range.firstDifference(before, now, order);
          }
        });
  }

  private boolean isChanged(byte[] key) {
    changed = key;
    return false;
  }

  /**
   * Returns the part of the check that the leader does.
   *
   * @param recent the memtables since a state in which nothing has changed
   * @param unchangedAt a sequence number; if it is still the last one, nothing has changed
   */
  CommitCondition since(RecentMemTables recent, long unchangedAt) {
    return new SinceCheck(recent, unchangedAt);
  }

  private final class SinceCheck implements CommitCondition {
    private final RecentMemTables recent;
    private final long unchangedAt;

    SinceCheck(RecentMemTables recent, long unchangedAt) {
      this.recent = recent;
      this.unchangedAt = unchangedAt;
    }

    @Override
    public WriteOutcome check(long lastSequence, BatchCursor earlier) {
      if (!holdsInGroup(earlier)) {
        return WriteOutcome.CONFLICT;
      }
      if (lastSequence == unchangedAt && !recent.isChangedOutsideLog()) {
        return WriteOutcome.DONE;
      }
      if (!recent.pin()) {
        return WriteOutcome.STALE;
      }
      try {
        return holdsInRecent() ? WriteOutcome.DONE : WriteOutcome.CONFLICT;
      } finally {
        recent.unpin();
      }
    }

    private boolean holdsInGroup(BatchCursor earlier) {
      while (earlier.next()) {
        for (byte[] key : keys) {
          if (order.compare(
                  earlier.buffer(), earlier.keyOffset(), earlier.keyLength(), key, key.length)
              == 0) {
            return isChanged(key);
          }
        }
        for (ReadRange range : ranges) {
          if (range.contains(order, earlier.buffer(), earlier.keyOffset(), earlier.keyLength())) {
            return isChanged(
                InternalKey.copy(earlier.buffer(), earlier.keyOffset(), earlier.keyLength()));
          }
        }
      }
      return true;
    }

    private boolean holdsInRecent() {
      return holds(
          key -> recent.hasNewer(key, snapshot), range -> recent.firstNewer(range, snapshot));
    }

    @Override
    public int size() {
      return keys.size() + ranges.size();
    }
  }
}
