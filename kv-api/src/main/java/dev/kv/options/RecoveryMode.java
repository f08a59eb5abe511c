package dev.kv.options;

import dev.kv.admin.DBInspector;
import dev.kv.errors.CorruptionException;

/**
 * What an open does if a log is damaged, and what a compaction does if a table is: with {@link
 * #PARANOID}, the database becomes read-only; otherwise the compaction leaves the table where it
 * is, and the database continues.
 *
 * <p>If a log that the MANIFEST needs is missing, {@link #TORN_WRITES}, {@link #STRICT} and {@link
 * #PARANOID} throw a {@link CorruptionException}. {@link #POINT_IN_TIME} opens the database unless
 * a later log has records, and {@link DBInspector#stats()} reports what is missing. {@link
 * #CPP_COMPAT} opens it.
 *
 * <p>An open for writing that drops more of a log than a torn end moves the log to the subdirectory
 * {@code lost/} of the database instead of deleting it, and {@link DBInspector#stats()} names it.
 * These are the logs that {@link #STRICT} refuses. No open reads or deletes what is in {@code
 * lost/}. A log that cannot be kept there, or that {@link dev.kv.Options#logRetention} keeps, stays
 * in the directory at least until the database is closed.
 */
public enum RecoveryMode {
  /**
   * Recovery ends at a torn write and ignores what follows, in that log and in all later ones. The
   * open logs what was dropped, and {@link DBInspector#stats()} reports it. A write is torn if the
   * log ends inside its record, or if a 512-byte sector of the record is all zero, as loss of power
   * can leave it. Any other damage is a {@link CorruptionException}, also that of the last record.
   * The default.
   */
  TORN_WRITES,
  /**
   * Recovery ends at the first damage of any kind and ignores what follows. The open logs what was
   * dropped, and {@link DBInspector#stats()} reports it.
   */
  POINT_IN_TIME,
  /**
   * Any damage except a torn last record is a {@link CorruptionException}; {@link #TORN_WRITES}
   * says what is torn.
   */
  STRICT,
  /** Recovery drops damaged records and continues after them, as C++ LevelDB does. */
  CPP_COMPAT,
  /**
   * As {@link #STRICT}; and a compaction that meets a damaged table makes the database read-only.
   * LevelDB's {@code paranoid_checks}.
   */
  PARANOID
}
