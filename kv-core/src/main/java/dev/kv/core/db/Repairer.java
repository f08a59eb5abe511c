package dev.kv.core.db;

import dev.kv.CorruptionException;
import dev.kv.DBIOException;
import dev.kv.Env;
import dev.kv.Options;
import dev.kv.RecoveryMode;
import dev.kv.RepairReport;
import dev.kv.core.compaction.FlushJob;
import dev.kv.core.compaction.RewriteJob;
import dev.kv.core.env.FileName;
import dev.kv.core.env.FileNames;
import dev.kv.core.iterator.InternalIterator;
import dev.kv.core.iterator.MergingIterator;
import dev.kv.core.key.InternalKey;
import dev.kv.core.key.ValueKind;
import dev.kv.core.manifest.NewDatabase;
import dev.kv.core.manifest.VersionSet;
import dev.kv.core.memtable.MemTable;
import dev.kv.core.version.FileMetadata;
import dev.kv.core.version.Levels;
import dev.kv.core.version.Version;
import dev.kv.core.version.VersionEdit;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Makes a damaged database open again.
 *
 * <p>Everything that can be read of its tables and logs is merged into new tables that do not overlap, so that
 * sequence numbers decide which value counts, and not the files' numbers: C++ LevelDB takes the tables
 * over as they are, at level 0, and so lets old values win. Where the MANIFEST can be read, the tables and logs
 * that it gave up are left out. LOCK is held; nothing old is touched before the new state is durable; then tables
 * whose content was taken over whole are deleted, and all else goes to {@code lost/}.
 */
final class Repairer {
  private static final Logger LOG = LoggerFactory.getLogger(Repairer.class);
  private static final String LOST = "lost";

  private final Resources resources;
  private final Env env;
  private final Path directory;
  private final List<FileName> found;
  private final Set<Long> inputs = new TreeSet<>();
  private final List<FileMetadata> fromLogs = new ArrayList<>();
  private final List<Long> opened = new ArrayList<>();
  private final List<String> lost = new ArrayList<>();
  private long nextNumber;
  private int logsConverted;
  private long bytesLost;

  private Repairer(Resources resources, List<FileName> found) {
    this.resources = resources;
    this.env = resources.env();
    this.directory = resources.directory();
    this.found = found;
    long largest = found.stream().mapToLong(FileName::number).max().orElse(0);
    nextNumber = Math.max(largest, 1) + 1;
  }

  static RepairReport repair(Path directory, Options options) {
    Env env = options.env();
    try {
      List<FileName> found = env.exists(directory) ? files(env, directory) : List.of();
      if (found.stream().noneMatch(Repairer::isWorthRepair)) {
        throw new DBIOException(
            directory + " holds nothing to repair: no table, log or MANIFEST of a database");
      }
      Env.Lock lock = DBOpener.lock(env, directory);
      Options lenient =
          options.toBuilder().paranoidChecks(false).recoveryMode(RecoveryMode.CPP_COMPAT).build();
      try (Resources resources = new Resources(directory, lenient)) {
        return new Repairer(resources, found).run();
      } finally {
        lock.close();
      }
    } catch (IOException e) {
      throw new DBIOException("cannot repair the database in " + directory + ": " + e, e);
    }
  }

  private static List<FileName> files(Env env, Path directory) throws IOException {
    List<FileName> files = new ArrayList<>();
    for (String name : env.list(directory)) {
      FileName file = FileNames.parse(name);
      if (file != null) {
        files.add(file);
      }
    }
    return files;
  }

  private static boolean isWorthRepair(FileName file) {
    return switch (file.kind()) {
      case TABLE, LOG, MANIFEST -> true;
      default -> false;
    };
  }

  private RepairReport run() throws IOException {
    Set<Long> logs = chooseInputs();
    for (long log : logs) {
      convert(log);
    }
    TableOutputs outputs = new TableOutputs(resources, () -> nextNumber++, number -> {});
    List<SalvageIterator> tables = openInputs();
    RewriteJob.Result result = merge(tables, outputs);
    install(result);
    Set<Long> whole = wholeTables(tables);
    discard(whole);
    int rewritten = opened.size() - fromLogs.size() - whole.size();
    return new RepairReport(
        whole.size(), rewritten, logsConverted, lost.size(), result.entries(), bytesLost);
  }

  /** Chooses the tables to read, and returns the logs: the MANIFEST's where it can be read, else all. */
  private Set<Long> chooseInputs() {
    Set<Long> logs = new TreeSet<>();
    long oldestLog = 0;
    try (VersionSet versions = new VersionSet(resources.manifestContext(), () -> {})) {
      versions.recover(true);
      oldestLog = versions.logNumber();
      Version version = versions.current();
      version.forEachFileNumber(inputs::add);
      inputs.retainAll(numbers(FileName.Kind.TABLE));
    } catch (CorruptionException | DBIOException e) {
      LOG.warn("{}: takes every table and log, for {}", directory, e.getMessage());
      inputs.clear();
      inputs.addAll(numbers(FileName.Kind.TABLE));
    }
    for (long number : numbers(FileName.Kind.LOG)) {
      if (number >= oldestLog) {
        logs.add(number);
      }
    }
    return logs;
  }

