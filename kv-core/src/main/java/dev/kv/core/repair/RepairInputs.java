package dev.kv.core.repair;

import dev.kv.bytes.Escape;
import dev.kv.core.env.FileName;
import dev.kv.core.env.FileNames;
import dev.kv.core.logging.EngineLogger;
import dev.kv.core.manifest.VersionSet;
import dev.kv.core.memtable.MemTable;
import dev.kv.core.recovery.DirectoryCheck;
import dev.kv.core.recovery.LogRecovery;
import dev.kv.core.recovery.LostEditProof;
import dev.kv.core.state.DatabaseContext;
import dev.kv.core.state.RetainedLogs;
import dev.kv.core.table.cache.TablePath;
import dev.kv.core.version.FileMetadata;
import dev.kv.env.Env;
import dev.kv.errors.CorruptionException;
import dev.kv.errors.DBException;
import dev.kv.errors.DBIOException;
import dev.kv.options.TableSuffix;
import java.io.IOException;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.EnumSet;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.function.LongUnaryOperator;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * The files of a damaged database, and those of them that its repair reads: all, or the ones that a
 * readable MANIFEST names. For one thread.
 */
final class RepairInputs {
  private static final EngineLogger LOG = EngineLogger.of(RepairInputs.class);

  /** The kinds of files from which a database can be rebuilt. */
  private static final Set<FileName.Kind> FILES =
      EnumSet.of(FileName.Kind.TABLE, FileName.Kind.LOG, FileName.Kind.MANIFEST);

  private final DatabaseContext context;
  private final Env env;
  private final Path directory;

  /** The directory's name, for messages. */
  private final String place;

  private final List<FileName> found;

  /** The paths of all files that were found. */
  private final Set<Path> paths;

  /** The numbers of all files that were found. */
  private final Set<Long> used;

  private final Set<Long> tables;
  private final Set<Long> logs;

  /** The key bounds of the tables that the MANIFEST names, by table number. */
  private final Map<Long, FileMetadata> bounds = new HashMap<>();

  /** The files that are read, of tables that have {@linkplain TablePath two}, by table number. */
  private final Map<Long, Path> chosen = new HashMap<>();

  /** The last write in a log that counts, by the number of the log. */
  private LongUnaryOperator lastIn = log -> Long.MAX_VALUE;

  /** True if no MANIFEST tells which tables are current, so that every table is read. */
  private boolean takesEvery = true;

  /**
   * Creates the object, which begins with all tables and logs.
   *
   * @param found what {@link #find} has returned
   */
  RepairInputs(DatabaseContext context, List<FileName> found) {
    this.context = context;
    this.env = context.env();
    this.directory = context.directory();
    this.place = Escape.text(directory.toString());
    this.found = found;
    this.paths =
        found.stream().map(file -> directory.resolve(file.text())).collect(Collectors.toSet());
    this.used = found.stream().map(FileName::number).collect(Collectors.toSet());
    this.tables = numbers(FileName.Kind.TABLE);
    this.logs = numbers(FileName.Kind.LOG);
  }

  /** Finds the files in {@code directory} from which a database can be rebuilt. */
  static List<FileName> find(Env env, Path directory) throws IOException {
    List<FileName> files = new DirectoryCheck(env, directory).list();
    files.removeIf(file -> !FILES.contains(file.kind()));
    return files;
  }

  /**
   * Leaves out the tables and logs that are not to be read. If the MANIFEST names missing files, or
   * lacks a change that a log confirms or the first log of a later open with records, it has or may
   * have lost its end; no table is ignored in that case.
   */
  void choose() throws IOException {
    try (VersionSet versions = new VersionSet(context.manifestContext(), () -> {})) {
      versions.recover(true);
      Set<Long> named = new TreeSet<>();
      versions.current().forEachFileNumber(named::add);
      versions.current().files().forEach(table -> bounds.put(table.number(), table));
      long oldestLog = versions.logNumber();
      logs.removeIf(number -> number < oldestLog && number != versions.previousLogNumber());
      String fault = null;
      if (!tables.containsAll(named)) {
        fault = "names tables that are missing";
      } else if (oldestLog > 0 && !logs.contains(oldestLog)) {
        fault = "names a log that is missing";
      } else {
        LostEditProof proof = readLogs().lostEdits();
        if (proof.lacksChange(versions.recovered().lastSequence())) {
          fault = "lacks a change that a log confirms";
        } else if (proof.hasIncarnationAfter(oldestLog)) {
          fault = "lacks the first log of a later open";
        }
      }
      if (fault != null) {
        LOG.warn("{}: the MANIFEST {}; rebuilding from all tables", place, fault);
        noteHistory();
      } else {
        takesEvery = false;
        long next = versions.recovered().nextFileNumber();
        // Without a log, a MANIFEST that has lost its end names nothing that could be missing
        boolean takesLater = oldestLog == 0;
        tables.removeIf(number -> !named.contains(number) && !(takesLater && number >= next));
      }
    } catch (CorruptionException | DBIOException e) {
      requireLoss(e);
      LOG.warn(
          "{}: cannot read the MANIFEST; rebuilding from all tables and logs: {}",
          place,
          Escape.text(reason(e)));
      noteHistory();
    }
    chooseFiles();
  }

