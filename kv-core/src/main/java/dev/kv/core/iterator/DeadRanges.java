package dev.kv.core.iterator;

import dev.kv.core.key.LookupKey;
import dev.kv.core.key.UserKeyComparator;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.nio.ByteBuffer;
import java.util.Arrays;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * Ranges of keys in which seeks found nothing but tombstones, so that the next seek need not skip
 * them again. A queue, which deletes at its front, would otherwise skip at each step all tombstones
 * that no compaction has dropped yet. Thread-safe, without a lock.
 *
 * <p>A seek that skips {@link #MANY} tombstones from a key F to the first live key offers the
 * range. A later seek in the range by a view with the same or a higher sequence number begins at
 * its end, if nothing was put into it since. Deletes do not matter. A put into a range shortens it,
 * so that it ends at the key of the put.
 *
 * <p>Why no view misses a key, with S the number of a view:
 *
 * <pre>
 * 1. The leader of group commit compares each put of its group with all ranges, and shortens them,
 *    before it makes the group visible. Leaders follow each other, and each sees the ranges that
 *    the one before saw.
 * 2. A range is first only watched. The leader sets the number from which on it has compared all
 *    puts with the range, before it compares those of its group. A thread that finds no leader
 *    takes the leadership for this; then no group is under way.
 * 3. A view proves that a range is dead by a seek that skips it. The proof counts if the watch
 *    began with the put S+1 or an earlier one: every put that the view does not see is compared
 *    with the range. The proof is installed with a compare-and-set in the range that the leader
 *    last saw, so a put that was compared before it has already shortened the range.
 * 4. A view uses a range if its number is at least S of the proof. It reads its number before it
 *    reads the ranges. If it sees a put after the proof, it sees that number, which was stored
 *    after the range was shortened (1), and so it sees the shortened range.
 * 5. Content that changes outside the log removes all ranges before it becomes visible, and the
 *    watch of a later range begins after it (2).
 *    A change that only takes keys away, by a compaction filter, has no number: so a view uses a
 *    range only if its state has all changes that the proof saw.
 * 6. A seek that begins in a part that is known to be dead proves the whole range from its first
 *    key on: for its view that part is dead by 4.
 * </pre>
 *
 * <p>Without a range, a seek and a group of writes each read one field.
 */
public final class DeadRanges {
  /** The number of tombstones that a seek skips before it offers a range. */
  public static final int MANY = 128;

  /** The maximum number of ranges: so many queues can share a database. */
  static final int MAX_RANGES = 4;

  /** Ranges that no seek uses are dropped after so many puts. */
  private static final int MAX_UNUSED_PUTS = 1 << 20;

  private static final DeadRange[] NONE = {};
  private static final VarHandle RANGES;

  static {
    try {
      RANGES = MethodHandles.lookup().findVarHandle(DeadRanges.class, "ranges", DeadRange[].class);
    } catch (ReflectiveOperationException e) {
      throw new ExceptionInInitializerError(e);
    }
  }

  private final UserKeyComparator order;
  private final Consumer<DeadRanges> leader;

  /** The newest first. */
  private volatile DeadRange[] ranges = NONE;

  /** True if a seek has used a range since the leader last asked. */
  private volatile boolean used;

  /** Owned by the leader. */
  private int puts;

  /**
   * Creates the object without a range.
   *
   * @param leader calls {@link #beginWatches} as the leader, if there is none now; must not wait
   */
  public DeadRanges(UserKeyComparator order, Consumer<DeadRanges> leader) {
    this.order = order;
    this.leader = leader;
  }

  /** Returns true if there is no range. Called for every seek and every group. */
  public boolean isEmpty() {
    return ranges == NONE;
  }

  /**
   * Returns a range in which a seek can begin at the end of the dead part, or null.
   *
   * @param target the key to seek; null to seek the first one
   * @param sequence the number of the view, read before this call
   * @param changes the number of changes outside the log that the view sees
   */
  public @Nullable DeadRange find(@Nullable LookupKey target, long sequence, long changes) {
    for (DeadRange range : ranges) {
      if (range.since() <= sequence && range.changes() <= changes && isInDeadPart(target, range)) {
        if (!used) {
          used = true;
        }
        return range;
      }
    }
    return null;
  }

  private boolean isInDeadPart(@Nullable LookupKey target, DeadRange range) {
    byte[] from = range.from();
    byte[] end = range.end();
    if (target == null) {
      return from == null;
    }
    return (from == null || compare(target, from) >= 0)
        && (end == null || compare(target, end) < 0);
  }

  private int compare(LookupKey key, byte[] other) {
    return order.compare(key.buffer(), key.offset(), key.userKeyLength(), other, other.length);
  }

  /**
   * Receives what a seek has found out: a view sees no key in a range.
   *
   * @param from the first key; null for the beginning of the database. The key that was sought, or
   *     the first key of the range in which the seek began
   * @param end the first key that the view sees, or a bound before it; null for the end
   * @param sequence the number of the view
   * @param changes the number of changes outside the log that the view sees
   */
  public void offer(byte @Nullable [] from, byte @Nullable [] end, long sequence, long changes) {
    DeadRange[] before;
    DeadRange[] after;
    do {
      before = ranges;
      after = with(before, from, end, sequence, changes);
    } while (!RANGES.compareAndSet(this, before, after));
    if (hasUnwatched(after)) {
      leader.accept(this);
    }
  }

  private DeadRange[] with(
      DeadRange[] before,
      byte @Nullable [] from,
      byte @Nullable [] end,
      long sequence,
      long changes) {
    for (int i = 0; i < before.length; i++) {
      if (before[i].beginsAt(from)) {
        return isTooOld(before[i], sequence)
            ? before
            : replaced(before, i, next(before[i], end, sequence, changes));
      }
    }
    int kept = Math.min(before.length, MAX_RANGES - 1);
    DeadRange[] after = new DeadRange[kept + 1];
    after[0] = DeadRange.unproved(from, end);
    System.arraycopy(before, 0, after, 1, kept);
    return after;
  }

  /** Returns true if a view proves nothing: it may miss a put that was not compared (3). */
  private static boolean isTooOld(DeadRange range, long sequence) {
    return range.isWatched()
        && (sequence < range.watchedSince() - 1 || (range.isProved() && sequence < range.since()));
  }

  /** Returns the range after a seek of a view that is not too old. */
  private DeadRange next(DeadRange range, byte @Nullable [] end, long sequence, long changes) {
    boolean beyond = compareEnds(end, range.watchedEnd()) > 0;
    DeadRange next =
        range.isWatched()
            ? range.proved(beyond ? range.watchedEnd() : end, sequence, changes)
            : range;
    return beyond ? next.extended(end) : next;
  }

  private int compareEnds(byte @Nullable [] a, byte @Nullable [] b) {
    if (a == null || b == null) {
      return (a == null ? 1 : 0) - (b == null ? 1 : 0);
    }
    return order.compare(a, b);
  }

  private static DeadRange[] replaced(DeadRange[] before, int index, DeadRange next) {
    DeadRange[] after = before.clone();
    after[index] = next;
    return after;
  }

  private static boolean hasUnwatched(DeadRange[] all) {
    for (DeadRange range : all) {
      if (!range.isWatched()) {
        return true;
      }
    }
    return false;
  }

  /**
   * Step 2: begins the watch of the ranges that have none. Called by the leader, between two groups
   * or before it reports the puts of a group.
   *
   * @param sequence the number of the next put
   */
  public void beginWatches(long sequence) {
    DeadRange[] before = ranges;
    while (hasUnwatched(before)) {
      DeadRange[] after = before.clone();
      for (int i = 0; i < after.length; i++) {
        after[i] = after[i].isWatched() ? after[i] : after[i].watched(sequence);
      }
      if (RANGES.compareAndSet(this, before, after)) {
        return;
      }
      before = ranges;
    }
  }

  /**
   * Step 1: shortens the ranges that a put falls into. Called by the leader for each put of its
   * group, after {@link #beginWatches} and before the group is visible.
   */
  public void reportPut(ByteBuffer buffer, int offset, int length) {
    if (++puts >= MAX_UNUSED_PUTS) {
      puts = 0;
      if (!used) {
        clear();
      }
      used = false;
    }
    DeadRange[] before = ranges;
    for (int i = 0; i < before.length; i++) {
      if (holds(before[i], buffer, offset, length)) {
        shorten(buffer, offset, length);
        return;
      }
    }
  }

  private boolean holds(DeadRange range, ByteBuffer buffer, int offset, int length) {
    byte[] end = range.watchedEnd();
    byte[] from = range.from();
    return (end == null || order.compare(buffer, offset, length, end, end.length) < 0)
        && (from == null || order.compare(buffer, offset, length, from, from.length) >= 0);
  }

  private void shorten(ByteBuffer buffer, int offset, int length) {
    byte[] key = new byte[length];
    buffer.get(offset, key);
    DeadRange[] before;
    DeadRange[] after;
    do {
      before = ranges;
      after = new DeadRange[before.length];
      int count = 0;
      for (DeadRange range : before) {
        if (!holds(range, buffer, offset, length)) {
          after[count++] = range;
        } else if (!beginsAtOrAfter(range, key)) {
          boolean wasDead = range.isProved() && compareEnds(range.end(), key) > 0;
          after[count++] = range.before(key, wasDead);
        }
      }
      after = count == 0 ? NONE : Arrays.copyOf(after, count);
    } while (!RANGES.compareAndSet(this, before, after));
  }

  private boolean beginsAtOrAfter(DeadRange range, byte[] key) {
    byte[] from = range.from();
    return from != null && order.compare(from, key) >= 0;
  }

  /**
   * Step 5: removes all ranges. Called by the leader before content becomes visible that it did not
   * report.
   */
  public void clear() {
    ranges = NONE;
  }

  /** Returns the number of ranges, for tests. */
  int count() {
    return ranges.length;
  }
}
