package dev.kv.core.db;

import static java.util.Objects.requireNonNull;

import dev.kv.DB;
import dev.kv.Options;
import dev.kv.ReadOnlyDB;
import dev.kv.admin.DBStats;
import dev.kv.core.background.BackgroundThreads;
import dev.kv.core.background.Compactor;
import dev.kv.core.background.Flusher;
import dev.kv.core.background.JobContext;
import dev.kv.core.background.MaintenanceTask;
import dev.kv.core.change.VersionMutator;
import dev.kv.core.checkpoint.FileCapture;
import dev.kv.core.compaction.RunningJobs;
import dev.kv.core.env.FileName;
import dev.kv.core.env.FileNames;
import dev.kv.core.event.Events;
import dev.kv.core.feed.LogFeed;
import dev.kv.core.iterator.TombstoneSkipIndex;
import dev.kv.core.key.UserKeyComparator;
import dev.kv.core.load.Loads;
import dev.kv.core.log.LogWriter;
import dev.kv.core.logging.EngineLogger;
import dev.kv.core.manifest.NewDatabase;
import dev.kv.core.manifest.VersionSet;
import dev.kv.core.memtable.MemTable;
import dev.kv.core.read.DatabaseReader;
import dev.kv.core.read.ReadStates;
import dev.kv.core.read.SnapshotList;
import dev.kv.core.recovery.DirectoryCheck;
import dev.kv.core.recovery.LogRecovery;
import dev.kv.core.recovery.LostFiles;
import dev.kv.core.recovery.RecoveredTables;
import dev.kv.core.state.CompactionStats;
import dev.kv.core.state.DatabaseContext;
import dev.kv.core.state.MemTables;
import dev.kv.core.state.Monitor;
import dev.kv.core.state.ObsoleteFiles;
import dev.kv.core.state.RetainedLogs;
import dev.kv.core.state.TombstoneObserver;
import dev.kv.core.state.WriteAheadLog;
import dev.kv.core.transaction.ConditionalWrites;
import dev.kv.core.transaction.Transactions;
import dev.kv.core.version.VersionEdit;
import dev.kv.core.write.CommitPipeline;
import dev.kv.core.write.ErrorHandler;
import dev.kv.env.Env;
import dev.kv.env.WritableFile;
import dev.kv.errors.CorruptionException;
import dev.kv.errors.DBIOException;
import dev.kv.errors.DatabaseExistsException;
import java.io.IOException;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.Path;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Opens a database for writing. Takes LOCK, reads CURRENT and the MANIFEST, replays the logs, and
 * then creates a new log and writes an edit that makes the recovered state durable. If the logs are
 * empty, the first write does these last two steps, and the open changes nothing on disk. Used
 * once. If it fails, it leaves the files that were on disk before and, at most, files that the next
 * open deletes.
 */
final class DBOpener {
  private static final EngineLogger LOG = EngineLogger.of(DBOpener.class);

  private final Path directory;
  private final Options options;
  private final Env env;

  private DBOpener(Path directory, Options options) {
    this.directory = directory;
    this.options = options;
    this.env = options.env();
  }

  /** Opens the database in {@code directory}. */
  static DB open(Path directory, Options options) {
    return open(directory, options, new DBOpener(directory, options)::open);
  }

  /** Opens the database in {@code directory} for reads only. */
  static ReadOnlyDB openReadOnly(Path directory, Options options) {
    return open(directory, options, new ReadOnlyOpener(directory, options)::open);
  }

  /** An attempt to open a database. */
  private interface Opener<D> {
    D open() throws IOException;
  }

  private static <D> D open(Path directory, Options options, Opener<D> opening) {
    for (Options.ClippedValue value : options.clippedValues()) {
      LOG.warn(
          "{}: {}={} is out of range; using {}",
          directory,
          value.option(),
          value.requested(),
          value.used());
    }
    try {
      return opening.open();
    } catch (IOException e) {
      throw new DBIOException("cannot open the database in " + directory + ": " + e, e);
    }
  }

