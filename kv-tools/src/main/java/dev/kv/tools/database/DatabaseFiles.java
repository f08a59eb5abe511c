package dev.kv.tools.database;

import dev.kv.core.inspect.DatabaseFile;
import dev.kv.core.inspect.ForeignFiles;
import dev.kv.core.inspect.ManifestEdit;
import dev.kv.core.inspect.RecordReader;
import dev.kv.core.inspect.TableContents;
import dev.kv.env.Env;
import dev.kv.errors.CorruptionException;
import dev.kv.errors.DBException;
import dev.kv.options.TableSuffix;
import dev.kv.tools.console.Failure;
import dev.kv.tools.console.FailureText;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.Comparator;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/** Facts about a database that its files tell without an open. */
public final class DatabaseFiles {
  private static final Comparator<DatabaseFile> ORDER =
      Comparator.comparing(DatabaseFile::kind).thenComparingLong(DatabaseFile::number);

  /** How often a writer may replace the MANIFEST between the read of CURRENT and its open. */
  private static final int TRIES = 50;

  /** Reads a MANIFEST. */
  public interface ManifestReading<T> {
    /** Returns what it has read. */
    T read(Path manifest) throws IOException;
  }

  private DatabaseFiles() {}

  /**
   * Returns true if a directory has the file CURRENT, which an open needs.
   *
   * @throws Failure if the file system cannot tell
   */
  public static boolean isDatabase(Path directory) {
    return exists(directory.resolve("CURRENT"));
  }

  /**
   * Returns true if a file or directory exists.
   *
   * @throws Failure if the file system cannot tell
   */
  public static boolean exists(Path file) {
    try {
      return Env.fileSystem().exists(file);
    } catch (IOException e) {
      throw new Failure(FailureText.describe(e));
    }
  }

  /** Refuses a symbolic link that leads to nothing, as to a disk that is not mounted. */
  public static void requireNoDanglingLink(Path file) {
    if (Files.isSymbolicLink(file) && !exists(file)) {
      throw new Failure(file + ": is a symbolic link that leads to nothing; name another path");
    }
  }

  /** Returns true for a regular file, and false for any other and if there is none. */
  public static boolean isRegularFile(Path file) throws IOException {
    try {
      return DatabaseFile.isRegular(file);
    } catch (NoSuchFileException missing) {
      return false;
    }
  }

  /** Returns the files with names of a database's files, in the order of kinds and numbers. */
  public static Map<Path, DatabaseFile> files(Path directory) throws IOException {
    Map<Path, DatabaseFile> found = new HashMap<>();
    for (String name : Env.fileSystem().list(directory)) {
      DatabaseFile file = DatabaseFile.parse(name);
      if (file != null) {
        found.put(directory.resolve(name), file);
      }
    }
    Map<Path, DatabaseFile> files = new LinkedHashMap<>();
    found.entrySet().stream()
        .sorted(
            Map.Entry.<Path, DatabaseFile>comparingByValue(ORDER).thenComparing(Map.Entry::getKey))
        .forEach(file -> files.put(file.getKey(), file.getValue()));
    return files;
  }

  /**
   * Returns true if a directory has tables, MANIFESTs or a log that is not empty, unless they are
   * of another program: the logs of others have such names, too.
   */
  static boolean hasRemains(Path directory) throws IOException {
    Set<DatabaseFile.Kind> kinds =
        files(directory).values().stream().map(DatabaseFile::kind).collect(Collectors.toSet());
    boolean named =
        kinds.contains(DatabaseFile.Kind.TABLE)
            || kinds.contains(DatabaseFile.Kind.MANIFEST)
            || bytes(directory, DatabaseFile.Kind.LOG) > 0;
    return named && !ForeignFiles.areAll(Env.fileSystem(), directory);
  }

  /** Returns the size of all files of a kind; a file that vanishes in between counts as empty. */
  public static long bytes(Path directory, DatabaseFile.Kind kind) throws IOException {
    long bytes = 0;
    for (Map.Entry<Path, DatabaseFile> file : files(directory).entrySet()) {
      if (file.getValue().kind() == kind) {
        bytes += Math.max(0, file.getKey().toFile().length());
      }
    }
    return bytes;
  }

