package dev.kv.core.iterator;

import dev.kv.core.key.InternalKey;
import dev.kv.core.key.LookupKey;
import dev.kv.core.key.UserKeyComparator;
import dev.kv.core.memory.FieldHandles;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.nio.ByteBuffer;
import java.util.Arrays;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * An index of the ranges of keys in which seeks found nothing but tombstones, so that the next seek
 * need not skip them again. A queue, which deletes at its front, would otherwise skip at each step
 * all tombstones that no compaction has dropped yet. Thread-safe, without a lock.
 *
 * <p>A seek that skips {@link #MANY} tombstones from a key F to the first live key offers the
 * range. A later seek into the range begins at its end, if nothing was put into it since. Deletes
 * do not matter. A put into a range shortens it, so that it ends at the key of the put.
 *
 * <p>A view reads at a sequence number. It must find every key that is live at that number; so a
 * range may be skipped only if it holds none. Why that is so:
 *
 * <pre>
 * Watch    A new range is only watched. The leader of group commit stores W, the sequence number
 *          of its next put, in the range (beginWatches), and from then on compares each put with
 *          the range and shortens it (reportPut). So every put from W on has been compared with the
 *          range, or is not visible yet: the leader compares before it makes the group visible.
 * Proof    A seek of a view at the sequence number S, with S >= W-1, finds only tombstones in the
 *          range. This proves that no key of it is live at S. The puts that the view does not see
 *          are S+1 and later; they are W or later, so all of them are compared. The proof is stored
 *          by a compare-and-set, which fails if a leader has changed the ranges, and then tried
 *          again with the range as it is now: it never reaches beyond a put that was compared.
 * Use      A view at the sequence number T skips the range if T >= S. It has read T, in acquire
 *          mode, before it reads the ranges. A put with a number in S+1 to T was compared before
 *          T was stored, in release mode; so the view reads the range as shortened by that put.
 *          A view at T < S does not use the range, because a later delete may be what proved it.
 * Chain    A seek that begins inside a range skips it and goes on. What it finds extends the proof
 *          of the whole range to its own sequence number, because the skipped part is proved for it
 *          by the rule above.
 * Changes  Content that does not pass the log is compared with no range, and a compaction filter
 *          takes keys away without a sequence number. So a view uses a range only if its state has
 *          the same number of such changes as the one of the proof. In a database that is open for
 *          reading only, each refresh is such a change, and no put is reported.
 * </pre>
 *
 * <p>All accesses of the array of ranges are volatile, and a range is immutable. Without a range, a
 * seek and a group of writes each read this one field.
 */
public final class TombstoneSkipIndex {
  /** The number of tombstones that a seek skips before it offers a range. */
  public static final int MANY = 128;

  /** The maximum number of ranges: so many queues can share a database. */
  static final int MAX_RANGES = 4;

  /** Ranges that no seek uses are dropped after so many puts. */
  private static final int MAX_UNUSED_PUTS = 1 << 20;

  private static final SkipRange[] NONE = {};
  private static final VarHandle RANGES =
      FieldHandles.of(MethodHandles.lookup(), "ranges", SkipRange[].class);

  private final UserKeyComparator order;
  private final Consumer<TombstoneSkipIndex> leader;

  /** The newest first. */
  private volatile SkipRange[] ranges = NONE;

  /** True if a seek has used a range since the leader last asked. */
  private volatile boolean used;

  /** Owned by the leader. */
  private int puts;

  /**
   * Creates the object without a range.
   *
   * @param leader calls {@link #beginWatches} with exclusive access to the commit queue, unless a
   *     thread writes at this moment: then its group does so; must not wait
   */
  public TombstoneSkipIndex(UserKeyComparator order, Consumer<TombstoneSkipIndex> leader) {
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
  public @Nullable SkipRange find(@Nullable LookupKey target, long sequence, long changes) {
    for (SkipRange range : ranges) {
      if (range.since() <= sequence && range.changes() == changes && isInDeadPart(target, range)) {
        if (!used) {
          used = true;
        }
        return range;
      }
    }
    return null;
  }

  private boolean isInDeadPart(@Nullable LookupKey target, SkipRange range) {
    byte[] from = range.from();
    byte[] end = range.end();
    if (target == null) {
      return from == null;
    }
    return (from == null || compare(target, from) >= 0)
        && (end == null || compare(target, end) < 0);
  }

  private int compare(LookupKey key, byte[] other) {
    return order.compare(key.buffer(), 0, key.userKeyLength(), other, other.length);
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
    SkipRange[] before;
    SkipRange[] after;
    do {
      before = ranges;
      after = with(before, from, end, sequence, changes);
    } while (!RANGES.compareAndSet(this, before, after));
    if (hasUnwatched(after)) {
      leader.accept(this);
    }
  }

  private SkipRange[] with(
      SkipRange[] before,
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
    SkipRange[] after = new SkipRange[kept + 1];
    after[0] = SkipRange.unproved(from, end);
    System.arraycopy(before, 0, after, 1, kept);
    return after;
  }

  /** Returns true if a view proves nothing: it may miss a put that was not compared. */
  private static boolean isTooOld(SkipRange range, long sequence) {
    return range.isWatched()
        && (sequence < range.watchedSince() - 1 || (range.isProved() && sequence < range.since()));
  }

  /** Returns the range after a seek of a view that is not too old. */
  private SkipRange next(SkipRange range, byte @Nullable [] end, long sequence, long changes) {
    boolean beyond = compareEnds(end, range.watchedEnd()) > 0;
    SkipRange next =
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

  private static SkipRange[] replaced(SkipRange[] before, int index, SkipRange next) {
    SkipRange[] after = before.clone();
    after[index] = next;
    return after;
  }

  private static boolean hasUnwatched(SkipRange[] all) {
    for (SkipRange range : all) {
      if (!range.isWatched()) {
        return true;
      }
    }
    return false;
  }

  /**
   * Begins the watch of the ranges that have none. Called by the leader, between two groups or
   * before it reports the puts of a group.
   *
   * @param sequence the number of the next put
   */
  public void beginWatches(long sequence) {
    SkipRange[] before = ranges;
    while (hasUnwatched(before)) {
      SkipRange[] after = before.clone();
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
   * Shortens the ranges that a put falls into. Called by the leader for each put of its group,
   * after {@link #beginWatches} and before the group is visible.
   */
  public void reportPut(ByteBuffer buffer, int offset, int length) {
    if (++puts >= MAX_UNUSED_PUTS) {
      puts = 0;
      if (!used) {
        ranges = NONE;
      }
      used = false;
    }
    SkipRange[] before = ranges;
    for (int i = 0; i < before.length; i++) {
      if (holds(before[i], buffer, offset, length)) {
        shorten(buffer, offset, length);
        return;
      }
    }
  }

  private boolean holds(SkipRange range, ByteBuffer buffer, int offset, int length) {
    byte[] end = range.watchedEnd();
    byte[] from = range.from();
    return (end == null || order.compare(buffer, offset, length, end, end.length) < 0)
        && (from == null || order.compare(buffer, offset, length, from, from.length) >= 0);
  }

  private void shorten(ByteBuffer buffer, int offset, int length) {
    byte[] key = InternalKey.copy(buffer, offset, length);
    SkipRange[] before;
    SkipRange[] after;
    do {
      before = ranges;
      after = new SkipRange[before.length];
      int count = 0;
      for (SkipRange range : before) {
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

  private boolean beginsAtOrAfter(SkipRange range, byte[] key) {
    byte[] from = range.from();
    return from != null && order.compare(from, key) >= 0;
  }

  /** Returns the number of ranges, for tests. */
  int count() {
    return ranges.length;
  }
}
