package dev.kv.core.repair;

import dev.kv.Options;
import dev.kv.admin.RepairReport;
import dev.kv.bytes.Escape;
import dev.kv.core.codec.BlockCompression;
import dev.kv.core.compaction.RewriteJob;
import dev.kv.core.env.FileName;
import dev.kv.core.env.FileNames;
import dev.kv.core.env.UnneededFile;
import dev.kv.core.inspect.ForeignFiles;
import dev.kv.core.iterator.ForwardIterator;
import dev.kv.core.logging.EngineLogger;
import dev.kv.core.manifest.CurrentFile;
import dev.kv.core.manifest.EditParts;
import dev.kv.core.manifest.NewDatabase;
import dev.kv.core.memory.Undo;
import dev.kv.core.memtable.MemTable;
import dev.kv.core.recovery.DirectoryCheck;
import dev.kv.core.recovery.LogRecovery;
import dev.kv.core.recovery.LostFiles;
import dev.kv.core.state.DatabaseContext;
import dev.kv.core.state.RetainedLogs;
import dev.kv.core.state.TableOutputs;
import dev.kv.core.version.FileMetadata;
import dev.kv.core.version.Levels;
import dev.kv.core.version.VersionEdit;
import dev.kv.env.Env;
import dev.kv.errors.CorruptionException;
import dev.kv.errors.DBIOException;
import dev.kv.errors.NoSuchDatabaseException;
import dev.kv.options.RecoveryMode;
import java.io.IOException;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;

/**
 * Rebuilds a damaged database so that it can be opened again.
 *
 * <p>All readable entries of its tables and logs are merged into new tables that do not overlap.
 * The sequence number therefore decides which value is current, not the number of the file: C++
 * LevelDB keeps the tables unchanged at level 0, so that an old value can hide a newer one. If the
 * MANIFEST is readable, every file that it names exists, and no log confirms a change that it
 * lacks, other tables and older logs are ignored; but if it names no log, tables from its next file
 * number on are read. LOCK is held throughout. No old file is touched before the new state is
 * durable, except that CHANGES first ends the history of changes. Then the tables that were read
 * completely are deleted, and all other old files are moved to {@code lost/}, without replacing
 * files there.
 *
 * <p>Only what is damaged or missing is skipped. If a file that exists cannot be opened or read,
 * the repair fails before it installs anything: the file may hold tombstones and newer values, and
 * its content may be intact.
 */
public final class Repairer {
  private static final EngineLogger LOG = EngineLogger.of(Repairer.class);

  private final DatabaseContext context;
  private final Env env;
  private final Path directory;
  private final RepairInputs inputs;
  private final RepairTables tables;

  /** The logs of which something was not read. */
  private final Set<Long> damagedLogs = new TreeSet<>();

  private final List<FileMetadata> fromLogs = new ArrayList<>();

  private final LostFiles lost;
  private long nextNumber;
  private int logsConverted;
  private int filesReplaced;
  private int filesLost;

  /** The bytes of logs that were not read. */
  private long bytesLost;

  private Repairer(DatabaseContext context, RepairInputs inputs) {
    this.context = context;
    this.env = context.env();
    this.directory = context.directory();
    this.inputs = inputs;
    this.tables = new RepairTables(context, inputs);
    this.lost = new LostFiles(env, directory);
    nextNumber = Math.max(inputs.largestNumber(), 1) + 1;
  }

  /**
   * Repairs the database in {@code directory}, which must not be open.
   *
   * @return a report of the tables kept, rewritten and lost
   */
  public static RepairReport repair(Path directory, Options options) {
    BlockCompression.requireLibrary(options.compression());
    Env env = options.env();
    try {
      if (!env.exists(directory) || RepairInputs.find(env, directory).isEmpty()) {
        throw new NoSuchDatabaseException(
            directory + " holds nothing to repair: no table, log or MANIFEST of a database",
            directory.toString());
      }
      requireRemains(env, directory);
      Env.Lock lock = DirectoryCheck.lock(env, directory);
      Options lenient = options.toBuilder().recoveryMode(RecoveryMode.CPP_COMPAT).build();
      try (DatabaseContext context = new DatabaseContext(directory, lenient)) {
        List<FileName> found = RepairInputs.find(env, directory);
        return new Repairer(context, new RepairInputs(context, found)).run();
      } finally {
        lock.close();
      }
    } catch (IOException e) {
      throw new DBIOException("cannot repair the database in " + directory + ": " + e, e);
    }
  }

