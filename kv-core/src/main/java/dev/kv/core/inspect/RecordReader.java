package dev.kv.core.inspect;

import dev.kv.core.log.LogReader;
import dev.kv.core.log.LogTail;
import dev.kv.core.log.RecordBuffer;
import dev.kv.core.version.VersionEditCodec;
import dev.kv.env.Env;
import java.io.IOException;
import java.nio.file.Path;
import org.jspecify.annotations.Nullable;

/**
 * Reads the records of a log or MANIFEST. It verifies the checksums, reports what it has to skip,
 * and returns every whole record. For one thread.
 */
public final class RecordReader implements AutoCloseable {
  private final LogReader records;
  private final RecordBuffer record = new RecordBuffer();

  /** Receives reports of skipped bytes, before the record after them. An exception ends a read. */
  @FunctionalInterface
  public interface Damage {
    /**
     * Bytes were skipped.
     *
     * @param offset the offset in the file at which they begin
     * @param bytes their number, as far as it is known
     * @param reason what is wrong with them
     * @param torn true if loss of power can explain them
     */
    void skipped(long offset, long bytes, String reason, boolean torn);

    /** A region without a header was skipped, which counts as torn. */
    default void gap(long offset, long bytes) {
      skipped(offset, bytes, "region never written", true);
    }
  }

  /** How a log ends. */
  public enum End {
    /** At the end of a record, or empty. */
    RECORD,
    /** With zeros that were never overwritten. */
    ZEROS,
    /** Inside a record, or with bytes that are not a record. */
    TORN
  }

  /** Opens a file; reports go to {@code damage}. */
  public RecordReader(Env env, Path file, Damage damage) throws IOException {
    LogReader.Reporter reporter =
        new LogReader.Reporter() {
          @Override
          public void corruption(long offset, long bytes, String reason, boolean torn) {
            damage.skipped(offset, bytes, reason, torn);
          }

          @Override
          public void gap(long offset, long bytes) {
            damage.gap(offset, bytes);
          }
        };
    records = new LogReader(env, file, reporter);
  }

  /**
   * Returns the offset of a batch after the bytes that begin at {@code endOfLastRecord} and are not
   * a record, or -1 if none is found.
   *
   * @param sequence the sequence number that it has at least; 0 if that is unknown
   */
  public static long nextBatch(Env env, Path file, long endOfLastRecord, long sequence)
      throws IOException {
    return LogTail.nextBatch(env, file, endOfLastRecord, sequence);
  }

  /**
   * Returns why the bytes at the end of a MANIFEST, which begin at {@code endOfLastRecord} and are
   * not a record, are damaged. Returns null if an interrupted write explains them, or a writer has
   * finished the record in the meantime.
   */
  public static @Nullable String damageAtEnd(Env env, Path manifest, long endOfLastRecord)
      throws IOException {
    String damage = LogTail.damage(env, manifest, endOfLastRecord);
    if (damage == null) {
      return null;
    }
    try (RecordReader again =
        new RecordReader(env, manifest, (offset, bytes, reason, torn) -> {})) {
      while (again.next()) {
        continue;
      }
      return again.endOfLastRecord() == endOfLastRecord ? damage : null;
    }
  }

  /** Reads the next record; returns false at the end of the file. */
  public boolean next() throws IOException {
    return records.readRecord(record);
  }

  /** Returns the offset at which the record begins. */
  public long offset() {
    return records.lastRecordOffset();
  }

  /** Returns the length of the record. */
  public int length() {
    return record.length();
  }

  /** Returns the record of a log as a batch. */
  public BatchRecord batch() {
    return new BatchRecord(record.buffer(), record.length());
  }

  /**
   * Returns the record of a MANIFEST as an edit.
   *
   * @throws dev.kv.errors.CorruptionException if it is not one
   * @throws dev.kv.errors.UnsupportedFormatException if it is one of another format
   */
  public ManifestEdit edit() {
    return ManifestEdit.of(
        VersionEditCodec.decode(
            record.buffer(), record.length(), records.fileName(), records.lastRecordOffset()));
  }

  /** Returns how the file ends, once {@link #next} has returned false. */
  public End end() {
    return End.valueOf(records.end().name());
  }

  /** Returns the offset after the last record read. */
  public long endOfLastRecord() {
    return records.endOfLastRecord();
  }

  /** Returns the bytes after the last record, without the zeros at the end, once it is read. */
  public long bytesAfterLastRecord() {
    return records.bytesAfterLastRecord();
  }

  @Override
  public void close() throws IOException {
    records.close();
  }
}
