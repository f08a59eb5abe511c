package dev.kv.core.feed;

import dev.kv.change.ChangeFeed;
import dev.kv.change.ChangeOptions;
import dev.kv.change.ChangePosition;
import dev.kv.change.Changes;
import dev.kv.core.env.CloseAll;
import dev.kv.core.env.FileNames;
import dev.kv.core.log.LogReader;
import dev.kv.core.log.RecordBuffer;
import dev.kv.core.state.DatabaseFiles;
import dev.kv.core.state.RetainedLogs;
import dev.kv.core.write.ErrorHandler;
import dev.kv.env.Env;
import dev.kv.errors.DBIOException;
import java.io.IOException;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.List;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import org.jspecify.annotations.Nullable;

/**
 * The change feed of a database that is open for writing: opens the readers of its changes, and
 * closes them with it. Thread-safe.
 */
public final class LogFeed implements ChangeFeed, AutoCloseable {
  /** The result of {@link #firstIn} for a log without records. */
  private static final long NONE = -1;

  private final Env env;
  private final Path directory;
  private final @Nullable RetainedLogs retained;
  private final ErrorHandler errors;
  private final Set<ChangesImpl> readers = ConcurrentHashMap.newKeySet();

  /** Creates the feed of a database; if it retains logs, its incarnation has begun. */
  public LogFeed(DatabaseFiles files) {
    this.env = files.context().env();
    this.directory = files.context().directory();
    this.retained = files.retained();
    this.errors = files.errors();
    if (retained != null) {
      errors.onChange(retained.progress()::wake);
    }
  }

  @Override
  public Changes open(ChangeOptions options, ChangePosition after) {
    Objects.requireNonNull(options, "options");
    Objects.requireNonNull(after, "after");
    RetainedLogs kept = kept();
    kept.check(after);
    try {
      LogCursor cursor = new LogCursor(env, directory, kept, logOf(kept, after));
      ChangesImpl changes =
          new ChangesImpl(kept, errors, cursor, !options.unsynced(), after, readers::remove);
      readers.add(changes);
      return changes;
    } catch (IOException e) {
      throw new DBIOException("cannot read the logs in " + directory + ": " + e, e);
    }
  }

  @Override
  public ChangePosition position() {
    RetainedLogs kept = kept();
    return kept.position(kept.progress().last(true));
  }

  @Override
  public ChangePosition oldestPosition() {
    RetainedLogs kept = kept();
    long last = kept.progress().last(false);
    try {
      for (long log : kept.numbers()) {
        long first = firstIn(kept, log);
        if (first != NONE && first <= last) {
          return kept.position(first - 1);
        }
      }
    } catch (IOException e) {
      throw new DBIOException("cannot read the logs in " + directory + ": " + e, e);
    }
    return kept.position(last);
  }

  private RetainedLogs kept() {
    errors.checkNotClosing();
    RetainedLogs kept = retained;
    if (kept == null) {
      throw new IllegalStateException(
          "changes can be read only if the database was opened with Options.logRetention");
    }
    return kept;
  }

  /** Returns the number of the log that has the first write after a position, or will have it. */
  private long logOf(RetainedLogs kept, ChangePosition after) throws IOException {
    long last = kept.progress().last(false); // first: the logs have these writes when they are read
    List<Long> numbers = kept.numbers();
    long oldestFirst = NONE;
    for (int i = numbers.size() - 1; i >= 0; i--) {
      long first = firstIn(kept, numbers.get(i));
      if (first != NONE && first <= after.sequence() + 1) {
        return numbers.get(i);
      }
      oldestFirst = first == NONE ? oldestFirst : first;
    }
    if (oldestFirst != NONE && oldestFirst <= last) {
      throw kept.lost(
          after, "the oldest change in the logs has the sequence number " + oldestFirst);
    }
    if (after.sequence() < last) {
      throw kept.lost(after, "the logs with the changes have been deleted");
    }
    return numbers.isEmpty() ? kept.oldest() : numbers.get(0);
  }

  /**
   * Returns the number of the first write in a log, or {@link #NONE} if it has none that counts.
   */
  private long firstIn(RetainedLogs kept, long log) throws IOException {
    Path file = FileNames.log(directory, log);
    RecordBuffer record = new RecordBuffer();
    try (LogReader reader = new LogReader(env, file, LogReader.Reporter.IGNORED)) {
      if (!reader.readRecord(record) || record.length() < Long.BYTES) {
        return NONE;
      }
      long first = record.buffer().getLong(0);
      return first > kept.lastIn(log) ? NONE : first;
    } catch (NoSuchFileException e) {
      return NONE; // the retention has deleted it meanwhile
    }
  }

  /**
   * Closes all readers. Called when the close has begun.
   *
   * @throws DBIOException if a log cannot be closed, after all readers are closed
   */
  @Override
  public void close() {
    CloseAll.of(List.copyOf(readers));
  }
}
