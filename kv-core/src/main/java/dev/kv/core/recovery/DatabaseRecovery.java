package dev.kv.core.recovery;

import static java.util.Objects.requireNonNull;

import dev.kv.Options;
import dev.kv.core.env.FileName;
import dev.kv.core.env.FileNames;
import dev.kv.core.log.LogWriter;
import dev.kv.core.logging.EngineLogger;
import dev.kv.core.manifest.VersionSet;
import dev.kv.core.memory.Undo;
import dev.kv.core.memtable.MemTable;
import dev.kv.core.state.CompactionStats;
import dev.kv.core.state.DatabaseContext;
import dev.kv.core.state.DatabaseFiles;
import dev.kv.core.state.RetainedLogs;
import dev.kv.core.state.WriteAheadLog;
import dev.kv.core.version.VersionEdit;
import dev.kv.env.WritableFile;
import dev.kv.errors.CorruptionException;
import dev.kv.event.DamageEvent;
import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Brings the files of a database whose LOCK is held into the state that its last write left: reads
 * the MANIFEST, replays the logs, creates a new log, and writes an edit that makes the result
 * durable. If the logs are empty, the first write does these last two steps, and the recovery
 * changes nothing on disk. If it fails, it deletes the tables and the log that it has created,
 * unless the MANIFEST may name them. Used once, by one thread.
 */
public final class DatabaseRecovery {
  private static final EngineLogger LOG = EngineLogger.of(DatabaseRecovery.class);

  private final DatabaseFiles files;
  private final DatabaseContext context;
  private final Options options;
  private final VersionSet versions;
  private final @Nullable RetainedLogs retained;
  private final CompactionStats stats = new CompactionStats();
  private @Nullable MemTable memtable;
  private WriteAheadLog.@Nullable NumberedLog log;

  /** Creates the recovery of a database. */
  public DatabaseRecovery(DatabaseFiles files) {
    this.files = files;
    this.context = files.context();
    this.options = context.options();
    this.versions = files.versions();
    this.retained = files.retained();
  }

  /**
   * Recovers the database.
   *
   * @param exists false to create it first
   * @return what was found, which the caller owns
   * @throws CorruptionException if the files are damaged more than the recovery mode allows
   */
  public RecoveredDatabase run(DirectoryCheck check, boolean exists) throws IOException {
    try (Undo undo = new Undo(this::free)) {
      boolean editNeeded = true;
      if (exists) {
        editNeeded = versions.recover(false);
      } else {
        LOG.info("{}: creating a database", context.directory());
        versions.createDatabase();
      }
      List<FileName> found = check.list();
      check.requireTables(found, versions, options.tables().suffix());
      versions.markFilesUsed(found);
      LogRecovery logs = recoverLogs(found, check.logs(found, versions), editNeeded, exists);
      undo.cancel();
      return new RecoveredDatabase(requireNonNull(memtable), log, stats, logs.report());
    }
  }

  private LogRecovery recoverLogs(
      List<FileName> found, List<Long> numbers, boolean editNeeded, boolean existed)
      throws IOException {
    for (long number : numbers) {
      versions.markFileNumberUsed(number);
    }
    VersionEdit.Builder edit = VersionEdit.builder();
    RecoveredTables tables = new RecoveredTables(context, versions, stats, edit);
    LogRecovery recovery = new LogRecovery(context, versions.lastSequence(), tables);
    LostFiles damaged = new LostFiles(context.env(), context.directory());
    try {
      recovery.replay(numbers, versions.logNumber());
      recovery
          .lostEdits()
          .requireEndOfManifest(
              versions.recovered().lastSequence(),
              FileNames.manifest(context.directory(), versions.manifestNumber()));
      requireNotFresh(found);
      new LostFiles(context.env(), context.directory()).moveSecondFiles(context, versions, found);
      boolean cut = versions.recovered().tail() > 0;
      if (cut) {
        keepUnnamedTables(found, recovery);
      }
      versions.setLastSequence(recovery.lastSequence());
      boolean reused = tables.count() == 0 && reusesLogs() && reuse(numbers, recovery);
      if (!reused) {
        recovery.flushRest();
        memtable = context.emptyMemTable();
        if (existed && !cut && recovery.foundNothing() && isKept(numbers)) {
          endHistory(found, existed);
          return recovery;
        }
        log = files.logs().newLogs().create();
      }
      endHistory(found, existed);
      if (retained != null) {
        retained.syncReplayed(numbers);
        long first = requireNonNull(log).number();
        retained.begin(found, recovery.lastSequence(), first, recovery.isPrefix());
      }
      files.wakeups().takeVersionFreed(); // set by the recovery, whose end collects obsolete files
      if (!reused || editNeeded) {
        keepDamaged(recovery, damaged);
        files.logs().logFirst(requireNonNull(log), edit, () -> {});
      } else {
        files.obsolete().collectWithTemporary();
      }
    } catch (Throwable e) {
      if (!versions.isFailed()) { // otherwise the MANIFEST may name the files
        deleteCreated(tables, numbers);
        damaged.forget();
      }
      throw e;
    } finally {
      recovery.abandon();
    }
    return recovery;
  }

