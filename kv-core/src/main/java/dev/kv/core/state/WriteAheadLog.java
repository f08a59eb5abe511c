package dev.kv.core.state;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import dev.kv.core.env.CloseAll;
import dev.kv.core.env.UnneededFile;
import dev.kv.core.event.Events;
import dev.kv.core.log.LogWriter;
import dev.kv.core.logging.EngineLogger;
import dev.kv.core.manifest.VersionInstall;
import dev.kv.core.manifest.VersionSet;
import dev.kv.core.version.VersionEdit;
import dev.kv.core.write.ErrorHandler;
import dev.kv.errors.DBIOException;
import dev.kv.errors.OutcomeUnknownException;
import dev.kv.event.SyncEvent;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.LongAdder;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;

/**
 * The logs of an open database. A log passes through three stages: it is prepared ({@link
 * NewLogs}), receives records ({@code current}), and waits until its memtable is flushed ({@code
 * older}). Then it is closed, and only then may it be deleted, because Windows does not delete a
 * mapped file.
 *
 * <p>Invariants: 1. logs are used in the order of their numbers; 2. the directory entry of a log is
 * durable before its first record; 3. before the first sync in a log returns, all older logs are
 * synced.
 *
 * <p>Only the leader calls {@link #append} and the methods that say so. All other methods are
 * thread-safe.
 */
public final class WriteAheadLog implements AutoCloseable {
  private static final EngineLogger LOG = EngineLogger.of(WriteAheadLog.class);

  /** A log and its number. */
  public record NumberedLog(long number, LogWriter writer) {}

  /**
   * A place in the logs.
   *
   * @param end the offset in the log after the last record that is meant
   * @param lastSequence the sequence number of the last write before it
   */
  public record Position(LogWriter log, long end, long lastSequence) {}

  private final NewLogs newLogs;
  private final VersionSet versions;
  private final ObsoleteFiles obsolete;
  private final ErrorHandler errors;
  private final Runnable maintenanceWanted;
  private final @Nullable RetainedLogs kept;
  private final Events events;
  private final long slowSyncNanos;

  /**
   * Written by the leader with the monitor held, or by the open. Other threads read it with the
   * monitor held, with olderLock to sync it, or to reserve room in the log.
   */
  private volatile @Nullable NumberedLog current;

  /** The current log for which all older logs have been synced. Used only by the leader. */
  private @Nullable LogWriter olderSyncedFor;

  private final LongAdder syncs = new LongAdder();
  private final LongAdder syncNanos = new LongAdder();

  /** Held while older logs are synced, and while one is removed. */
  private final ReentrantLock olderLock = new ReentrantLock();

  @GuardedBy("olderLock")
  private final List<LogWriter> older = new ArrayList<>();

  /** Held while room is reserved ahead in the current log, and while another log is closed. */
  private final ReentrantLock reserving = new ReentrantLock();

  /**
   * Creates the object without a log.
   *
   * @param kept the logs that readers of changes need, or null if there are no such readers
   * @param maintenanceWanted called when {@link #reserveAhead} is due; must be quick, and must not
   *     throw
   */
  public WriteAheadLog(
      DatabaseContext context,
      VersionSet versions,
      ObsoleteFiles obsolete,
      ErrorHandler errors,
      @Nullable RetainedLogs kept,
      Runnable maintenanceWanted) {
    this.kept = kept;
    this.newLogs = new NewLogs(context, obsolete, errors);
    this.versions = versions;
    this.obsolete = obsolete;
    this.errors = errors;
    this.maintenanceWanted = maintenanceWanted;
    events = context.events();
    slowSyncNanos = context.options().monitoring().slowSync().toNanos();
  }

  /** Returns what creates the logs, and prepares the next one. */
  public NewLogs newLogs() {
    return newLogs;
  }

  /** Returns the current log, or null if no write has created it yet. */
  @Nullable NumberedLog current() {
    return current;
  }

  /** Makes {@code log} the current log, and takes ownership of it. */
  public void begin(NumberedLog log) {
    current = log;
  }

  /** Adds the current log, which is about to be replaced, to the older logs. */
  void addOlder(NumberedLog log) {
    olderLock.lock();
    try {
      older.add(log.writer());
    } finally {
      olderLock.unlock();
    }
  }

  /** Removes a log from the older logs, after its flush or if it was not replaced after all. */
  void removeOlder(NumberedLog log) {
    olderLock.lock();
    try {
      older.remove(log.writer());
    } finally {
      olderLock.unlock();
    }
  }

