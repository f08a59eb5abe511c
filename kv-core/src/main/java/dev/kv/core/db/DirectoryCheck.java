package dev.kv.core.db;

import dev.kv.CorruptionException;
import dev.kv.DBException;
import dev.kv.NoSuchDatabaseException;
import dev.kv.NotADirectoryException;
import dev.kv.core.env.FileName;
import dev.kv.core.env.FileNames;
import dev.kv.core.manifest.VersionSet;
import dev.kv.env.Env;
import java.io.IOException;
import java.nio.file.NotDirectoryException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;

/** What an open looks for in a database's directory, and what it says where that is not there. */
final class DirectoryCheck {
  /** File numbers beyond this are forged. */
  static final long LARGEST_NUMBER = 1L << 60;

  private final Env env;
  private final Path directory;

  DirectoryCheck(Env env, Path directory) {
    this.env = env;
    this.directory = directory;
  }

  /**
   * Returns the names in a database's directory.
   *
   * @throws NotADirectoryException if the path names something else
   */
  static List<String> names(Env env, Path directory) throws IOException {
    try {
      return env.list(directory);
    } catch (NotDirectoryException e) {
      throw notADirectory(directory, e);
    }
  }

  /** Returns the exception for a path that names something other than a directory. */
  static NotADirectoryException notADirectory(Path directory, IOException cause) {
    return new NotADirectoryException(
        "there is no database: " + directory + " is not a directory", directory.toString(), cause);
  }

  /** Returns the exception that says why there is no database. */
  DBException noDatabase() throws IOException {
    String place = directory.toString();
    if (!env.exists(directory)) {
      return new NoSuchDatabaseException(
          "there is no database: the directory "
              + place
              + " does not exist; Options.createIfMissing creates it",
          place);
    }
    try {
      env.list(directory);
    } catch (NotDirectoryException e) {
      return notADirectory(directory, e);
    }
    return new NoSuchDatabaseException(
        place
            + " holds no database: there is no file CURRENT; Options.createIfMissing creates one, DB.repair"
            + " rebuilds one whose CURRENT is lost",
        place);
  }

  /**
   * Refuses to create a database where the tables of one that has lost its CURRENT would be
   * deleted.
   */
  void requireNoRemains() throws IOException {
    for (FileName file : list()) {
      if (file.kind() == FileName.Kind.TABLE || isLaterManifest(file)) {
        throw new CorruptionException(
            "there is no file CURRENT, but tables or MANIFESTs of a database; DB.repair rebuilds it",
            FileNames.current(directory).toString(),
            CorruptionException.NO_OFFSET);
      }
    }
  }

  /** A creation that failed may have left the first. */
  private static boolean isLaterManifest(FileName file) {
    return file.kind() == FileName.Kind.MANIFEST && file.number() > 1;
  }

  /** Fails where a table of the current version is not among {@code files}. */
  void requireTables(List<FileName> files, VersionSet versions) {
    Set<Long> missing = new TreeSet<>();
    versions.current().forEachFileNumber(missing::add);
    for (FileName file : files) {
      if (file.kind() == FileName.Kind.TABLE) {
        missing.remove(file.number());
      }
    }
    if (!missing.isEmpty()) {
      Path example = FileNames.table(directory, missing.iterator().next());
      throw new CorruptionException(
          missing.size() + " missing files; e.g.: " + example,
          example.toString(),
          CorruptionException.NO_OFFSET);
    }
  }

  /**
   * Returns the numbers of the logs among {@code files} that are not wholly in tables, ascending.
   */
  List<Long> logs(List<FileName> files, VersionSet versions) {
    List<Long> numbers = new ArrayList<>();
    for (FileName file : files) {
      if (file.kind() == FileName.Kind.LOG
          && (file.number() >= versions.logNumber()
              || file.number() == versions.previousLogNumber())) {
        if (file.number() > LARGEST_NUMBER) {
          throw new CorruptionException(
              "a log with a number that no database reaches",
              FileNames.log(directory, file.number()).toString(),
              CorruptionException.NO_OFFSET);
        }
        numbers.add(file.number());
      }
    }
    numbers.sort(null);
    return numbers;
  }

  /** Returns the files that are there now whose names are a database's. */
  List<FileName> list() throws IOException {
    return DBOpener.parse(env.list(directory));
  }
}
