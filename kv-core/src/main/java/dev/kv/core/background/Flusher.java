package dev.kv.core.background;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import dev.kv.core.compaction.FlushResult;
import dev.kv.core.compaction.RunningJobs;
import dev.kv.core.event.Events;
import dev.kv.core.key.KeyRange;
import dev.kv.core.logging.EngineLogger;
import dev.kv.core.manifest.VersionInstall;
import dev.kv.core.manifest.VersionSet;
import dev.kv.core.memory.Undo;
import dev.kv.core.state.MemTables;
import dev.kv.core.state.Monitor;
import dev.kv.core.state.TableOutputs;
import dev.kv.core.state.WriteAheadLog;
import dev.kv.core.version.FileMetadata;
import dev.kv.core.version.Version;
import dev.kv.core.version.VersionEdit;
import dev.kv.event.FlushEvent;
import java.util.List;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * Flushes immutable memtables to tables, the oldest first. A flush runs without a lock and is
 * installed by the version set. Used by the flush thread.
 */
public final class Flusher implements BackgroundWorker.Work {
  private static final EngineLogger LOG = EngineLogger.of(Flusher.class);

  private final JobContext jobs;
  private final Monitor monitor;
  private final VersionSet versions;
  private final MemTables memTables;
  private final WriteAheadLog logs;

  @GuardedBy("monitor")
  private final RunningJobs running;

  /**
   * True if the tables from before the open were searched for tombstones. The first flush does
   * that, so that an open without writes reads nothing.
   */
  private boolean markedOld;

  /** The log of the last flush, until it is retired. */
  private WriteAheadLog.@Nullable NumberedLog flushed;

  /** Creates the work of the flush thread. */
  public Flusher(JobContext jobs) {
    this.jobs = jobs;
    this.monitor = jobs.monitor();
    this.versions = jobs.versions();
    this.memTables = jobs.memTables();
    this.logs = jobs.files().logs();
    this.running = jobs.running();
  }

  @Override
  public BackgroundWorker.@Nullable Job next() {
    finishLast();
    MemTables.Immutable oldest = memTables.oldestImmutable();
    return oldest == null || !jobs.errors().allowsJobs() ? null : new Flush(oldest);
  }

  /** The flush of one memtable. What it needs to begin is created before it begins. */
  private final class Flush implements BackgroundWorker.Job, Supplier<JobOutcome> {
    private final MemTables.Immutable oldest;
    private final TableOutputs outputs = jobs.newOutputs();
    private @Nullable Object begun;
    private @Nullable Install installed;

    Flush(MemTables.Immutable oldest) {
      this.oldest = oldest;
    }

    @Override
    public JobOutcome run() {
      return jobs.run(outputs, this);
    }

    @Override
    public JobOutcome get() {
      begun = jobs.events().begin(Events.Kind.FLUSH);
      FlushResult result = outputs.flush(oldest.memtable());
      logs.syncKept(oldest.log(), result.lastSequence());
      installed = install(oldest, result, outputs);
      return JobOutcome.Ended.DONE;
    }

    @Override
    public void end(@Nullable JobOutcome outcome) {
      Install change = installed;
      if (change == null) {
        return;
      }
      try {
        post(change, begun);
      } catch (OutOfMemoryError e) {
        LOG.debug("{}: the event of a flush is lost: {}", jobs.directory(), e.toString());
      } finally {
        flushed = oldest.log();
        finishLast();
      }
      if (!markedOld) {
        markOld();
      }
    }
  }

  /** Does what follows an install. If memory is short, throws, and does it at the next call. */
  private void finishLast() {
    WriteAheadLog.NumberedLog log = flushed;
    if (log != null) {
      logs.retire(log);
      memTables.flushEnded();
      jobs.installed();
      flushed = null;
    }
  }

  /** Marks the tables from before the open. If memory is short, the next flush tries again. */
  private void markOld() {
    try {
      jobs.markOldTombstones();
      markedOld = true;
    } catch (OutOfMemoryError e) {
      LOG.debug("{}: old tables are not marked yet: {}", jobs.directory(), e.toString());
    }
    jobs.files().wakeups().compactionWanted();
  }

  private Install install(MemTables.Immutable flushed, FlushResult result, TableOutputs outputs) {
    Install change = new Install(flushed, result, outputs);
    try (Undo undo = new Undo(change::vacate)) {
      versions.logAndApply(change);
      undo.cancel();
    }
    return change;
  }

  private void post(Install change, @Nullable Object begun) {
    FlushResult result = change.result;
    FileMetadata table = result.table();
    if (table != null) {
      Events events = jobs.events();
      events.post(
          new FlushEvent(
              events.database(),
              table.number(),
              change.level,
              table.size(),
              result.stats().entriesWritten(),
              result.stats().micros()),
          begun);
    }
  }

  /**
   * Returns the level for a new table. Called with {@code version} current and until the install,
   * so that nothing older can be placed above it. In a reserved range it is level 0. If it is not
   * 0, the caller notes it as {@linkplain RunningJobs#occupy occupied} until then.
   */
  private static int pickLevel(
      Version version, KeyRange keys, RunningJobs running, long maxFileSize) {
    if (running.isReserved(keys)) {
      return 0;
    }
    return version.pickLevelForMemtableOutput(keys, running::occupied, maxFileSize);
  }

  /** The version install that adds the table to its level and removes the memtable. */
  private final class Install implements VersionInstall {
    private final MemTables.Immutable flushed;
    private final FlushResult result;
    private final TableOutputs outputs;
    private final List<FileMetadata> marked;
    private int level;

    @GuardedBy("monitor")
    private @Nullable KeyRange occupied;

    Install(MemTables.Immutable flushed, FlushResult result, TableOutputs outputs) {
      this.flushed = flushed;
      this.result = result;
      this.outputs = outputs;
      FileMetadata table = result.table();
      this.marked = table == null ? List.of() : jobs.withManyTombstones(List.of(table));
    }

    @Override
    public VersionEdit prepare(Version current) {
      // The next log goes on after this number. A larger one would hide the loss of a log.
      long lastSequence = Math.max(result.lastSequence(), flushed.lastTaken());
      VersionEdit.Builder edit = VersionEdit.builder().lastSequence(lastSequence);
      monitor.lock();
      try {
        edit.logNumber(memTables.oldestLogWithout(flushed)).previousLogNumber(0);
        FileMetadata table = result.table();
        if (table != null) {
          KeyRange keys = table.userKeys();
          level = pickLevel(current, keys, running, jobs.context().options().maxFileSize());
          if (level > 0) {
            running.occupy(level, keys);
            occupied = keys;
          }
          edit.addFile(level, table);
        }
        return edit.build();
      } finally {
        monitor.unlock();
      }
    }

    @Override
    public void install(Version next) {
      outputs.settle(); // before anybody knows the table: the version keeps it now
      monitor.lock();
      try {
        vacate();
        jobs.stats().add(level, result.stats());
        jobs.markTombstones(marked); // before the flush ends for those that wait for it
        memTables.removeFlushed(flushed);
      } finally {
        monitor.unlock();
      }
    }

    void vacate() {
      monitor.lock();
      try {
        KeyRange range = occupied;
        occupied = null;
        if (range != null) {
          running.vacate(level, range);
        }
      } finally {
        monitor.unlock();
      }
    }
  }
}