  /** Implements {@link dev.kv.core.write.CommitTarget#append}. */
  void append(ByteBuffer record, int length, boolean sync) throws IOException {
    NumberedLog log = current;
    if (log == null) {
      throw new AssertionError("there is no log");
    }
    LogWriter writer = log.writer();
    if (length > 0) {
      writer.append(record, 0, length);
    }
    if (sync) {
      sync(writer);
    }
    if (writer.needsReserve()) {
      maintenanceWanted.run();
    }
  }

  /** Implements {@link dev.kv.core.write.CommitTarget#committed}. */
  void committed(long lastSequence, boolean synced) {
    if (kept != null) {
      kept.progress().committed(lastSequence, synced);
    }
  }

  /** Returns how often the log was synced. */
  public long syncs() {
    return syncs.sum();
  }

  /** Returns the time that all syncs took. */
  public long syncMicros() {
    return TimeUnit.NANOSECONDS.toMicros(syncNanos.sum());
  }

  private void sync(LogWriter writer) throws IOException {
    Object begun = events.begin(Events.Kind.SYNC);
    long start = System.nanoTime();
    if (writer != olderSyncedFor) {
      syncOlder(null);
      olderSyncedFor = writer;
    }
    writer.sync();
    noteSync(begun, start);
  }

  /** Notes a sync that has succeeded, also if there is no memory to tell of it. */
  private void noteSync(@Nullable Object begun, long start) {
    long nanos = System.nanoTime() - start;
    try {
      syncs.increment();
      syncNanos.add(nanos);
      if (nanos >= slowSyncNanos || begun != null) {
        SyncEvent event = new SyncEvent(events.database(), TimeUnit.NANOSECONDS.toMicros(nanos));
        if (nanos >= slowSyncNanos) {
          events.post(event, begun);
        } else {
          events.record(event, begun);
        }
      }
    } catch (OutOfMemoryError e) {
      // The event is lost.
    }
  }

  /** Syncs the older logs, all or up to {@code last}; returns true if that is one of them. */
  private boolean syncOlder(@Nullable LogWriter last) throws IOException {
    olderLock.lock();
    try {
      for (int i = 0; i < older.size(); i++) { // without an iterator: records are in the log
        LogWriter each = older.get(i);
        each.sync();
        if (each == last) {
          return true;
        }
      }
      return false;
    } finally {
      olderLock.unlock();
    }
  }

  /**
   * Returns the end of the log, for {@link #syncTo}. Called by the leader.
   *
   * @param lastSequence the sequence number of the last write
   * @return the place, or null if there is no log, or it cannot be synced beside an append
   */
  public @Nullable Position position(long lastSequence) {
    NumberedLog log = current;
    return log != null && log.writer().canSyncAside()
        ? new Position(log.writer(), log.writer().length(), lastSequence)
        : null;
  }

  /**
   * Makes all writes before a place durable, while others write. A log whose memtable was flushed
   * meanwhile needs no sync, because its tables are durable.
   *
   * @throws OutcomeUnknownException if a sync fails; writes are refused from then on
   */
  public void syncTo(Position position) {
    Object begun = events.begin(Events.Kind.SYNC);
    long start = System.nanoTime();
    olderLock.lock(); // no log is closed meanwhile
    try {
      NumberedLog log = current;
      boolean isCurrent = log != null && log.writer() == position.log();
      if (isCurrent || older.contains(position.log())) {
        if (!syncOlder(position.log())) {
          position.log().syncTo(position.end());
        }
      }
    } catch (IOException e) {
      throw syncFailed(position.log(), e);
    } finally {
      olderLock.unlock();
    }
    noteSync(begun, start);
    if (kept != null) {
      kept.progress().synced(position.lastSequence());
    }
  }

  /**
   * Makes all writes durable. Called by the leader, or after the last write.
   *
   * @throws OutcomeUnknownException as for {@link #syncTo}
   */
  public void syncAll(long lastSequence) {
    NumberedLog log = current;
    if (log != null) {
      try {
        sync(log.writer());
      } catch (IOException e) {
        throw syncFailed(log.writer(), e);
      }
      committed(lastSequence, true);
    }
  }

  private OutcomeUnknownException syncFailed(LogWriter log, IOException cause) {
    errors.fail("the sync of a log", cause);
    return new OutcomeUnknownException(
        "cannot sync "
            + log.name()
            + ": it is unknown whether the last writes survive a loss of power: "
            + cause,
        cause);
  }