  /** Chooses one of the two files of each table that has two. */
  private void chooseFiles() throws IOException {
    for (long number : tables) {
      Path first = newTable(number);
      Path second = FileNames.otherTable(directory, number, suffix());
      if (paths.contains(first) && paths.contains(second)) {
        Path file = choose(number, first, second);
        chosen.put(number, file);
        LOG.warn("{}: table {} has two files; reading {}", place, number, file.getFileName());
      }
    }
  }

  /**
   * Returns the file with the size in the MANIFEST, or else the one that opens as a whole table. If
   * both do, it is the one that C++ LevelDB reads; if none does, it is the larger one.
   */
  private Path choose(long number, Path first, Path second) throws IOException {
    FileMetadata named = bounds.get(number);
    if (named != null) {
      TablePath file = TablePath.find(env, directory, named, suffix());
      if (file.fits(named)) {
        return file.path();
      }
    }
    long firstSize = env.size(first);
    long secondSize = env.size(second);
    if (firstSize == secondSize) {
      return first; // as the table cache does
    }
    boolean isFirstWhole = isWhole(number, firstSize);
    boolean isSecondWhole = isWhole(number, secondSize);
    if (isFirstWhole && isSecondWhole) {
      return FileNames.table(directory, number);
    }
    return isFirstWhole || (!isSecondWhole && firstSize > secondSize) ? first : second;
  }

  /** Returns true if the file of this size, of two files of a table, opens as a table. */
  private boolean isWhole(long number, long size) {
    try {
      context.tables().tryOpen(number, size);
      return true;
    } catch (CorruptionException | DBIOException e) {
      requireLoss(e);
      return false;
    }
  }

  private static String reason(DBException e) {
    return e instanceof DBIOException && e.getCause() instanceof NoSuchFileException missing
        ? missing.getFile() + " is missing"
        : String.valueOf(e.getMessage());
  }

  /**
   * Reads from CHANGES which writes of kept logs an earlier recovery has dropped: later writes have
   * their sequence numbers. The logs that a whole MANIFEST needs have no such writes.
   */
  private void noteHistory() throws IOException {
    LongUnaryOperator known = RetainedLogs.lastIn(env, directory);
    if (known != null) {
      lastIn = known;
    } else if (env.exists(FileNames.changes(directory))) {
      LOG.warn("{}: CHANGES is damaged: writes that an earlier recovery dropped may return", place);
    }
  }

  /** Replays the readable logs, and drops their entries. */
  private LogRecovery readLogs() throws IOException {
    LogRecovery recovery = new LogRecovery(context, 0, MemTable::release);
    try {
      recovery.replay(List.copyOf(logs), 0);
    } catch (NoSuchFileException e) {
      LOG.debug("{}: a log is missing: {}", place, e.toString());
    } finally {
      recovery.abandon();
    }
    return recovery;
  }

  private Set<Long> numbers(FileName.Kind kind) {
    return found.stream()
        .filter(file -> file.kind() == kind)
        .map(FileName::number)
        .collect(Collectors.toCollection(TreeSet::new));
  }

  /**
   * Throws {@code e} again unless an input is damaged or missing. After any other failure, the
   * content of the input may be intact.
   */
  static void requireLoss(DBException e) {
    if (!(e instanceof CorruptionException || e.getCause() instanceof NoSuchFileException)) {
      throw e;
    }
  }

  /** Returns all files that were found. */
  List<FileName> found() {
    return found;
  }

  /** Returns the largest number of a file, or 0; one that no real database reaches is ignored. */
  long largestNumber() {
    return found.stream()
        .mapToLong(FileName::number)
        .filter(number -> number <= VersionSet.LARGEST_NUMBER)
        .max()
        .orElse(0);
  }

  /** Returns true if a file has that number. */
  boolean hasNumber(long number) {
    return used.contains(number);
  }

  /** Returns the numbers of the tables to read, ascending. */
  Set<Long> tables() {
    return tables;
  }

  /** Returns the numbers of the logs to read, ascending. */
  Set<Long> logs() {
    return logs;
  }

  /** Returns the sequence number of the last write of a log that counts. */
  long lastIn(long log) {
    return lastIn.applyAsLong(log);
  }

  /** Returns the key bounds of a table that the MANIFEST names, or null. */
  @Nullable FileMetadata bounds(long table) {
    return bounds.get(table);
  }

  /** Returns true unless a readable MANIFEST tells that the database does not need a table. */
  boolean isNeeded(long table) {
    return takesEvery || bounds.containsKey(table);
  }

  /** Returns the metadata of a table before it is read: only its number and size. */
  FileMetadata metadata(long number) throws IOException {
    return FileMetadata.ofUnknownKeys(number, env.size(table(number)));
  }

  /** Returns the file of a table that is read. */
  Path table(long number) {
    Path file = chosen.get(number);
    if (file != null) {
      return file;
    }
    Path table = newTable(number);
    return paths.contains(table) ? table : FileNames.otherTable(directory, number, suffix());
  }

  /** Returns the path of a table that the repair writes. */
  Path newTable(long number) {
    return FileNames.table(directory, number, suffix());
  }

  private TableSuffix suffix() {
    return context.options().tables().suffix();
  }
}