  /**
   * Returns the suffix for new tables: {@link TableSuffix#SST} if the directory has tables of that
   * suffix alone, so that the libraries that read no other can still open it.
   */
  public static TableSuffix suffix(Path directory) {
    if (!Files.isDirectory(directory)) {
      return TableSuffix.LDB;
    }
    boolean old = false;
    try {
      for (Map.Entry<Path, DatabaseFile> file : files(directory).entrySet()) {
        if (file.getValue().kind() == DatabaseFile.Kind.TABLE) {
          old = file.getKey().toString().endsWith(TableSuffix.SST.text());
          if (!old) {
            break;
          }
        }
      }
    } catch (IOException unreadable) {
      throw new Failure(FailureText.describe(unreadable));
    }
    return old ? TableSuffix.SST : TableSuffix.LDB;
  }

  /** Returns the file of a table, as an open finds it, or null if there is none. */
  public static @Nullable Path table(Path directory, ManifestEdit.NewTable table) {
    try {
      return table.file(Env.fileSystem(), directory);
    } catch (NoSuchFileException missing) {
      return null;
    } catch (IOException e) {
      throw new Failure(FailureText.describe(e));
    }
  }

  /**
   * Returns the path under which a file that does not exist is reported: of the two names of a
   * table, the one that a link has, and otherwise that of new tables.
   */
  public static Path missing(Path file) {
    DatabaseFile parsed = DatabaseFile.parse(String.valueOf(file.getFileName()));
    if (parsed == null || parsed.kind() != DatabaseFile.Kind.TABLE) {
      return file;
    }
    Path old = DatabaseFile.oldTable(directoryOf(file), parsed.number());
    return Files.isSymbolicLink(old) ? old : DatabaseFile.table(directoryOf(file), parsed.number());
  }

  /** Returns the directory that a file is in. */
  public static Path directoryOf(Path file) {
    Path directory = file.toAbsolutePath().getParent();
    return directory == null ? Path.of("/") : directory;
  }

  /** Returns true if the program of a database keeps logs for readers of changes. */
  public static boolean hasChanges(Path directory) {
    return exists(directory.resolve("CHANGES"));
  }

  /**
   * Reads the MANIFEST that CURRENT names, and again if a writer replaces it in the meantime.
   *
   * @throws CorruptionException if CURRENT is damaged
   * @throws NoSuchFileException if CURRENT or the MANIFEST is missing
   */
  public static <T> T readManifest(Path directory, ManifestReading<T> reading) throws IOException {
    String before = "";
    for (int tries = 1; ; tries++) {
      String name = DatabaseFile.currentManifest(Env.fileSystem(), directory);
      try {
        return reading.read(directory.resolve(name));
      } catch (NoSuchFileException missing) {
        if (name.equals(before) || tries == TRIES) {
          throw missing;
        }
        before = name;
      }
    }
  }

  /** Returns true if a database has tables. */
  public static boolean hasTables(Path directory) throws IOException {
    return bytes(directory, DatabaseFile.Kind.TABLE) > 0;
  }

  /**
   * Returns the name of the comparator in the MANIFEST that CURRENT names. If there is no CURRENT,
   * or it is damaged or names no file, it is that in the newest MANIFEST that can be read; null if
   * there is none.
   *
   * @throws CorruptionException if the MANIFEST that CURRENT names is damaged
   * @throws Failure if a file cannot be read, or that MANIFEST names no comparator
   */
  public static @Nullable String comparatorName(Path directory) {
    try {
      return namesManifest(directory)
          ? readManifest(directory, DatabaseFiles::comparatorNameIn)
          : newestComparatorName(directory);
    } catch (IOException unreadable) {
      throw new Failure(FailureText.describe(unreadable));
    }
  }

  /**
   * Returns the name of the comparator in the MANIFEST, or else in a table that kv has written;
   * null if neither tells it, or cannot be read.
   */
  public static @Nullable String readableComparatorName(Path directory) {
    String name = comparatorNameInManifest(directory);
    return name == null ? comparatorNameInTables(directory) : name;
  }

