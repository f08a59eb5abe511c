package dev.kv.core.write;

import dev.kv.core.key.InternalKey;
import dev.kv.core.memtable.MemTable;
import dev.kv.errors.OffHeapExhaustedException;
import org.jspecify.annotations.Nullable;

/**
 * The writers that a leader adds to its group, the oldest first: step 4 of {@link CommitPipeline}.
 * Owned by the leader.
 */
final class Followers {
  /** A group takes no more followers when it is this large. */
  private static final long MAX_GROUP_BYTES = 1 << 20;

  /**
   * A leader with a group of at most this size adds at most as much again, to keep its own latency
   * low.
   */
  private static final long SMALL_LEADER_BYTES = 128 << 10;

  /**
   * A write with a condition joins a group only if the check compares fewer keys than this with the
   * keys in the group. Otherwise it leads the next group.
   */
  private static final long MAX_COMPARISONS = 4096;

  /** A leader with sync waits for followers at most the time of a sync divided by this. */
  private static final int MAX_WAIT_DIVISOR = 2;

  private static final long MAX_WAIT_NANOS = 5_000_000;

  private final CommitQueue queue;
  private final WriteGroup group;
  private @Nullable PendingWrite first;
  private @Nullable PendingWrite last;

  /** The number of writers in the last synced group, plus those that had arrived by its end. */
  private int lastGroupSize = 1;

  /** The duration of the last sync. */
  private long syncNanos;

  Followers(CommitQueue queue, WriteGroup group) {
    this.queue = queue;
    this.group = group;
  }

  /**
   * Removes followers from the queue, and adds their operations to the group, which has those of
   * the leader. A leader with sync waits for them first. If memory is short, the group ends with
   * the followers before it.
   *
   * @param memtable the memtable that must have room for the group
   * @param sync true if the group will be synced
   * @param lastSequence the sequence number of the last write before the group
   */
  void gather(MemTable memtable, boolean sync, long lastSequence) {
    if (sync && lastGroupSize > 1) {
      awaitGroup();
    }
    if (queue.isContended()) {
      add(memtable, sync, lastSequence);
    }
  }

  /**
   * Waits briefly until as many writers wait as wrote in the last group. The writers of the last
   * sync are about to write again, and would otherwise miss every second sync. A single writer
   * never waits. If no writer comes, the leader loses part of the time of one sync, once.
   */
  private void awaitGroup() {
    long start = System.nanoTime();
    long maxWait = Math.min(syncNanos / MAX_WAIT_DIVISOR, MAX_WAIT_NANOS);
    while (queue.waiting() < lastGroupSize - 1 && System.nanoTime() - start < maxWait) {
      Thread.yield();
    }
  }

  private void add(MemTable memtable, boolean sync, long lastSequence) {
    long limit =
        group.bytes() <= SMALL_LEADER_BYTES ? group.bytes() + SMALL_LEADER_BYTES : MAX_GROUP_BYTES;
    try {
      PendingWrite next = queue.peek();
      while (next != null
          && mayFollow(next, sync, limit)
          && isRoomFor(next, memtable, lastSequence)) {
        queue.poll();
        if (encode(next, lastSequence)) {
          append(next);
        }
        next = queue.peek();
      }
    } catch (OffHeapExhaustedException | VirtualMachineError e) {
      // The next one is still in the queue: it leads the next group, and reports the failure.
    }
  }

  private void append(PendingWrite follower) {
    if (last == null) {
      first = follower;
    } else {
      last.next = follower;
    }
    last = follower;
  }

  private boolean mayFollow(PendingWrite write, boolean sync, long limit) {
    return write.mayFollow()
        && (sync || !write.isSync())
        && group.bytes() + write.bytes() <= limit
        && isCheckCheap(write.conditionSize());
  }

  private boolean isCheckCheap(int conditionSize) {
    return conditionSize == 0 || (long) conditionSize * group.count() < MAX_COMPARISONS;
  }

  private boolean isRoomFor(PendingWrite write, MemTable memtable, long lastSequence) {
    int count = group.count() + write.count();
    if (count > InternalKey.MAX_SEQUENCE - lastSequence
        || !memtable.ensureRoomFor(group.bytes() + write.bytes(), count)) {
      return false;
    }
    group.reserve(write.bytes());
    return true;
  }

  /**
   * Adds a follower's operations to the group, if its condition holds. If they cannot be read,
   * because a buffer was changed meanwhile, maps a file that was truncated or belongs to an arena
   * of the follower's thread, or if the check throws, only this follower is refused, and the others
   * are not affected. Returns true if the follower waits for the end of the group.
   */
  private boolean encode(PendingWrite follower, long lastSequence) {
    try {
      follower.checked = follower.check(lastSequence, group);
      if (follower.checked == WriteOutcome.DONE) {
        follower.encodeInto(group);
      }
      return true;
    } catch (Throwable e) {
      follower.complete(WriteOutcome.REFUSED, e);
      return false;
    }
  }

  /** Notes how long a sync of the log took. */
  void noteSync(long nanos) {
    syncNanos = nanos;
  }

  /** Notes the size of the group, which was synced and is done. */
  void noteSyncedGroup() {
    int size = 1 + queue.waiting();
    for (PendingWrite write = first; write != null; write = write.next) {
      size++;
    }
    lastGroupSize = size;
  }

  /** Removes all followers and returns the first one; the others are linked. */
  @Nullable PendingWrite removeAll() {
    PendingWrite all = first;
    first = null;
    last = null;
    return all;
  }

  /**
   * Wakes followers, which were removed before.
   *
   * @param group the outcome of the group
   * @param failure why it failed, or null
   */
  static void complete(
      @Nullable PendingWrite all, WriteOutcome group, @Nullable Throwable failure) {
    PendingWrite follower = all;
    while (follower != null) {
      PendingWrite next = follower.next;
      follower.complete(outcomeOf(follower, group), failure);
      follower = next;
    }
  }

  /**
   * Returns the outcome for a follower of a group with an outcome. If the group failed, and the
   * follower's condition did not hold, the condition may have failed due to a write that was not
   * done; so the follower starts again.
   */
  private static WriteOutcome outcomeOf(PendingWrite follower, WriteOutcome group) {
    if (follower.checked == WriteOutcome.DONE) {
      return group;
    }
    return group == WriteOutcome.DONE ? follower.checked : WriteOutcome.STALE;
  }
}
