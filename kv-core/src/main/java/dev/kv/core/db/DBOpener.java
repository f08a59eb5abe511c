package dev.kv.core.db;

import dev.kv.DB;
import dev.kv.Options;
import dev.kv.ReadOnlyDB;
import dev.kv.core.codec.BlockCompression;
import dev.kv.core.env.FileNames;
import dev.kv.core.event.Events;
import dev.kv.core.logging.EngineLogger;
import dev.kv.core.memory.Undo;
import dev.kv.core.recovery.DatabaseRecovery;
import dev.kv.core.recovery.DirectoryCheck;
import dev.kv.core.recovery.RecoveredDatabase;
import dev.kv.core.state.DatabaseContext;
import dev.kv.core.state.DatabaseFiles;
import dev.kv.env.Env;
import dev.kv.errors.DBIOException;
import dev.kv.errors.DatabaseExistsException;
import dev.kv.file.NewDirectory;
import java.io.IOException;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.Path;

/**
 * Opens a database for writing. Takes LOCK, reads CURRENT and the MANIFEST, replays the logs, and
 * then creates a new log and writes an edit that makes the recovered state durable. If the logs are
 * empty, the first write does these last two steps, and the open changes nothing on disk. Used
 * once. If it fails, no entry is lost. A database that it has created stays, as do files that it
 * has moved to lost/; CHANGES may be deleted. The next open deletes what else it has left.
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
    warnOfClippedValues(directory, options);
    try {
      return new DBOpener(directory, options).open();
    } catch (IOException e) {
      throw cannotOpen(directory, e);
    }
  }

  /** Opens the database in {@code directory} for reads only. */
  static ReadOnlyDB openReadOnly(Path directory, Options options) {
    warnOfClippedValues(directory, options);
    try {
      return new ReadOnlyOpener(directory, options).open();
    } catch (IOException e) {
      throw cannotOpen(directory, e);
    }
  }

  private static void warnOfClippedValues(Path directory, Options options) {
    for (Options.ClippedValue value : options.clippedValues()) {
      LOG.warn(
          "{}: {}={} is out of range; using {}",
          directory,
          value.option(),
          value.requested(),
          value.used());
    }
  }

  private static DBIOException cannotOpen(Path directory, IOException e) {
    return new DBIOException("cannot open the database in " + directory + ": " + e, e);
  }

  private DB open() throws IOException {
    BlockCompression.requireLibrary(options.compression());
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
    try {
      return openLocked(check, lock);
    } catch (Throwable e) {
      closeAfterFailure(lock, lockIsNew);
      throw e;
    }
  }

  /** If no database was created, LOCK is deleted, while nobody else can hold it. */
  private void closeAfterFailure(Env.Lock lock, boolean lockIsNew) {
    try (lock) {
      if (lockIsNew && !env.exists(FileNames.current(directory))) {
        env.delete(FileNames.lock(directory));
      }
    } catch (IOException | RuntimeException e) { // which must not hide why the open failed
      LOG.warn("{}: the LOCK of a failed open cannot be deleted", directory, e);
    }
  }

  private void createDirectory() throws IOException {
    try {
      for (Path parent : NewDirectory.createDurably(env, directory)) {
        LOG.warn("{}: the directory above, {}, cannot be synced", directory, parent);
      }
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
    try (Undo undo = new Undo(context::close)) {
      OpenTimer timer = new OpenTimer(events);
      if (options.monitoring().infoLog()) {
        events.beginInfoLog(env, directory);
      }
      DB db = recover(DatabaseFiles.of(context), lock, check, exists, timer);
      undo.cancel();
      events.deliverAll();
      return db;
    }
  }

  private DB recover(
      DatabaseFiles files, Env.Lock lock, DirectoryCheck check, boolean exists, OpenTimer timer)
      throws IOException {
    try (Undo undo = new Undo(files::abandon)) {
      RecoveredDatabase recovered = new DatabaseRecovery(files).run(check, exists);
      DB db = assemble(files, lock, recovered, timer);
      undo.cancel();
      return db;
    }
  }

  private static DB assemble(
      DatabaseFiles files, Env.Lock lock, RecoveredDatabase recovered, OpenTimer timer) {
    try (Undo undo = new Undo(() -> recovered.abandon(files.logs()))) {
      Parts parts = Parts.assemble(files, lock, recovered);
      DB db = new DBImpl(parts);
      timer.opened(files.versions().current(), recovered.report(), false);
      files.context().events().onPost(files.wakeups()::maintenanceWanted);
      // Last: what is undone after this would release LOCK beside a compaction.
      parts.background().start(parts.tree().compactor().isDue());
      undo.cancel();
      return db;
    }
  }
}
