package dev.kv.core.env;

import dev.kv.env.Env;
import dev.kv.options.TableSuffix;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The names of a database's files.
 *
 * <pre>
 *   name := "CURRENT" | "LOCK" | "LOG" | "LOG.old" | "CHANGES" | "MANIFEST-" digits | digits suffix
 *   suffix := ".log" | ".ldb" | ".sst" | ".dbtmp"
 * </pre>
 *
 * <p>Numbers are written with at least six digits. The parser accepts any digits up to {@link
 * Long#MAX_VALUE}. A file with any other name is not the database's and is never touched.
 */
public final class FileNames {
  private static final String MANIFEST_PREFIX = "MANIFEST-";
  private static final int LEAST_DIGITS = 6;

  private FileNames() {}

  /** Returns the path of the table {@code number} with the default suffix. */
  public static Path table(Path directory, long number) {
    return table(directory, number, TableSuffix.LDB);
  }

  /** Returns the path of the table {@code number} with the suffix from before LevelDB 1.14. */
  public static Path oldTable(Path directory, long number) {
    return table(directory, number, TableSuffix.SST);
  }

  /** Returns the path of the table {@code number} with {@code suffix}. */
  public static Path table(Path directory, long number, TableSuffix suffix) {
    return numbered(directory, number, suffix.text());
  }

  /** Returns the path of the table {@code number} if it does not have {@code suffix}. */
  public static Path otherTable(Path directory, long number, TableSuffix suffix) {
    return suffix == TableSuffix.SST ? table(directory, number) : oldTable(directory, number);
  }

  /** Returns the path of the log {@code number}. */
  public static Path log(Path directory, long number) {
    return numbered(directory, number, ".log");
  }

  /** Returns the path of the temporary file {@code number}. */
  public static Path temp(Path directory, long number) {
    return numbered(directory, number, ".dbtmp");
  }

  /** Returns the path of the manifest {@code number}. */
  public static Path manifest(Path directory, long number) {
    return directory.resolve(MANIFEST_PREFIX + digits(number));
  }

  /** Returns the path of the file that contains the name of the current manifest. */
  public static Path current(Path directory) {
    return directory.resolve("CURRENT");
  }

  /** Returns the path of the file that is locked. */
  public static Path lock(Path directory) {
    return directory.resolve("LOCK");
  }

  /** Returns the path of the file with the incarnations of the database. */
  public static Path changes(Path directory) {
    return directory.resolve("CHANGES");
  }

  /**
   * Parses the name of a file, without its directory.
   *
   * @return the parsed name, or null if the file is not a database's
   */
  public static @Nullable FileName parse(String name) {
    FileName.Kind unnumbered =
        switch (name) {
          case "CURRENT" -> FileName.Kind.CURRENT;
          case "LOCK" -> FileName.Kind.LOCK;
          case "LOG", "LOG.old" -> FileName.Kind.INFO_LOG;
          case "CHANGES" -> FileName.Kind.CHANGES;
          default -> null;
        };
    if (unnumbered != null) {
      return new FileName(unnumbered, 0, name);
    }
    if (name.startsWith(MANIFEST_PREFIX)) {
      return of(FileName.Kind.MANIFEST, name, MANIFEST_PREFIX.length(), name.length());
    }
    int dot = name.indexOf('.');
    if (dot < 0) {
      return null;
    }
    return switch (name.substring(dot)) {
      case ".log" -> of(FileName.Kind.LOG, name, 0, dot);
      case ".ldb", ".sst" -> of(FileName.Kind.TABLE, name, 0, dot);
      case ".dbtmp" -> of(FileName.Kind.TEMP, name, 0, dot);
      default -> null;
    };
  }

  /** Returns the files in a directory whose names are of a database's files, by number. */
  public static List<FileName> list(Env env, Path directory) throws IOException {
    List<FileName> files = new ArrayList<>();
    for (String name : env.list(directory)) {
      FileName file = parse(name);
      if (file != null) {
        files.add(file);
      }
    }
    files.sort(null);
    return files;
  }

  private static Path numbered(Path directory, long number, String suffix) {
    return directory.resolve(digits(number) + suffix);
  }

  private static String digits(long number) {
    if (number < 0) {
      throw new IllegalArgumentException("file number " + number);
    }
    String digits = Long.toString(number);
    return "0".repeat(Math.max(0, LEAST_DIGITS - digits.length())) + digits;
  }

  /** Returns the name with the number at {@code begin} to {@code end}, or null. */
  private static @Nullable FileName of(FileName.Kind kind, String name, int begin, int end) {
    if (begin == end) {
      return null;
    }
    long number = 0;
    for (int i = begin; i < end; i++) {
      int digit = name.charAt(i) - '0';
      if (digit < 0 || digit > 9 || number > (Long.MAX_VALUE - digit) / 10) {
        return null;
      }
      number = number * 10 + digit;
    }
    return new FileName(kind, number, name);
  }
}