  private DB open() throws IOException {
    boolean exists = env.exists(FileNames.current(directory));
    DirectoryCheck check = new DirectoryCheck(env, directory);
    if (!exists && !options.createIfMissing()) {
      throw check.noDatabase();
    }
    if (!exists) {
      createDirectory();
    }
    boolean lockIsNew = !exists && !env.exists(FileNames.lock(directory));
    Env.Lock lock = DirectoryCheck.lock(env, directory);
    boolean done = false;
    try {
      DB db = openLocked(check, lock);
      done = true;
      return db;
    } finally {
      if (!done) {
        closeAfterFailure(lock, lockIsNew);
      }
    }
  }

  /** Where no database came to be, no LOCK is left; it is deleted while nobody else can hold it. */
  private void closeAfterFailure(Env.Lock lock, boolean lockIsNew) {
    try (lock) {
      if (lockIsNew && !env.exists(FileNames.current(directory))) {
        env.delete(FileNames.lock(directory));
      }
    } catch (IOException e) {
      LOG.warn("{}: the LOCK of a failed open cannot be deleted", directory, e);
    }
  }

  private void createDirectory() throws IOException {
    try {
      env.createDirectory(directory);
    } catch (FileAlreadyExistsException e) {
      throw DirectoryCheck.notADirectory(directory, e);
    }
  }

  private DB openLocked(DirectoryCheck check, Env.Lock lock) throws IOException {
    boolean exists = env.exists(FileNames.current(directory));
    if (exists) {
      if (options.errorIfExists()) {
        throw new DatabaseExistsException(
            "there is a database in " + directory + " already, and Options.errorIfExists is set",
            directory.toString());
      }
    } else if (options.createIfMissing()) {
      check.requireNoRemains();
    } else {
      throw check.noDatabase();
    }
    DatabaseContext context = new DatabaseContext(directory, options);
    Events events = context.events();
    boolean done = false;
    try {
      OpenTimer timer = new OpenTimer(events);
      if (options.monitoring().infoLog()) {
        events.beginInfoLog(env, directory);
      }
      Opening opening = new Opening(context, lock);
      DB db = opening.run(check, exists, timer);
      done = true;
      events.onPost(opening.background::maintenanceWanted);
      events.deliverAll();
      return db;
    } finally {
      if (!done) {
        context.close();
      }
    }
  }

  /**
   * Opens one database whose LOCK is held. If it fails, it frees everything that it has created.
   */
  private static final class Opening {
    private final DatabaseContext context;
    private final Env env;
    private final Options options;
    private final Path directory;
    private final Env.Lock lock;
    private final ErrorHandler errors;
    private final Monitor monitor;
    private final BackgroundThreads background;
    private final VersionSet versions;
    private final CompactionStats compactionStats = new CompactionStats();
    private final WriteAheadLog logs;
    private final ObsoleteFiles obsolete;
    private final @Nullable RetainedLogs kept;
    private @Nullable MemTable memtable;
    private WriteAheadLog.@Nullable NumberedLog log;

    Opening(DatabaseContext context, Env.Lock lock) {
      this.context = context;
      this.lock = lock;
      env = context.env();
      options = context.options();
      directory = context.directory();
      errors = new ErrorHandler(context.events());
      monitor = new Monitor(errors);
      background = new BackgroundThreads(context, errors);
      versions = new VersionSet(context.manifestContext(), background::versionFreed);
      kept = RetainedLogs.of(context);
      obsolete = new ObsoleteFiles(context, versions, errors, kept);
      logs =
          new WriteAheadLog(
              context, versions, obsolete, errors, kept, background::maintenanceWanted);
    }

