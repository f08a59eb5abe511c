package dev.kv.core.write;

import dev.kv.core.batch.BatchCursor;

/**
 * Sees what is committed before readers do, in the order of the commits. Only the leader of group
 * commit calls these methods, so no two calls overlap, and each call sees the effects of all
 * earlier ones. They must be quick and must not throw.
 */
public interface CommitObserver {
  /** Returns true if the next group must be shown. Called for every group: reads one field. */
  boolean isInterested();

  /**
   * Shows the operations of a group, which are in the log and the memtable and not visible yet.
   *
   * @param operations before the first operation; borrowed
   * @param firstSequence the sequence number of the first operation
   */
  void beforeVisible(BatchCursor operations, long firstSequence);

  /** Called before content becomes visible that was in no group. */
  void beforeVisibleOutsideLog();
}
