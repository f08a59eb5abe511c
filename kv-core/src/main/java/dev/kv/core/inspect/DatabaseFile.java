package dev.kv.core.inspect;

import dev.kv.core.env.FileName;
import dev.kv.core.env.FileNames;
import dev.kv.core.env.RegularFile;
import dev.kv.core.manifest.CurrentFile;
import dev.kv.core.version.Levels;
import dev.kv.env.Env;
import dev.kv.errors.CorruptionException;
import java.io.IOException;
import java.nio.file.Path;
import org.jspecify.annotations.Nullable;

/**
 * A file of a database, as its name tells it.
 *
 * @param kind the kind of the file
 * @param number its number; 0 for a kind that has none
 */
public record DatabaseFile(Kind kind, long number) {
  /** The kinds of files of a database. */
  public enum Kind {
    LOG,
    TABLE,
    MANIFEST,
    CURRENT,
    LOCK,
    TEMP,
    INFO_LOG,
    CHANGES
  }

  /** The number of levels of a database. */
  public static final int LEVELS = Levels.COUNT;

  /** Returns the file with a name, without its directory; null if it is not a database's. */
  public static @Nullable DatabaseFile parse(String name) {
    FileName parsed = FileNames.parse(name);
    return parsed == null
        ? null
        : new DatabaseFile(Kind.valueOf(parsed.kind().name()), parsed.number());
  }

  /**
   * Returns true for a regular file, as the engine takes it for one.
   *
   * @throws java.nio.file.NoSuchFileException if there is no file
   */
  public static boolean isRegular(Path file) throws IOException {
    return RegularFile.isRegular(file);
  }

  /** Returns the path of the log with a number. */
  public static Path log(Path directory, long number) {
    return FileNames.log(directory, number);
  }

  /** Returns the path of the table with a number. */
  public static Path table(Path directory, long number) {
    return FileNames.table(directory, number);
  }

  /** Returns the path of the table with a number as LevelDB named it before 1.14. */
  public static Path oldTable(Path directory, long number) {
    return FileNames.oldTable(directory, number);
  }

  /** Returns the path of the MANIFEST with a number. */
  public static Path manifest(Path directory, long number) {
    return FileNames.manifest(directory, number);
  }

  /**
   * Returns the name of the MANIFEST that CURRENT names.
   *
   * @throws CorruptionException if CURRENT is damaged
   * @throws java.nio.file.NoSuchFileException if there is no CURRENT
   */
  public static String currentManifest(Env env, Path directory) throws IOException {
    return CurrentFile.read(env, directory).manifest();
  }

  /**
   * Returns the name of the MANIFEST in a file with the content of CURRENT.
   *
   * @throws CorruptionException if the content is damaged
   */
  public static String manifestNamedBy(Env env, Path file) throws IOException {
    return CurrentFile.readFile(env, file).manifest();
  }
}
