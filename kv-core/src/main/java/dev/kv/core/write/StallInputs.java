package dev.kv.core.write;

/**
 * What decides whether writers are held back: how many memtables wait for a flush and how many
 * tables level 0 has. Written by the background, with the lock of the database's state held; read
 * by the leader without a lock.
 */
public final class StallInputs {
  private final int maxWaitingMemTables;
  private volatile int waitingMemTables;
  private volatile int level0Tables;
  private volatile boolean suspended;
  private volatile boolean waived;

  /**
   * Creates it for an empty database.
   *
   * @param maxWaitingMemTables how many memtables may wait for their flush
   */
  public StallInputs(int maxWaitingMemTables) {
    this.maxWaitingMemTables = maxWaitingMemTables;
  }

  /** Sets how many memtables wait for their flush. */
  public void setWaitingMemTables(int count) {
    waitingMemTables = count;
  }

  /** Sets how many tables level 0 has. */
  public void setLevel0Tables(int count) {
    level0Tables = count;
  }

  /** Sets whether level 0 holds writers back no more, because compactions are suspended. */
  public void suspend(boolean now) {
    suspended = now;
  }

  /** Lets level 0 hold no writer back until the database is opened again. */
  public void waive() {
    waived = true;
  }

  /** Returns how many tables of level 0 count. Called for every group. */
  int level0Tables() {
    return suspended || waived ? 0 : level0Tables;
  }

  /** Returns true if one more immutable memtable would be more than may wait. */
  boolean isFlushBehind() {
    return waitingMemTables >= maxWaitingMemTables;
  }
}
