package dev.kv.core.write;

/** How a write ended, or what its thread must do next. */
public enum WriteOutcome {
  /** The write is done, and readers see it. For a condition: it holds. */
  DONE,

  /** The condition of the write does not hold: the write was not done. */
  CONFLICT,

  /**
   * The condition of the write could not be checked, because memtables that it needs were flushed:
   * the write was not done, and its owner checks the condition again.
   */
  STALE,

  /** The write could not be encoded or checked: it was not done, and its failure says why. */
  REFUSED,

  /** The log had no room for the group: nothing of it was logged, and the failure says why. */
  NOT_LOGGED,

  /** The group failed after it was handed to the log: the outcome is unknown. */
  FAILED,

  /** No leader took the write: its thread is the leader now, and does the write itself. */
  LEADS
}
