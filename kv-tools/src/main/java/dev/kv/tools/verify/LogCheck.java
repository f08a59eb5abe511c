package dev.kv.tools.verify;

import dev.kv.core.inspect.BatchRecord;
import dev.kv.core.inspect.RecordReader;
import dev.kv.env.Env;
import java.io.IOException;
import java.nio.file.Path;

/**
 * The check of one log: every checksum, every batch, and that sequence numbers ascend. A write that
 * a crash cut off at the end of the log is not damage.
 */
final class LogCheck {
  private final String name;
  private final Finding.Sink findings;
  private long tornAt = -1;
  private long gapAt = -1;
  private long damagedAt = -1;
  private long reportedAt = -1;
  private long firstSequence = -1;
  private long nextSequence;
  private long batches;

  /** Creates the check of one log, which findings call {@code name}. */
  LogCheck(String name, Finding.Sink findings) {
    this.name = name;
    this.findings = findings;
  }

  /** Checks the file. */
  void run(Env env, Path file) throws IOException {
    try (RecordReader records = new RecordReader(env, file, new Reporter())) {
      while (records.next()) {
        batches++;
        checkBatch(records.batch(), records.offset());
      }
      if (records.end() == RecordReader.End.TORN) {
        checkTornEnd(env, file, records);
      }
    }
  }

  private void checkTornEnd(Env env, Path file, RecordReader records) throws IOException {
    long end = records.endOfLastRecord();
    if (damagedAt >= end) {
      return; // the bytes are reported as damage, so they are no torn write
    }
    long next = RecordReader.nextBatch(env, file, end, nextSequence);
    if (next >= 0) {
      damage(next, Finding.afterTornWrite(end));
    } else if (reportedAt < end) {
      findings.found(
          Finding.note(
              name,
              end,
              "ends in a write of "
                  + records.bytesAfterLastRecord()
                  + " bytes that a crash cut off"));
    }
  }

  /** Reports what the reader skips. */
  private final class Reporter implements RecordReader.Damage {
    @Override
    public void skipped(long offset, long bytes, String reason, boolean torn) {
      reportedAt = offset;
      String text = reason + ", " + bytes + " bytes";
      if (torn) {
        tornAt = tornAt < 0 ? offset : tornAt;
        findings.found(Finding.note(name, offset, text + ", as a crash can leave them"));
      } else {
        damagedAt = offset;
        damage(offset, text);
      }
    }

    @Override
    public void gap(long offset, long bytes) {
      gapAt = gapAt < 0 ? offset : gapAt;
      findings.found(Finding.note(name, offset, bytes + " bytes were never written"));
    }
  }

  private void checkBatch(BatchRecord batch, long offset) {
    if (tornAt >= 0) {
      damage(offset, Finding.afterTornWrite(tornAt));
      tornAt = -1;
    }
    if (!batch.hasHeader()) {
      damage(offset, "a record of " + batch.length() + " bytes is too short to be a batch");
      return;
    }
    long sequence = batch.sequence();
    if (gapAt >= 0 && nextSequence > 0 && sequence > nextSequence) {
      damage(offset, Finding.afterTornWrite(gapAt));
    }
    gapAt = -1;
    long promised = batch.count();
    int found = 0;
    String broken = null;
    try {
      while (batch.next()) {
        found++;
      }
      if (found != promised) {
        broken = "a batch has " + found + " operations, but its header says " + promised;
      }
    } catch (IllegalArgumentException e) {
      broken = "batch: " + e.getMessage();
    }
    broken = broken == null ? Finding.beyondGreatestNumber(sequence, found) : broken;
    if (broken != null) {
      damage(offset, broken);
      return; // an open takes none of it, so the next batch follows the one before
    }
    boolean repeatsNumber = promised == 0 && sequence == nextSequence - 1; // of a bulk load
    if (sequence < nextSequence && !repeatsNumber) {
      damage(
          offset,
          "sequence number "
              + Long.toUnsignedString(sequence)
              + " follows "
              + Long.toUnsignedString(nextSequence - 1));
    }
    firstSequence = firstSequence < 0 ? sequence : firstSequence;
    nextSequence = repeatsNumber ? nextSequence : sequence + found;
  }

  private void damage(long offset, String text) {
    findings.found(Finding.damage(name, offset, text));
  }

  /** Returns the number of batches read. */
  long batches() {
    return batches;
  }

  /** Returns the sequence number of the first operation, or -1 if there is none. */
  long firstSequence() {
    return firstSequence;
  }

  /** Returns the sequence number of the last operation, or -1 if there is none. */
  long lastSequence() {
    return nextSequence - 1;
  }
}