  /**
   * Moves the tables that a MANIFEST with a torn end does not name to lost/, and reports it: the
   * edit that is torn may name them.
   */
  private void keepUnnamedTables(List<FileName> found, LogRecovery recovery) throws IOException {
    LostFiles lost = new LostFiles(context.env(), context.directory());
    lost.moveUnusedTables(context, versions, found);
    long tail = versions.recovered().tail();
    recovery.noteManifest(
        "the MANIFEST ended inside an edit, "
            + tail
            + " bytes were dropped, and these tables, which it does not name, were moved to"
            + " lost/: "
            + lost.names(),
        tail);
  }

  /**
   * Keeps the damaged logs in lost/, and reports it. A log that cannot be kept there, or that
   * readers of changes need, stays until the database is closed. Called before the edit after which
   * no open replays these logs: later, a crash or a failure would leave logs that the next open
   * deletes.
   */
  private void keepDamaged(LogRecovery recovery, LostFiles lost) {
    for (long number : recovery.damagedLogs()) {
      Path file = FileNames.log(context.directory(), number);
      String what;
      if (retained != null && number >= retained.oldest()) {
        files.obsolete().keepLog(number);
        what = "stays for readers of changes, at least until the close";
      } else {
        try {
          what = "is kept as " + lost.keep(String.valueOf(file.getFileName()));
          lost.sync();
        } catch (IOException e) {
          files.obsolete().keepLog(number);
          what = "could not be kept in lost/, and is not deleted before the close: " + e;
        }
      }
      what = file.getFileName() + ", of which not all was replayed, " + what;
      recovery.note(what);
      context
          .events()
          .damage(
              new DamageEvent(
                  context.events().database(),
                  DamageEvent.During.RECOVERY,
                  file.toString(),
                  CorruptionException.NO_OFFSET,
                  what));
    }
  }

  /**
   * Ends the history of changes of a database that is opened without one, or that is new. Not
   * before most of what may fail is done, because an open that fails should change as little as
   * possible; and before the edit with which the recovery is durable, because later ones do not see
   * what it dropped.
   */
  private void endHistory(List<FileName> found, boolean existed) throws IOException {
    if ((retained == null || !existed) && has(found, FileName.Kind.CHANGES)) {
      RetainedLogs.forget(context.env(), context.directory());
    }
  }

  /**
   * Throws if the MANIFEST is that of a new database, and the directory is not. The first edit
   * after the creation names the first log, before that log has a record.
   */
  private void requireNotFresh(List<FileName> found) {
    if (versions.logNumber() == 0
        && versions.recovered().lastSequence() == 0
        && versions.current().fileCount() == 0
        && has(found, FileName.Kind.TABLE)) {
      throw new CorruptionException(
          "MANIFEST: it has no edits, and there are tables; DB.repair rebuilds the database",
          FileNames.manifest(context.directory(), versions.manifestNumber()).toString(),
          CorruptionException.NO_OFFSET);
    }
  }

  private static boolean has(List<FileName> found, FileName.Kind kind) {
    return found.stream().anyMatch(file -> file.kind() == kind);
  }

  /**
   * Returns true if empty logs may stay: until a write needs a log, the database has only the files
   * that the MANIFEST names.
   */
  private boolean isKept(List<Long> numbers) {
    List<Long> named = versions.logNumber() == 0 ? List.of() : List.of(versions.logNumber());
    return retained == null
        && !options.reuseLogs()
        && versions.previousLogNumber() == 0
        && numbers.equals(named);
  }

  /** An incarnation begins with a new log. */
  private boolean reusesLogs() {
    return retained == null && options.reuseLogs();
  }

  /**
   * Continues to use the log and its memtable if there is exactly one log, the MANIFEST names it,
   * it is undamaged, and it ends with a whole record; returns false otherwise.
   */
  private boolean reuse(List<Long> numbers, LogRecovery recovery) {
    long length = recovery.appendableLength();
    if (numbers.size() != 1 || length < 0) {
      return false;
    }
    long number = numbers.get(0);
    if (versions.logNumber() != 0 && number != versions.logNumber()) {
      return false; // the one that the MANIFEST names is missing: an edit has to name another
    }
    Path file = FileNames.log(context.directory(), number);
    try {
      WritableFile writable = context.env().openAppendable(file);
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

  /** Deletes the tables and the log that this open has created. */
  private void deleteCreated(RecoveredTables tables, List<Long> foundLogs) {
    tables.delete();
    WriteAheadLog.NumberedLog created = log;
    if (created != null && !foundLogs.contains(created.number())) {
      log = null;
      files.logs().newLogs().discard(created);
    }
  }

  private void closeLog() {
    RecoveredDatabase.close(log, files.logs());
    log = null;
  }

  private void free() {
    closeLog();
    if (memtable != null) {
      memtable.release();
    }
  }
}
