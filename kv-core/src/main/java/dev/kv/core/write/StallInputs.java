package dev.kv.core.write;

import dev.kv.core.version.Levels;

/**
 * The values that decide whether writers are stalled: the number of memtables that wait for a flush
 * and the number of tables in level 0; and whether the memory of the memtable is wanted. Written
 * with the lock of the database's state held, except by {@link #wantSwitch}; read by the leader
 * without a lock.
 */
public final class StallInputs {
  private final int maxWaitingMemTables;
  private volatile int waitingMemTables;
  private volatile int level0Tables;
  private volatile int suspensions;
  private volatile boolean waived;
  private volatile boolean switchWanted;

  /**
   * Creates the inputs for an empty database.
   *
   * @param maxWaitingMemTables the maximum number of memtables that may wait for their flush
   */
  public StallInputs(int maxWaitingMemTables) {
    this.maxWaitingMemTables = maxWaitingMemTables;
  }

  /** Sets the number of memtables that wait for their flush. */
  public void setWaitingMemTables(int count) {
    waitingMemTables = count;
  }

  /** Returns the number of memtables that wait for their flush. */
  public int waitingMemTables() {
    return waitingMemTables;
  }

  /** Sets whether the memtable is to be flushed before it is full. Any thread may call this. */
  public void wantSwitch(boolean now) {
    switchWanted = now;
  }

  /** Returns true if the memtable is to be flushed before it is full. Called for every group. */
  public boolean isSwitchWanted() {
    return switchWanted;
  }

  /** Sets the number of tables in level 0. */
  public void setLevel0Tables(int count) {
    level0Tables = count;
  }

  /**
   * Notes that compactions cannot run for a while, all or some of them: level 0 does not stall
   * writers until as many calls of {@link #resume}.
   */
  @SuppressWarnings("NonAtomicVolatileUpdate") // written with the lock held
  public void suspend() {
    suspensions++;
  }

  /** Undoes one {@link #suspend}. */
  @SuppressWarnings("NonAtomicVolatileUpdate") // written with the lock held
  public void resume() {
    suspensions--;
  }

  /** Stops level 0 from stalling writers until the database is opened again. */
  public void waive() {
    waived = true;
  }

  /**
   * Returns true while compactions should not be slowed down: writers are, because of level 0, or
   * somebody waits for the end of the compactions.
   */
  public boolean areCompactionsUrgent() {
    return suspensions > 0 || level0Tables >= Levels.LEVEL_0_SLOWDOWN_TRIGGER;
  }

  /** Returns true while level 0 slows writers down, or stops them. */
  public boolean isSlowedByLevel0() {
    return level0Tables() >= Levels.LEVEL_0_SLOWDOWN_TRIGGER;
  }

  /** Returns true if level 0 has so many tables that a compaction is due. */
  public boolean isLevel0Full() {
    return level0Tables >= Levels.LEVEL_0_COMPACTION_TRIGGER;
  }

  /** Returns the number of tables in level 0 that count for stalls. Called for every group. */
  int level0Tables() {
    return suspensions > 0 || waived ? 0 : level0Tables;
  }

  /** Returns true if the maximum number of memtables already wait for their flush. */
  boolean isFlushBehind() {
    return waitingMemTables >= maxWaitingMemTables;
  }
}
