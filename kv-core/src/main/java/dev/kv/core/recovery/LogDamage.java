package dev.kv.core.recovery;

import dev.kv.core.event.Events;
import dev.kv.core.log.LogReader;
import dev.kv.errors.CorruptionException;
import dev.kv.event.DamageEvent;
import dev.kv.options.RecoveryMode;
import java.nio.file.Path;

/**
 * Decides by the recovery mode how to handle damage in one log: continue after it, end the recovery
 * there, or fail the open. Counts the bytes that are dropped. For one thread.
 */
final class LogDamage implements LogReader.Reporter {
  private static final long NOT_ENDED = -1;

  private final Events events;
  private final RecoveryMode mode;
  private final String file;
  private long dropped;
  private boolean damaged;
  private String reason = "";

  /** The offset of the damage at which the recovery has ended, or {@link #NOT_ENDED}. */
  private long endedAt = NOT_ENDED;

  /** The greatest offset after bytes that were reported as damaged. */
  private long reportedTo;

  private boolean gapBefore;
  private long gapAt;
  private long gapBytes;

  LogDamage(Events events, RecoveryMode mode, String file) {
    this.events = events;
    this.mode = mode;
    this.file = file;
  }

  @Override
  public void corruption(long offset, long bytes, String what, boolean torn) {
    damaged |= !torn;
    reportedTo = Math.max(reportedTo, offset + bytes);
    if (hasEnded()) {
      dropped += mode == RecoveryMode.STRICT ? 0 : bytes;
      return;
    }
    switch (mode) {
      case CPP_COMPAT -> note(offset, bytes, what);
      case POINT_IN_TIME -> end(offset, bytes, what);
      case TORN_WRITES, STRICT -> {
        if (!torn) {
          throw corrupt(what, offset);
        }
        end(offset, bytes, what);
      }
      default -> throw new AssertionError(mode);
    }
  }

  @Override
  public void gap(long offset, long bytes) {
    if (!hasEnded()) {
      gapBefore = true;
      gapAt = offset;
      gapBytes = bytes;
    }
  }

  /** Handles a record: what was dropped before it is not an interrupted write at the end. */
  void record() {
    damaged |= dropped > 0;
  }

  /**
   * Decides whether the gap reported before the record that starts with {@code sequence} is damage.
   * If the sequence numbers continue after it, the gap held no records: C++ LevelDB appended to a
   * log that ended in reserved zeros.
   */
  void checkGap(long sequence, long expected) {
    if (gapBefore) {
      gapBefore = false;
      if (sequence != expected) {
        corruption(gapAt, gapBytes, "records are missing in a region never written", true);
        damaged = true;
      }
    }
  }

  /** Handles an end of the log that is not the end of a record. Counts no byte a second time. */
  void tornEnd(long offset, long bytes) {
    long from = Math.max(offset, reportedTo);
    if (!hasEnded() && from < offset + bytes) {
      corruption(from, offset + bytes - from, "the log ends inside a record", true);
    }
  }

  /**
   * Handles a whole record at or after the point at which recovery has ended, or after bytes at the
   * end that are no record: counts it as dropped, or throws. A record that is the damage itself is
   * counted already.
   */
  void recordAfterEnd(long offset, long bytes) {
    if (mode == RecoveryMode.STRICT) {
      String what = reason.isEmpty() ? "a record is damaged" : reason;
      throw corrupt(what + "; whole records follow it", offset);
    }
    damaged = true;
    if (hasEnded() && offset != endedAt) {
      dropped += bytes;
    }
  }

  /**
   * Handles a later log that is not empty, after recovery has ended: throws if nothing may follow.
   */
  void laterLog(Path log) {
    if (mode == RecoveryMode.STRICT) {
      throw corrupt(reason + "; " + log.getFileName() + " follows it and is not empty", endedAt);
    }
  }

  private void note(long offset, long bytes, String what) {
    dropped += bytes;
    if (reason.isEmpty()) {
      reason = what + " (" + file + ", offset " + offset + ")";
    }
    String message =
        what + ": dropped " + bytes + " bytes (file " + file + ", offset " + offset + ")";
    events.damage(
        new DamageEvent(events.database(), DamageEvent.During.RECOVERY, file, offset, message));
  }

  /** Ends the recovery at an offset. */
  void end(long offset, long bytes, String what) {
    note(offset, bytes, what);
    endedAt = offset;
  }

  private CorruptionException corrupt(String what, long offset) {
    return new CorruptionException(
        "log: "
            + what
            + "; Options.recoveryMode says what to do with damage in a log: POINT_IN_TIME ends the"
            + " recovery here, CPP_COMPAT continues after it, TORN_WRITES and STRICT allow only"
            + " what loss of power explains",
        file,
        offset);
  }

  /** Returns true if recovery ends here: no later record or log is replayed. */
  boolean hasEnded() {
    return endedAt != NOT_ENDED;
  }

  /** Returns true if bytes were dropped that an interrupted write at the end does not explain. */
  boolean isDamaged() {
    return damaged;
  }

  long dropped() {
    return dropped;
  }

  String reason() {
    return reason;
  }
}
