package dev.kv.core.feed;

import dev.kv.change.ChangeGroup;
import dev.kv.change.ChangePosition;
import dev.kv.change.Changes;
import dev.kv.core.batch.BatchCursor;
import dev.kv.core.batch.EncodedBatch;
import dev.kv.core.log.RecordBuffer;
import dev.kv.core.state.RetainedLogs;
import dev.kv.core.write.CommitProgress;
import dev.kv.core.write.ErrorHandler;
import dev.kv.errors.DBIOException;
import java.io.IOException;
import java.time.Duration;
import java.util.Objects;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * A reader of changes. It knows the number that the next write must have, and takes a record as the
 * next group only if it begins with this number. Records with lower numbers are skipped. Any other
 * record, or none although the write is complete, means that changes are lost.
 *
 * <p>A record that a recovery did not bring back, because the log was torn before it, is still in
 * the log. Its number is higher than the last one of its log that counts, and the rest of the log
 * is skipped.
 */
final class ChangesImpl implements Changes {
  private final RetainedLogs kept;
  private final CommitProgress progress;
  private final ErrorHandler errors;
  private final boolean durableOnly;
  private final Consumer<ChangesImpl> whenClosed;
  private final BatchCursor operations = new BatchCursor();

  /** Held during a read, but not while a thread waits. */
  private final ReentrantLock using = new ReentrantLock();

  // Guarded by using.
  private final LogCursor cursor;
  private volatile ChangePosition position;

  private volatile boolean closed;

  ChangesImpl(
      RetainedLogs kept,
      ErrorHandler errors,
      LogCursor cursor,
      boolean durableOnly,
      ChangePosition position,
      Consumer<ChangesImpl> whenClosed) {
    this.kept = kept;
    this.progress = kept.progress();
    this.errors = errors;
    this.cursor = cursor;
    this.durableOnly = durableOnly;
    this.position = position;
    this.whenClosed = whenClosed;
  }

  @Override
  public @Nullable ChangeGroup poll() {
    boolean failed =
        errors.isFailedPermanently(); // before the search: what was written first comes first
    using.lock();
    try {
      errors.checkNotClosing();
      if (closed) {
        throw new IllegalStateException("this reader of changes has been closed");
      }
      long complete = progress.last(durableOnly);
      if (position.sequence() < complete) {
        return read(complete);
      }
      cursor.close();
    } catch (IOException e) {
      throw new DBIOException("cannot read the changes after " + position + ": " + e, e);
    } finally {
      using.unlock();
    }
    if (failed) {
      errors.check();
    }
    return null;
  }

  @Override
  public @Nullable ChangeGroup poll(Duration timeout) throws InterruptedException {
    Objects.requireNonNull(timeout, "timeout");
    long left = TimeUnit.NANOSECONDS.convert(timeout); // at most Long.MAX_VALUE
    while (true) {
      ChangeGroup group = poll();
      if (group != null || left <= 0) {
        return group;
      }
      left = progress.await(durableOnly, position.sequence(), left, this::hasEnded);
    }
  }

  @Override
  public ChangeGroup take() throws InterruptedException {
    while (true) {
      ChangeGroup group = poll(Duration.ofNanos(Long.MAX_VALUE));
      if (group != null) {
        return group;
      }
    }
  }

  private boolean hasEnded() {
    return closed || errors.isClosing() || errors.isFailedPermanently();
  }

  /** Returns the next group, whose last write is at most {@code complete}. */
  private ChangeGroup read(long complete) throws IOException {
    long wanted = position.sequence() + 1;
    while (cursor.next(wanted, complete)) {
      RecordBuffer record = cursor.record();
      int count = operations.countOperations(record.buffer(), record.length());
      if (count < 0 || record.buffer().getLong(0) < 0) {
        throw lost("log " + cursor.log() + " has a record that is no batch");
      }
      long first = record.buffer().getLong(0);
      long last = first + count - 1;
      if (last > kept.lastIn(cursor.log())) {
        if (!cursor.skipLog()) {
          break;
        }
      } else if (first > wanted || (first == wanted && count == 0)) {
        throw lost("the next change in the logs has the sequence number " + first);
      } else if (last >= wanted) {
        try {
          return group(first, last, record);
        } catch (Throwable e) { // the next call finds the group again
          try (cursor) {
            cursor.back();
            throw e;
          }
        }
      }
    }
    throw lost("no log has the write " + wanted + ", although it was committed");
  }

  private ChangeGroup group(long first, long last, RecordBuffer record) {
    if (first <= position.sequence()) {
      throw new IllegalArgumentException(
          "the position "
              + position
              + " lies inside a group of writes, "
              + first
              + " to "
              + last
              + ": positions are those of groups, of checkpoints, and of ChangeFeed.position()");
    }
    ChangePosition after = kept.position(last);
    ChangeGroup group =
        new ChangeGroupImpl(after, EncodedBatch.ofRecord(record.buffer(), record.length()));
    position = after;
    return group;
  }

  private RuntimeException lost(String reason) {
    return kept.lost(
        position,
        reason
            + cursor.damage()
            + "; the retention may have deleted logs, or another program wrote to the database");
  }

  @Override
  public ChangePosition position() {
    return position;
  }

  @Override
  public void close() {
    closed = true;
    progress.wake();
    using.lock();
    try {
      cursor.close();
    } catch (IOException e) {
      throw new DBIOException("cannot close a log: " + e, e);
    } finally {
      using.unlock();
      whenClosed.accept(this);
    }
  }

  @Override
  public String toString() {
    return "Changes[" + position + (closed ? ", closed]" : "]");
  }
}