  /**
   * Refuses the files of another program, and if it is unknown whose they are. A MANIFEST or a
   * table that cannot be read may be RocksDB's; if another file shows a database, it is refused
   * only if the repair needs it.
   */
  private static void requireRemains(Env env, Path directory) throws IOException {
    try {
      ForeignFiles.refuse(env, directory);
    } catch (IOException | DBIOException e) {
      if (ForeignFiles.areAll(env, directory)) {
        throw e;
      }
      LOG.debug("{}: not every MANIFEST and table was read: {}", directory, e.toString());
    }
  }

  /** Returns a number that no file has, not even one with a number that is ignored. */
  private long newNumber() {
    while (inputs.hasNumber(nextNumber)) {
      nextNumber++;
    }
    return nextNumber++;
  }

  /** Returns the directory's name, for messages. */
  private String place() {
    return Escape.text(directory.toString());
  }

  private RepairReport run() throws IOException {
    RewriteJob.Result result = rebuild();
    install(result);
    Set<Long> whole = tables.wholeInputs();
    try {
      discard(whole);
    } catch (IOException e) {
      throw new DBIOException(
          "the database in "
              + place()
              + " is repaired, but its old files are not all deleted or moved to lost/: "
              + Escape.text(e.toString())
              + "; repair it again to move the rest, for an open deletes what the database does not"
              + " use",
          e);
    }
    return new RepairReport(
        whole.size(),
        tables.openedInputs().size() - whole.size(),
        logsConverted,
        filesReplaced,
        filesLost,
        result.entries(),
        bytesLost + tables.bytesLost());
  }

  /** Writes the new tables. If that fails, the directory has the files that it had before. */
  private RewriteJob.Result rebuild() throws IOException {
    try (Undo undo = new Undo(() -> deleteTables(fromLogs))) {
      lost.requireFolder();
      inputs.choose();
      tables.requireOrder();
      for (long log : inputs.logs()) {
        convert(log);
      }
      context.budget().reclaim(); // the tables are read into what the logs needed
      tables.openInputs();
      fromLogs.forEach(tables::open);
      RewriteJob.Result result = merge();
      undo.cancel();
      return result;
    } catch (IOException e) {
      throw unchanged(e.toString(), e);
    } catch (DBIOException e) {
      throw unchanged(String.valueOf(e.getMessage()), e);
    }
  }

  private DBIOException unchanged(String cause, Exception e) {
    return new DBIOException(
        "cannot repair the database in "
            + place()
            + ": "
            + Escape.text(cause)
            + "; no file was changed. Remove the cause and repair again. If the disk cannot read"
            + " all of a file, replace the file by a copy of what can be read, as ddrescue makes"
            + " it",
        e);
  }

  private void deleteTables(List<FileMetadata> tables) {
    for (FileMetadata table : tables) {
      context.tables().evict(table.number());
      UnneededFile.delete(env, inputs.newTable(table.number()), LOG);
    }
  }

  /** Writes the readable records of a log as tables. */
  private void convert(long number) throws IOException {
    LogRecovery recovery = new LogRecovery(context, 0, this::flush);
    try {
      recovery.ignoreAfter(inputs.lastIn(number));
      recovery.replay(List.of(number), 0);
      logsConverted++;
      recovery.flushRest();
      bytesLost += recovery.report().droppedBytes();
      damagedLogs.addAll(recovery.damagedLogs());
    } catch (NoSuchFileException e) {
      damagedLogs.add(number);
      LOG.warn("{}: the log is missing", Escape.text(FileNames.log(directory, number).toString()));
    } finally {
      recovery.abandon();
    }
  }

  private void flush(MemTable memtable) {
    TableOutputs outputs = new TableOutputs(context, this::newNumber, number -> {});
    try {
      FileMetadata table = outputs.flush(memtable).table();
      if (table != null) {
        fromLogs.add(table);
      }
    } finally {
      memtable.release();
    }
  }

  private RewriteJob.Result merge() {
    TableOutputs outputs = new TableOutputs(context, this::newNumber, number -> {});
    try (ForwardIterator merged = tables.merged()) {
      return new RewriteJob(merged, outputs.context(), context.options().maxFileSize()).run();
    }
  }

