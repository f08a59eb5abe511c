package dev.kv.core.recovery;

import dev.kv.core.env.FileName;
import dev.kv.core.env.FileNames;
import dev.kv.core.manifest.VersionSet;
import dev.kv.core.table.cache.TablePath;
import dev.kv.core.table.format.Footer;
import dev.kv.core.version.FileMetadata;
import dev.kv.env.Env;
import dev.kv.env.RandomAccessFile;
import dev.kv.errors.CorruptionException;
import dev.kv.errors.DBException;
import dev.kv.errors.DBLockedException;
import dev.kv.errors.NoSuchDatabaseException;
import dev.kv.errors.NotADirectoryException;
import dev.kv.options.TableSuffix;
import java.io.IOException;
import java.nio.file.NoSuchFileException;
import java.nio.file.NotDirectoryException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;

/** Lists and checks the files in a database's directory, and takes its LOCK. */
public final class DirectoryCheck {
  private final Env env;
  private final Path directory;

  /** Creates a check of {@code directory}, which need not exist. */
  public DirectoryCheck(Env env, Path directory) {
    this.env = env;
    this.directory = directory;
  }

  /**
   * Returns the files that exist now and have names of database files, by number.
   *
   * @throws NotADirectoryException if the path names something else
   */
  public List<FileName> list() throws IOException {
    try {
      return FileNames.list(env, directory);
    } catch (NotDirectoryException e) {
      throw notADirectory(directory, e);
    }
  }

  /** Returns the exception for a path that names something other than a directory. */
  public static NotADirectoryException notADirectory(Path directory, IOException cause) {
    return new NotADirectoryException(
        "there is no database: " + directory + " is not a directory", directory.toString(), cause);
  }

  /** Returns the exception that says why there is no database. */
  public DBException noDatabase() throws IOException {
    String place = directory.toString();
    if (!env.exists(directory)) {
      return new NoSuchDatabaseException(
          "there is no database: the directory "
              + place
              + " does not exist; Options.createIfMissing creates it",
          place);
    }
    try {
      list();
    } catch (NotADirectoryException e) {
      return e;
    }
    return new NoSuchDatabaseException(
        place
            + " holds no database: there is no file CURRENT; Options.createIfMissing creates one,"
            + " DB.repair rebuilds one whose CURRENT is lost",
        place);
  }

  /**
   * Throws if the directory holds tables, logs or MANIFESTs of a database that has lost its
   * CURRENT: creating a new database there would delete them. They may be of another program, too.
   */
  public void requireNoRemains() throws IOException {
    for (FileName file : list()) {
      if (isRemains(file)) {
        throw new CorruptionException(
            "there is no file CURRENT, but tables, logs or MANIFESTs of a database; DB.repair"
                + " rebuilds it",
            FileNames.current(directory).toString(),
            CorruptionException.NO_OFFSET);
      }
    }
  }

  /**
   * Returns true for what a failed creation does not leave behind. It may leave the first MANIFEST,
   * and writes no log before CURRENT.
   */
  private boolean isRemains(FileName file) throws IOException {
    return switch (file.kind()) {
      case TABLE -> true;
      case MANIFEST -> file.number() > 1;
      case LOG -> env.size(directory.resolve(file.text())) > 0;
      default -> false;
    };
  }

  /**
   * Throws if a table of the current version is missing or has another size than the MANIFEST says,
   * and corrects the sizes that iq80 has written. A flush, a compaction or a move whose edit is
   * lost changes no content as long as all files of the state before are there.
   */
  public void requireTables(List<FileName> files, VersionSet versions, TableSuffix suffix)
      throws IOException {
    Set<Long> missing = new TreeSet<>();
    versions.current().forEachFileNumber(missing::add);
    for (FileName file : files) {
      if (file.kind() == FileName.Kind.TABLE) {
        missing.remove(file.number());
      }
    }
    if (!missing.isEmpty()) {
      Path example = FileNames.table(directory, missing.iterator().next(), suffix);
      throw new CorruptionException(
          missing.size() == 1
              ? "a table is missing"
              : missing.size() + " tables are missing, this one among them",
          example.toString(),
          CorruptionException.NO_OFFSET);
    }
    versions.correctSizes(requireSizes(versions.current().files(), suffix));
  }

  /**
   * Throws if one of these tables has another size than the MANIFEST says. A whole table that is as
   * much shorter as {@linkplain FileMetadata#isOverstated one of iq80} is accepted.
   *
   * @return the metadata of the tables of iq80, with their true sizes
   * @throws NoSuchFileException if it does not exist
   */
  public List<FileMetadata> requireSizes(List<FileMetadata> tables, TableSuffix suffix)
      throws IOException {
    List<FileMetadata> corrected = new ArrayList<>();
    for (FileMetadata table : tables) {
      TablePath file = TablePath.find(env, directory, table, suffix);
      long size = file.size();
      if (size != table.size()) {
        requireWholeTableOfIq80(file.path(), table, size);
        corrected.add(table.ofSize(size));
      }
    }
    return corrected;
  }

  private void requireWholeTableOfIq80(Path file, FileMetadata table, long size)
      throws IOException {
    // The open says so if it is not a regular file.
    try (RandomAccessFile contents = env.openRandomAccess(file, false)) {
      if (!table.isOverstated(size) || !Footer.isAtEndOf(contents)) {
        throw new CorruptionException(
            "the table has " + size + " bytes, and the MANIFEST says " + table.size(),
            file.toString(),
            Math.min(size, table.size()));
      }
    }
  }

  /** Returns the numbers of the logs among {@code files} that are not completely in tables. */
  public List<Long> logs(List<FileName> files, VersionSet versions) {
    List<Long> numbers = new ArrayList<>();
    for (FileName file : files) {
      if (file.kind() == FileName.Kind.LOG
          && (file.number() >= versions.logNumber()
              || file.number() == versions.previousLogNumber())) {
        if (file.number() > VersionSet.LARGEST_NEXT_NUMBER) {
          throw new CorruptionException(
              "log number too large for a real database",
              FileNames.log(directory, file.number()).toString(),
              CorruptionException.NO_OFFSET);
        }
        numbers.add(file.number());
      }
    }
    return numbers;
  }

  /** Takes the LOCK of an existing directory. */
  public static Env.Lock lock(Env env, Path directory) throws IOException {
    Env.Lock lock = env.lock(FileNames.lock(directory));
    if (lock == null) {
      throw new DBLockedException(
          "the database in "
              + directory
              + " is open already, in this process or another: close it there, or open it here with"
              + " DB.openReadOnly");
    }
    return lock;
  }
}