  /**
   * Returns the length of each live log, by file, oldest first. Called by the leader: the lengths
   * are those of whole records, and contain every write so far.
   */
  public Map<Path, Long> lengths() {
    Map<Path, Long> lengths = new LinkedHashMap<>();
    olderLock.lock();
    try {
      older.forEach(each -> lengths.put(each.name(), each.length()));
    } finally {
      olderLock.unlock();
    }
    NumberedLog log = current;
    if (log != null) {
      lengths.put(log.writer().name(), log.writer().length());
    }
    return lengths;
  }

  /**
   * Creates the first log after the open, makes it the oldest log that a recovery replays (see
   * {@link #logFirst}), and returns it; the caller owns it.
   *
   * @param publish publishes the version with that log
   * @throws IOException as for {@link NewLogs#create}
   * @throws DBIOException if the MANIFEST cannot be created, and nothing has changed; or if it
   *     cannot be written, and writes are refused
   */
  NumberedLog createFirst(Runnable publish) throws IOException {
    NumberedLog first = newLogs.create();
    try {
      logFirst(first, VersionEdit.builder(), publish);
    } catch (Throwable e) {
      if (versions.isFailed()) {
        try {
          errors.fail("the first write", e);
        } finally {
          retire(first);
        }
      } else {
        newLogs.discard(first);
      }
      throw e;
    }
    return first;
  }

  /**
   * Installs the edit that makes {@code first}, the first log after the open, the oldest log that a
   * recovery replays. Afterwards the recovered state is durable, and the files it replaces are
   * deleted. If this fails, the log must stay on disk, because the MANIFEST may name it.
   *
   * @param publish called once the edit is durable, before files are deleted; must not throw
   */
  public void logFirst(NumberedLog first, VersionEdit.Builder edit, Runnable publish) {
    VersionEdit complete = edit.logNumber(first.number()).previousLogNumber(0).build();
    versions.logAndApply(
        VersionInstall.of(
            complete,
            () -> {
              publish.run();
              obsolete.collectWithTemporary();
            }));
  }

  /**
   * Reserves room in the current log if it needs some. If this fails, the leader tries again when
   * it needs the room, and reports the failure.
   *
   * @return true unless there is no log or it cannot be extended
   */
  public boolean reserveAhead() {
    reserving.lock();
    try {
      NumberedLog log = current;
      if (log == null) {
        return false;
      }
      if (log.writer().needsReserve()) {
        log.writer().reserveAhead();
      }
      return true;
    } catch (IOException e) {
      return false;
    } finally {
      reserving.unlock();
    }
  }

  /**
   * Makes a log durable that will only be kept after the flush of its memtable, if logs are kept.
   * All older logs were made durable before. Called before that flush is installed, so that the
   * first collection after it counts the log.
   *
   * @param lastSequence the sequence number of the last write in the log
   */
  public void syncKept(NumberedLog log, long lastSequence) {
    if (kept == null) {
      return;
    }
    olderLock.lock();
    try {
      log.writer().sync();
    } catch (IOException e) {
      errors.fail("the sync of a log", e);
      throw new DBIOException("cannot sync " + log.writer().name() + ": " + e, e);
    } finally {
      olderLock.unlock();
    }
    kept.progress().synced(lastSequence);
    kept.ended(log.number(), log.writer().length());
  }

  /** Closes a log whose memtable has been flushed; the next collection may delete it. */
  public void retire(NumberedLog log) {
    removeOlder(log);
    reserving.lock();
    try {
      LogWriter writer = log.writer();
      // A kept log takes no more space than its records.
      UnneededFile.close(kept == null ? writer : writer::closeCleanly, writer.name(), LOG);
    } finally {
      reserving.unlock();
      obsolete.settle(log.number());
    }
  }

  /**
   * Closes all logs; those with records are truncated to their length. Called after the last write,
   * with no background thread left.
   *
   * @throws IOException the first failure, after all logs were closed
   */
  @Override
  public void close() throws IOException {
    try {
      closeUsed();
    } finally {
      newLogs.deletePrepared();
    }
  }

  /** Without a list of the logs, since a close may find no memory for one. */
  private void closeUsed() throws IOException {
    Throwable first = null;
    olderLock.lock();
    try {
      for (int i = 0; i < older.size(); i++) {
        first = closed(older.get(i), first);
      }
    } finally {
      olderLock.unlock();
    }
    NumberedLog last = current;
    CloseAll.throwOfFiles(last == null ? first : closed(last.writer(), first));
  }

  /** Closes a log, and returns the first failure, or null. */
  private static @Nullable Throwable closed(LogWriter log, @Nullable Throwable first) {
    try {
      log.closeCleanly();
      return first;
    } catch (Throwable e) { // also what an Env in another language may throw
      return CloseAll.first(first, e);
    }
  }
}