    DB run(DirectoryCheck check, boolean exists, OpenTimer timer) throws IOException {
      boolean done = false;
      try {
        if (!exists) {
          LOG.info("{}: creating a database", directory);
          NewDatabase.create(context.manifestContext());
        }
        boolean editNeeded = versions.recover(false);
        List<FileName> files = check.list();
        check.requireTables(files, versions, options.tables().suffix());
        versions.markFilesUsed(files);
        if ((kept == null || !exists) && files.contains(new FileName(FileName.Kind.CHANGES, 0))) {
          RetainedLogs.forget(env, directory);
        }
        LogRecovery recovery = recoverLogs(files, check.logs(files, versions), editNeeded, exists);
        DB db = assemble(recovery);
        timer.opened(versions.current(), recovery.report(), false);
        done = true;
        return db;
      } finally {
        if (!done) {
          free();
        }
      }
    }

    private LogRecovery recoverLogs(
        List<FileName> files, List<Long> numbers, boolean editNeeded, boolean existed)
        throws IOException {
      numbers.forEach(versions::markFileNumberUsed);
      VersionEdit.Builder edit = VersionEdit.builder();
      RecoveredTables tables = new RecoveredTables(context, versions, compactionStats, edit);
      LogRecovery recovery = new LogRecovery(context, versions.lastSequence(), tables);
      try {
        recovery.replay(numbers, versions.logNumber());
        recovery.requireConfirmed(
            versions.recoveredSequence(), FileNames.manifest(directory, versions.manifestNumber()));
        requireNotFresh(files, recovery);
        boolean cut = versions.recoveredTail() > 0;
        if (cut) {
          LostFiles lost = new LostFiles(env, directory);
          lost.moveUnusedTables(context, versions, files);
          recovery.note(
              "the MANIFEST ended inside an edit, "
                  + versions.recoveredTail()
                  + " bytes were dropped, and these tables, which it does not name, were moved to"
                  + " lost/: "
                  + lost.moved());
        }
        versions.setLastSequence(recovery.lastSequence());
        boolean reused = tables.count() == 0 && reusesLogs() && reuse(numbers, recovery);
        if (!reused) {
          recovery.flushRest();
          memtable = context.emptyMemTable();
          if (existed && !cut && recovery.foundNothing() && isKept(numbers)) {
            return recovery;
          }
          log = logs.create();
        }
        if (kept != null) {
          kept.syncReplayed(numbers);
          long first = requireNonNull(log).number();
          kept.begin(files, recovery.lastSequence(), first, recovery.isPrefix());
        }
        background.takeVersionFreed(); // set by the recovery, whose end collects obsolete files
        if (!reused || editNeeded) {
          logs.logFirst(requireNonNull(log), edit);
        } else {
          obsolete.collectWithTemporary();
        }
      } finally {
        recovery.abandon();
      }
      return recovery;
    }

    /**
     * Throws if the MANIFEST is that of a new database, and the directory is not. The first edit
     * after the creation names the first log, before that log has a record.
     */
    private void requireNotFresh(List<FileName> files, LogRecovery recovery) {
      if (versions.logNumber() == 0
          && versions.recoveredSequence() == 0
          && recovery.foundNothing()
          && files.stream().anyMatch(file -> file.kind() == FileName.Kind.TABLE)) {
        throw new CorruptionException(
            "MANIFEST: it has no edits, and there are tables; DB.repair rebuilds the database",
            FileNames.manifest(directory, versions.manifestNumber()).toString(),
            CorruptionException.NO_OFFSET);
      }
    }

    /**
     * Returns true if empty logs may stay: until a write needs a log, the database has only the
     * files that the MANIFEST names.
     */
    private boolean isKept(List<Long> numbers) {
      List<Long> named = versions.logNumber() == 0 ? List.of() : List.of(versions.logNumber());
      return kept == null
          && !options.reuseLogs()
          && versions.previousLogNumber() == 0
          && numbers.equals(named);
    }

    /** An incarnation begins with a new log. */
    private boolean reusesLogs() {
      return kept == null && options.reuseLogs();
    }