  /**
   * Writes a MANIFEST with the new tables, all at the first level whose size limit fits them. It
   * names a new, empty log with a higher number than the logs found, so that none of those is
   * replayed again. The new log must exist: otherwise an open that finds the end of the MANIFEST
   * torn would report it missing.
   */
  private void install(RewriteJob.Result result) throws IOException {
    long bytes = result.tables().stream().mapToLong(FileMetadata::size).sum();
    int level = 1;
    while (level < Levels.COUNT - 1 && Levels.maxBytes(level) < bytes) {
      level++;
    }
    long manifest = newNumber();
    long log = newNumber();
    EditParts state = new EditParts(context.manifestContext(), log, VersionEdit.UNSET);
    for (FileMetadata table : result.tables()) {
      state.addFile(level, table);
    }
    try (Undo undo = new Undo(() -> removeUnlessInstalled(result.tables(), manifest, log))) {
      RetainedLogs.end(env, directory);
      env.createWritable(FileNames.log(directory, log)).close();
      NewDatabase.create(
          context.manifestContext(), manifest, state.end(nextNumber, result.lastSequence()));
      undo.cancel();
    }
  }

  /** Deletes the new files after a failed install, unless CURRENT may name the new MANIFEST. */
  private void removeUnlessInstalled(List<FileMetadata> tables, long manifest, long log) {
    try {
      if (CurrentFile.read(env, directory).number() == manifest) {
        return;
      }
    } catch (CorruptionException | NoSuchFileException damaged) {
      LOG.debug("{}: CURRENT is the damaged one: {}", place(), damaged.toString());
    } catch (IOException unknown) {
      LOG.warn("{}: new files are left: {}", place(), Escape.text(unknown.toString()));
      return;
    }
    deleteTables(tables);
    deleteTables(fromLogs);
    UnneededFile.delete(env, FileNames.log(directory, log), LOG);
    UnneededFile.delete(env, FileNames.manifest(directory, manifest), LOG);
    UnneededFile.delete(env, FileNames.temp(directory, manifest), LOG);
  }

  /**
   * Deletes the tables that the new ones contain completely; moves all other old files to lost/.
   * Each table is closed first: Windows neither deletes nor moves an open file.
   */
  private void discard(Set<Long> whole) throws IOException {
    for (FileMetadata table : fromLogs) {
      context.tables().evict(table.number());
      env.delete(inputs.newTable(table.number()));
    }
    for (FileName file : inputs.found()) {
      if (file.kind() == FileName.Kind.TABLE) {
        context.tables().evict(file.number());
      }
      if (whole.contains(file.number()) && isInput(file)) {
        env.delete(directory.resolve(file.text()));
      } else {
        warnIfUnread(file);
        lost.move(file.text());
        count(file);
      }
    }
    lost.sync();
  }

  /** Returns true for the file that is read as the table with its number. */
  private boolean isInput(FileName file) {
    return file.kind() == FileName.Kind.TABLE
        && directory.resolve(file.text()).equals(inputs.table(file.number()));
  }

  /**
   * Warns of a whole table that may hold what a damaged log has lost: a flush whose edit was not
   * logged leaves one. It is not merged, for it may also be an obsolete table whose entries were
   * deleted by tombstones that a compaction has dropped since.
   */
  private void warnIfUnread(FileName file) {
    long number = file.number();
    if (file.kind() != FileName.Kind.TABLE
        || inputs.tables().contains(number)
        || damagedLogs.stream().noneMatch(log -> log < number)) {
      return;
    }
    try {
      context.tables().tryOpen(number, env.size(directory.resolve(file.text())));
      LOG.warn(
          "{}: {} goes to lost/ unread: the MANIFEST does not name it, but it may hold writes that"
              + " a damaged log has lost",
          place(),
          file.text());
    } catch (CorruptionException | DBIOException | IOException e) {
      LOG.debug("{}: {} is no whole table: {}", place(), file.text(), e.toString());
    }
  }

  /** Counts a file that was moved to lost/. */
  private void count(FileName file) {
    boolean isLost =
        switch (file.kind()) {
          case TABLE -> inputs.isNeeded(file.number()) && isInput(file);
          case LOG -> damagedLogs.contains(file.number());
          default -> false;
        };
    if (isLost) {
      filesLost++;
    } else {
      filesReplaced++;
    }
  }
}
