package dev.kv;

/**
 * What an open does with damage in a log; {@link Options#paranoidChecks()} selects {@link #STRICT}.
 */
public enum RecoveryMode {
  /**
   * Recovery ends at a torn write, in that log and all later ones; what was dropped is logged and
   * shown by {@link DB#stats()}. Any other damage is a {@link CorruptionException}. The default.
   */
  TORN_WRITES,
  /** Recovery ends at the first damage of any kind; what was dropped is logged and shown. */
  POINT_IN_TIME,
  /** Anything but a torn last record fails the open. */
  STRICT,
  /** Damaged records are dropped and recovery goes on behind them, as C++ LevelDB does. */
  CPP_COMPAT
}