    /**
     * Continues to use the log and its memtable if there is exactly one log, it is undamaged, and
     * it ends with a whole record; returns false otherwise.
     */
    private boolean reuse(List<Long> numbers, LogRecovery recovery) {
      long length = recovery.appendableLength();
      if (numbers.size() != 1 || length < 0 || numbers.get(0) < versions.logNumber()) {
        return false;
      }
      long number = numbers.get(0);
      Path file = FileNames.log(directory, number);
      try {
        WritableFile writable = env.openAppendable(file);
        log = new WriteAheadLog.NumberedLog(number, LogWriter.appending(file, writable, length));
        writable.sync();
      } catch (IOException e) {
        LOG.warn("cannot append to {}; creating a new log: {}", file, e.toString());
        closeLog();
        return false;
      }
      LOG.info("appending to {} at offset {}", file, length);
      MemTable rest = recovery.takeMemTable();
      memtable = rest == null ? context.emptyMemTable() : rest;
      return true;
    }

    /**
     * Connects the parts and creates the background threads; the database owns all of them
     * afterwards.
     */
    private DB assemble(LogRecovery recovery) {
      ReadStates readStates = new ReadStates();
      WriteAheadLog.NumberedLog reused = log;
      if (reused != null) {
        logs.begin(reused);
      }
      MemTables memTables =
          new MemTables(
              context,
              monitor,
              versions,
              readStates,
              logs,
              requireNonNull(memtable),
              background::flushWanted);
      CommitPipeline commits =
          new CommitPipeline(
              memTables,
              memTables.stallInputs(),
              errors,
              versions.lastSequence(),
              context.budget(),
              context.events());
      SnapshotList snapshots = new SnapshotList(commits::lastSequence);
      JobContext jobs =
          new JobContext(
              context,
              monitor,
              errors,
              versions,
              memTables,
              snapshots,
              new RunningJobs(context.comparator().userComparator()),
              obsolete,
              compactionStats,
              commits,
              background::compactionWanted);
      Compactor compactor = new Compactor(jobs);
      UserKeyComparator order = context.comparator().userComparator();
      TombstoneSkipIndex skips = TombstoneObserver.indexOf(commits, order);
      DatabaseReader reader =
          new DatabaseReader(
              readStates,
              snapshots,
              context.tables(),
              context.budget(),
              skips,
              options.compaction().seekTriggered() ? background : null,
              context.events(),
              options.monitoring().trackIterators());
      Transactions transactions = new Transactions(reader, commits, order);
      long firstSequence = versions.lastSequence();
      DBStats.Recovery report = recovery.report();
      DatabaseStats stats =
          new DatabaseStats(
              context,
              versions::acquireCurrent,
              reader,
              snapshots,
              compactionStats,
              () -> report,
              memTables::memoryUsed,
              () ->
                  new DBStats.Writes(
                      commits.lastSequence() - firstSequence,
                      commits.loggedBytes(),
                      logs.syncs(),
                      logs.syncMicros(),
                      commits.lastSequence(),
                      commits.stalls()),
              memTables::estimatedKeys,
              transactions::stats);
      VersionMutator changes = new VersionMutator(jobs, readStates);
      memTables.publish();
      DBImpl db =
          new DBImpl(
              new DBImpl.Parts(
                  context,
                  lock,
                  errors,
                  versions,
                  memTables,
                  logs,
                  commits,
                  new ConditionalWrites(reader, commits, order),
                  transactions,
                  reader,
                  snapshots,
                  compactor,
                  new FileCapture(context, versions, logs, obsolete, commits),
                  background,
                  jobs,
                  changes,
                  new Loads(jobs, changes, compactor),
                  kept == null ? null : new LogFeed(context, kept, errors),
                  stats));
      background.begin(
          new Flusher(jobs),
          compactor,
          new MaintenanceTask(background, jobs, logs, reader, transactions),
          memTables);
      if (compactor.isDue()) {
        background.compactionWantedLater();
      }
      log = null;
      memtable = null;
      return db;
    }

    private void closeLog() {
      WriteAheadLog.NumberedLog unused = log;
      if (unused != null) {
        log = null;
        logs.retire(unused.writer());
        logs.closeRetired();
      }
    }

    private void free() {
      closeLog();
      logs.closeUnused();
      if (memtable != null) {
        memtable.release();
      }
      versions.close();
    }
  }
}