  /**
   * Returns the name of the comparator in a table if kv has written it, or else in the MANIFEST of
   * its directory; null if neither tells it, or cannot be read.
   */
  public static @Nullable String readableComparatorNameOf(Path table) {
    String name = comparatorNameInTable(table);
    return name == null ? comparatorNameInManifest(directoryOf(table)) : name;
  }

  private static @Nullable String comparatorNameInManifest(Path directory) {
    try {
      return comparatorName(directory);
    } catch (Failure | DBException unreadable) {
      return null;
    }
  }

  /** Returns true if there is a CURRENT, and it names a file that exists. */
  private static boolean namesManifest(Path directory) throws IOException {
    try {
      return isDatabase(directory) && readManifest(directory, DatabaseFiles::requireFile);
    } catch (CorruptionException | NoSuchFileException damaged) {
      return false;
    }
  }

  private static boolean requireFile(Path file) throws NoSuchFileException {
    if (!exists(file)) {
      throw new NoSuchFileException(file.toString());
    }
    return true;
  }

  private static @Nullable String newestComparatorName(Path directory) throws IOException {
    if (!Files.isDirectory(directory)) {
      return null;
    }
    List<Long> manifests =
        files(directory).values().stream()
            .filter(file -> file.kind() == DatabaseFile.Kind.MANIFEST)
            .map(DatabaseFile::number)
            .sorted(Comparator.reverseOrder())
            .toList();
    String name = null;
    for (int i = 0; i < manifests.size() && name == null; i++) {
      try {
        name = comparatorNameIn(DatabaseFile.manifest(directory, manifests.get(i)));
      } catch (CorruptionException | Failure | NoSuchFileException unreadable) {
        name = null;
      }
    }
    return name;
  }

  /** Returns the name of the comparator in the properties of a table, or null if none tells it. */
  private static @Nullable String comparatorNameInTables(Path directory) {
    try {
      for (Map.Entry<Path, DatabaseFile> file : files(directory).entrySet()) {
        String name =
            file.getValue().kind() == DatabaseFile.Kind.TABLE
                ? comparatorNameInTable(file.getKey())
                : null;
        if (name != null) {
          return name;
        }
      }
      return null;
    } catch (IOException unreadable) {
      return null;
    }
  }

  private static @Nullable String comparatorNameInTable(Path file) {
    try (TableContents table = new TableContents(Env.fileSystem(), file)) {
      TableContents.Properties properties = properties(table);
      return properties == null ? null : properties.comparator();
    } catch (IOException | DBException unreadable) {
      return null;
    }
  }

  /** Returns the properties of a table, or null if it has none, or they are malformed. */
  public static TableContents.@Nullable Properties properties(TableContents table) {
    for (TableContents.Named meta : table.readHandles(table.footer().metaindex())) {
      if (TableContents.PROPERTIES_KEY.equals(new String(meta.key(), StandardCharsets.UTF_8))) {
        table.read(meta.handle(), false);
        return table.properties();
      }
    }
    return null;
  }

  private static String comparatorNameIn(Path manifest) throws IOException {
    try (RecordReader records =
        new RecordReader(
            Env.fileSystem(),
            manifest,
            (offset, bytes, reason, torn) -> {
              throw new CorruptionException(reason, manifest.toString(), offset);
            })) {
      while (records.next()) {
        String name = records.edit().comparator();
        if (name != null) {
          return name;
        }
      }
    }
    throw new Failure(manifest + ": names no comparator");
  }

  /**
   * Returns true if LOCK is held, according to the system's list of locks, and null if the system
   * has no such list. LOCK itself is not touched.
   */
  public static @Nullable Boolean isInUse(Path directory) {
    return HeldLocks.OF_SYSTEM.contain(directory.resolve("LOCK"));
  }

  /** Returns true if it is known that another process has the database open. */
  public static boolean lockedByAnother(Path directory) {
    return Boolean.TRUE.equals(isInUse(directory));
  }
}
