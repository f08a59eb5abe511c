package dev.kv.core.write;

import dev.kv.core.batch.BatchCursor;

/**
 * A condition of a write, checked by the leader of its group just before the write is added to the
 * group. So no other write comes between the check and the write.
 *
 * <p>All threads that write wait meanwhile. A condition therefore reads no table: its owner checks
 * it against the tables before it enters the queue, with the read state pinned, and leaves to the
 * leader what was written since, which is in memory.
 */
public interface CommitCondition {
  /**
   * Checks the condition. Called by the leader, which may be another thread than the owner; the
   * owner waits meanwhile.
   *
   * @param lastSequence the sequence number of the last write before the group
   * @param earlier the operations that are already in the group, before the first one; borrowed
   * @return {@link WriteOutcome#DONE} if the condition holds, {@link WriteOutcome#CONFLICT} if not,
   *     or {@link WriteOutcome#STALE} if the memtables that the check needs have been flushed, or
   *     content has changed outside the log
   */
  WriteOutcome check(long lastSequence, BatchCursor earlier);

  /** Returns the number of keys and ranges that {@link #check} looks at. */
  int size();
}
