package dev.kv.tools.verify;

import dev.kv.core.batch.BatchCursor;
import dev.kv.core.batch.EncodedBatch;
import dev.kv.core.batch.MalformedBatchException;
import dev.kv.core.log.LogEnd;
import dev.kv.core.log.LogReader;
import dev.kv.core.log.RecordBuffer;
import dev.kv.env.Env;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Path;

/**
 * The check of one log: every checksum, every batch, and that sequence numbers ascend. A write that
 * a crash cut off at the end of the log is not damage.
 */
final class LogCheck {
  private final String name;
  private final Finding.Sink findings;
  private final BatchCursor operations = new BatchCursor();
  private long tornAt = -1;
  private long reportedAt = -1;
  private long firstSequence = -1;
  private long nextSequence;
  private long batches;
  private long count;

  /** Creates the check of one log, which findings call {@code name}. */
  LogCheck(String name, Finding.Sink findings) {
    this.name = name;
    this.findings = findings;
  }

  /** Checks the file. */
  void run(Env env, Path file) throws IOException {
    try (LogReader records =
        new LogReader(file.toString(), env.openSequential(file), new Reporter(), true)) {
      RecordBuffer record = new RecordBuffer();
      while (records.readRecord(record)) {
        batches++;
        checkBatch(record.buffer(), record.length(), records.lastRecordOffset());
      }
      if (records.end() == LogEnd.TORN && reportedAt < records.endOfLastRecord()) {
        findings.found(
            Finding.note(
                name,
                records.endOfLastRecord(),
                "ends in a write of "
                    + records.bytesAfterLastRecord()
                    + " bytes that a crash cut off"));
      }
    }
  }

  /** Reports what the reader skips. */
  private final class Reporter implements LogReader.Reporter {
    @Override
    public void corruption(long offset, long bytes, String reason, boolean torn) {
      reportedAt = offset;
      String text = reason + ", " + bytes + " bytes";
      if (torn) {
        tornAt = tornAt < 0 ? offset : tornAt;
        findings.found(Finding.note(name, offset, text + ", as a crash can leave them"));
      } else {
        damage(offset, text);
      }
    }

    @Override
    public void gap(long offset, long bytes) {
      findings.found(Finding.note(name, offset, bytes + " bytes were never written"));
    }
  }

  private void checkBatch(ByteBuffer record, int length, long offset) {
    if (tornAt >= 0) {
      damage(offset, Finding.afterTornWrite(tornAt));
      tornAt = -1;
    }
    if (length < EncodedBatch.HEADER) {
      damage(offset, "a record of " + length + " bytes is too short to be a batch");
      return;
    }
    long sequence = record.getLong(0);
    int promised = record.getInt(Long.BYTES);
    int found = 0;
    operations.start(record, EncodedBatch.HEADER, length - EncodedBatch.HEADER);
    try {
      while (operations.next()) {
        found++;
      }
    } catch (MalformedBatchException e) {
      damage(offset, "batch: " + e.getMessage());
    }
    if (found != promised) {
      damage(
          offset,
          "a batch has "
              + found
              + " operations, but its header says "
              + Integer.toUnsignedString(promised));
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
    count += found;
  }

  private void damage(long offset, String text) {
    findings.found(Finding.damage(name, offset, text));
  }

  /** Returns the number of batches read. */
  long batches() {
    return batches;
  }

  /** Returns the number of operations in the batches. */
  long operations() {
    return count;
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
