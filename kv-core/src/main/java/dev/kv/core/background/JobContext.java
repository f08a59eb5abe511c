package dev.kv.core.background;

import dev.kv.bytes.Escape;
import dev.kv.core.compaction.RunningJobs;
import dev.kv.core.event.Events;
import dev.kv.core.logging.EngineLogger;
import dev.kv.core.manifest.VersionSet;
import dev.kv.core.memory.MemoryShortage;
import dev.kv.core.read.SnapshotList;
import dev.kv.core.state.CompactionStats;
import dev.kv.core.state.DatabaseContext;
import dev.kv.core.state.DatabaseFiles;
import dev.kv.core.state.MemTables;
import dev.kv.core.state.Monitor;
import dev.kv.core.state.ObsoleteFiles;
import dev.kv.core.state.TableOutputs;
import dev.kv.core.table.format.TableProperties;
import dev.kv.core.version.FileMetadata;
import dev.kv.core.version.Version;
import dev.kv.core.write.CommitPipeline;
import dev.kv.core.write.ErrorHandler;
import dev.kv.core.write.ExclusiveWriter;
import dev.kv.errors.DBException;
import java.util.List;
import java.util.function.Supplier;

/**
 * The parts of one open database that flushes and compactions use.
 *
 * @param running guarded by the monitor of the files
 */
public record JobContext(
    DatabaseFiles files,
    MemTables memTables,
    SnapshotList snapshots,
    CommitPipeline commits,
    RunningJobs running,
    CompactionStats stats) {
  /** The least number of tombstones of a table that is compacted for them. */
  private static final int MANY_TOMBSTONES = 4096;

  /** At least one entry in so many is a tombstone in such a table. */
  private static final int TOMBSTONE_SHARE = 4;

  /** The maximum number of tables that are opened once to find their tombstones. */
  private static final int MAX_OLD_TABLES = 128;

  private static final EngineLogger LOG = EngineLogger.of(JobContext.class);

  /** Returns the directory's name, for messages. */
  public String directory() {
    return Escape.text(context().directory().toString());
  }

  /** Returns the directory, options, memory and caches of the database. */
  public DatabaseContext context() {
    return files.context();
  }

  /** Returns the errors of the database. */
  public ErrorHandler errors() {
    return files.errors();
  }

  /** Returns the lock of the database's state. */
  public Monitor monitor() {
    return files.monitor();
  }

  /** Returns the versions of the tree. */
  public VersionSet versions() {
    return files.versions();
  }

  /** Returns what deletes obsolete files. */
  public ObsoleteFiles obsolete() {
    return files.obsolete();
  }

  /** Returns the events of the database. */
  public Events events() {
    return context().events();
  }

  /** Returns the outputs of a new job. Their files are not deleted until the job settles them. */
  public TableOutputs newOutputs() {
    return new TableOutputs(context(), obsolete()::newPendingNumber, obsolete()::settle);
  }

  /**
   * Runs a job up to its install. If it fails and its edit is certainly not logged, the tables that
   * it wrote are deleted, and the outcome says so.
   */
  JobOutcome run(TableOutputs outputs, Supplier<JobOutcome> job) {
    try {
      return job.get();
    } catch (Throwable e) {
      if (versions().isFailed() || e instanceof Error && !(e instanceof OutOfMemoryError)) {
        throw e;
      }
      try {
        abandon(outputs);
        return new JobOutcome.NothingLogged(e);
      } catch (OutOfMemoryError again) {
        return JobOutcome.OUT_OF_MEMORY;
      }
    }
  }

  /** Deletes the tables of work that was not installed. */
  public void abandon(TableOutputs outputs) {
    outputs.abandon();
    collectObsolete();
  }

  /** Deletes obsolete files. If memory is short, the maintenance thread does that later. */
  public void collectObsolete() {
    try {
      obsolete().collect();
    } catch (RuntimeException | OutOfMemoryError e) {
      if (!MemoryShortage.ofAnyKindIsCauseOf(e)) {
        throw e;
      }
      files.wakeups().versionFreed();
    }
  }

  /**
   * Returns those of the new tables that have many tombstones. Called before they are installed: a
   * compaction may delete them after that. They have been opened, so their properties are in
   * memory.
   */
  public List<FileMetadata> withManyTombstones(List<FileMetadata> tables) {
    return tables.stream().filter(this::hasManyTombstones).toList();
  }

  private boolean hasManyTombstones(FileMetadata table) {
    TableProperties properties = context().tables().properties(table);
    return properties != null
        && properties.tombstones() >= MANY_TOMBSTONES
        && properties.tombstones() >= properties.entries() / TOMBSTONE_SHARE;
  }

  /** Marks tables that have many tombstones, so that they are compacted. */
  public void markTombstones(List<FileMetadata> tables) {
    if (tables.isEmpty()) {
      return;
    }
    monitor().lock();
    try {
      tables.forEach(running::markTombstones);
    } finally {
      monitor().unlock();
    }
  }

  /**
   * Does the same for the tables of the current version, which were written before the open: the
   * uppermost ones, up to a limit, because each one must be opened. A table that cannot be opened
   * is skipped; the reads that need it report that.
   */
  void markOldTombstones() {
    Version version = versions().acquireCurrent();
    try {
      markTombstones(
          version.files().stream()
              .limit(MAX_OLD_TABLES)
              .takeWhile(table -> errors().allowsJobs())
              .filter(this::hasReadableTombstones)
              .toList());
    } finally {
      version.release();
    }
  }

  private boolean hasReadableTombstones(FileMetadata table) {
    try {
      return hasManyTombstones(table);
    } catch (DBException e) {
      LOG.debug("{}: table {} is not marked: {}", directory(), table.number(), e.toString());
      return false;
    }
  }

  /** Flushes what was written before, and returns when that is in tables. */
  public void flush() {
    try (ExclusiveWriter writer = commits.exclusive()) {
      writer.switchMemTable();
    }
    memTables.awaitFlushes();
  }

  /** Called after each install: wakes the threads that wait for it, and deletes obsolete files. */
  void installed() {
    commits.progress();
    collectObsolete();
    files.wakeups().compactionWanted();
  }
}
