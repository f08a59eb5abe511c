package dev.kv.core.feed;

import dev.kv.core.env.FileNames;
import dev.kv.core.log.LogReader;
import dev.kv.core.log.RecordBuffer;
import dev.kv.core.state.RetainedLogs;
import dev.kv.env.Env;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import org.jspecify.annotations.Nullable;

/**
 * Reads the records of kept and live logs, one log after the other. A log may be written at the
 * same time: a record counts as whole only if its writes are known to be complete, and a block that
 * was read before that is read again. For one thread.
 */
final class LogCursor implements AutoCloseable {
  private final Env env;
  private final Path directory;
  private final RetainedLogs kept;
  private final RecordBuffer record = new RecordBuffer();
  private final ByteBuffer block = LogReader.newBlock();

  // The place: the next record begins at offset of log, or in a later log.
  private long log;
  private long offset;

  private @Nullable LogReader reader;

  /** The reader has not read a block before the write with this number was complete. */
  private long readable;

  private String damage = "";

  /** Creates a cursor before the first record of {@code log}. */
  LogCursor(Env env, Path directory, RetainedLogs kept, long log) {
    this.env = env;
    this.directory = directory;
    this.kept = kept;
    this.log = log;
  }

  /**
   * Moves to the next record.
   *
   * @param wanted the number of a write in that record
   * @param complete the number of the last write that is complete, at least {@code wanted}
   * @return false if there is no further record in any log
   */
  boolean next(long wanted, long complete) throws IOException {
    damage = "";
    if (wanted > readable) {
      close();
      readable = complete;
    }
    while (true) {
      if (reader == null && !open()) {
        return false;
      }
      LogReader now = reader;
      if (now != null && read(now)) {
        offset = now.endOfLastRecord();
        return true;
      }
      if (!skipLog()) {
        return false;
      }
    }
  }

  /** Reads a record. A reader that fails has lost its place, and the next move opens another. */
  private boolean read(LogReader now) throws IOException {
    try {
      return now.readRecord(record);
    } catch (Throwable e) { // an Env in another language may throw a checked exception
      reader = null;
      try (now) {
        throw e;
      }
    }
  }

  /** Opens the log at the offset, or the next log if this one was deleted. */
  private boolean open() throws IOException {
    while (true) {
      Path file = FileNames.log(directory, log);
      try {
        reader = new LogReader(env, file, this::damaged, offset, block);
        return true;
      } catch (NoSuchFileException e) {
        if (!skipLog()) {
          return false;
        }
      }
    }
  }

  /** Moves to the beginning of the next log; returns false if there is none. */
  boolean skipLog() throws IOException {
    for (long number : kept.numbers()) {
      if (number > log) {
        close();
        log = number;
        offset = 0;
        return true;
      }
    }
    return false;
  }

  private void damaged(long at, long bytes, String reason, boolean torn) {
    if (damage.isEmpty()) {
      damage = "; " + FileNames.log(directory, log) + " has at " + at + ": " + reason;
    }
  }

  /** Returns the record, valid until the next move. */
  RecordBuffer record() {
    return record;
  }

  /** Returns the number of the log of the record. */
  long log() {
    return log;
  }

  /** Returns what was skipped before the record, for a message; empty if nothing was damaged. */
  String damage() {
    return damage;
  }

  /** Goes back to the beginning of the record, for a move after the next {@link #close}. */
  void back() {
    LogReader now = reader;
    if (now != null) {
      offset = now.lastRecordOffset();
    }
  }

  /** Closes the file until the next move. */
  @Override
  public void close() throws IOException {
    LogReader now = reader;
    reader = null;
    if (now != null) {
      now.close();
    }
  }
}