  private Set<Long> numbers(FileName.Kind kind) {
    Set<Long> numbers = new TreeSet<>();
    for (FileName file : found) {
      if (file.kind() == kind) {
        numbers.add(file.number());
      }
    }
    return numbers;
  }

  /** Makes tables of what can be read of a log. */
  private void convert(long number) throws IOException {
    LogRecovery recovery = new LogRecovery(resources, 0, this::flush);
    try {
      recovery.replay(List.of(number));
      recovery.flushRest();
      logsConverted++;
      bytesLost += recovery.report().droppedBytes();
    } finally {
      recovery.abandon();
    }
  }

  private void flush(MemTable memtable) {
    TableOutputs outputs = new TableOutputs(resources, () -> nextNumber++, number -> {});
    try (InternalIterator entries = memtable.iterator()) {
      FileMetadata table = new FlushJob(entries, outputs.context()).run().table();
      if (table != null) {
        fromLogs.add(table);
      }
    } finally {
      memtable.release();
    }
  }

  private List<SalvageIterator> openInputs() throws IOException {
    List<SalvageIterator> tables = new ArrayList<>();
    for (long number : inputs) {
      long size = size(number);
      byte[] unknown = InternalKey.encode(new byte[0], 0, ValueKind.VALUE);
      open(new FileMetadata(number, size, unknown, unknown), tables);
    }
    for (FileMetadata table : fromLogs) {
      open(table, tables);
    }
    return tables;
  }

  private long size(long number) throws IOException {
    Path table = FileNames.table(directory, number);
    return env.size(env.exists(table) ? table : FileNames.oldTable(directory, number));
  }

  private void open(FileMetadata table, List<SalvageIterator> tables) {
    try {
      tables.add(
          new SalvageIterator(
              resources.tables().iterator(table, true, false),
              resources.comparator(),
              what -> LOG.warn("{}: passed over: {}", directory, what)));
      opened.add(table.number());
    } catch (CorruptionException e) {
      LOG.warn("{}: lost whole: {}", directory, e.getMessage());
      bytesLost += table.size();
    }
  }

  private RewriteJob.Result merge(List<SalvageIterator> tables, TableOutputs outputs) {
    InternalIterator[] children = tables.toArray(InternalIterator[]::new);
    try (InternalIterator merged = MergingIterator.of(resources.comparator(), children)) {
      return new RewriteJob(merged, outputs.context(), resources.options().maxFileSize()).run();
    }
  }

  /** Writes a MANIFEST with the new tables, all at the first level that is meant for so much. */
  private void install(RewriteJob.Result result) throws IOException {
    long bytes = result.tables().stream().mapToLong(FileMetadata::size).sum();
    int level = 1;
    while (level < Levels.COUNT - 1 && Levels.maxBytes(level) < bytes) {
      level++;
    }
    VersionEdit.Builder edit =
        VersionEdit.builder()
            .comparatorName(resources.comparator().userComparator().name())
            .lastSequence(result.lastSequence());
    for (FileMetadata table : result.tables()) {
      edit.addFile(level, table);
    }
    long manifest = nextNumber++;
    env.syncDirectory(directory);
    NewDatabase.create(
        resources.manifestContext(),
        manifest,
        edit.logNumber(nextNumber).nextFileNumber(nextNumber + 1).build());
  }

  /** Returns the old tables of which nothing was passed over; they were opened before those from logs. */
  private Set<Long> wholeTables(List<SalvageIterator> tables) {
    Set<Long> whole = new TreeSet<>();
    for (int i = 0; i < tables.size() - fromLogs.size(); i++) {
      if (tables.get(i).damages() == 0) {
        whole.add(opened.get(i));
      }
    }
    return whole;
  }

  /** Deletes the tables whose content is in the new ones whole; moves what else there was to lost/. */
  private void discard(Set<Long> whole) throws IOException {
    for (FileMetadata table : fromLogs) {
      env.delete(FileNames.table(directory, table.number()));
    }
    for (FileName file : found) {
      if (file.kind() == FileName.Kind.TABLE && whole.contains(file.number())) {
        Path table = path(file);
        if (env.exists(table)) {
          env.delete(table);
        }
      } else if (isWorthRepair(file)) {
        moveToLost(file);
      }
    }
    env.syncDirectory(directory);
  }

  private void moveToLost(FileName file) throws IOException {
    Path from = path(file);
    if (!env.exists(from)) {
      return;
    }
    Path lostDirectory = directory.resolve(LOST);
    env.createDirectory(lostDirectory);
    env.rename(from, lostDirectory.resolve(from.getFileName().toString()));
    lost.add(from.getFileName().toString());
  }

  private Path path(FileName file) throws IOException {
    Path table = FileNames.table(directory, file.number());
    return switch (file.kind()) {
      case LOG -> FileNames.log(directory, file.number());
      case MANIFEST -> FileNames.manifest(directory, file.number());
      default -> env.exists(table) ? table : FileNames.oldTable(directory, file.number());
    };
  }
}
