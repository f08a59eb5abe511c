package dev.kv.core.inspect;

import dev.kv.core.env.FileContents;
import dev.kv.core.env.FileName;
import dev.kv.core.env.FileNames;
import dev.kv.core.log.LogReader;
import dev.kv.core.log.LogTail;
import dev.kv.core.log.RecordBuffer;
import dev.kv.core.manifest.CurrentFile;
import dev.kv.env.Env;
import dev.kv.errors.CorruptionException;
import dev.kv.errors.DBIOException;
import dev.kv.errors.NoSuchDatabaseException;
import dev.kv.errors.UnsupportedFormatException;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.NavigableMap;
import java.util.TreeMap;

/**
 * Tells a database from files of another program that have names of a database's files, such as
 * {@code 20261126.log}.
 *
 * <pre>
 * 1. If CURRENT names a MANIFEST that exists, the directory is a database, whatever else is there.
 * 2. Otherwise it is one if the content of one file shows it: a table has its magic number or a
 *    block with its checksum, a log or MANIFEST has a record with its checksum or an unfinished
 *    first one, CURRENT or a temporary file names a MANIFEST.
 * 3. A file that is empty or begins with zeros, as a crash leaves it, shows nothing. Neither does
 *    an info log of LevelDB. If there are only such files, they count as a database's.
 * 4. A file that cannot be read shows nothing either, but if no other file shows a database, it is
 *    unknown whose the files are.
 * </pre>
 */
public final class ForeignFiles {
  /** The bytes at the beginning of a file that tell what it is. */
  private static final int HEAD = 16;

  private ForeignFiles() {}

  /**
   * Throws if the files in {@code directory} with names of a database's files are of another
   * program.
   *
   * @throws NoSuchDatabaseException if none has the content of such a file
   * @throws UnsupportedFormatException if a MANIFEST or a table is RocksDB's, which uses the same
   *     names and may have a CURRENT that names a MANIFEST
   * @throws DBIOException by rule 4
   * @throws IOException if a MANIFEST or a table cannot be read: it may be RocksDB's
   */
  public static void refuse(Env env, Path directory) throws IOException {
    List<FileName> files = FileNames.list(env, directory);
    refuseRocksDb(env, directory, files);
    if (areAll(env, directory, files)) {
      throw new NoSuchDatabaseException(
          directory
              + " holds no database: it has files with names of a database's files, but CURRENT"
              + " names no MANIFEST, and no such file has the content of a table, log or MANIFEST;"
              + " nothing was changed",
          directory.toString());
    }
  }

  private static void refuseRocksDb(Env env, Path directory, List<FileName> files)
      throws IOException {
    for (FileName file : files) {
      Path path = directory.resolve(file.text());
      try {
        if (file.kind() == FileName.Kind.MANIFEST) {
          decodeEdits(env, path);
        } else if (file.kind() == FileName.Kind.TABLE) {
          decodeFooter(env, path);
        }
      } catch (CorruptionException | NoSuchFileException e) {
        continue; // nothing that only RocksDB writes
      }
    }
  }

  private static void decodeEdits(Env env, Path manifest) throws IOException {
    try (RecordReader records =
        new RecordReader(env, manifest, (offset, bytes, reason, torn) -> {})) {
      while (records.next()) {
        records.edit();
      }
    }
  }

  /**
   * Returns true if there are files in {@code directory} with names of a database's files, and they
   * are of another program.
   *
   * @throws DBIOException by rule 4
   */
  public static boolean areAll(Env env, Path directory) throws IOException {
    return areAll(env, directory, FileNames.list(env, directory));
  }

  private static boolean areAll(Env env, Path directory, List<FileName> files) throws IOException {
    if (namesManifest(env, directory)) {
      return false;
    }
    boolean foreign = false;
    NavigableMap<Path, Exception> unreadable = new TreeMap<>();
    for (FileName file : files) {
      Path path = directory.resolve(file.text());
      try {
        if (isOfDatabase(env, path, file.kind())) {
          return false;
        }
        foreign |= !isNeutral(env, path, file.kind());
      } catch (NoSuchFileException e) {
        continue; // deleted meanwhile, or a link that leads nowhere
      } catch (IOException | DBIOException e) {
        unreadable.put(path, e);
      }
    }
    boolean neutral = !foreign && unreadable.isEmpty();
    if (neutral || hasBlocks(env, directory, files, unreadable)) {
      return false;
    }
    if (!unreadable.isEmpty()) {
      Map.Entry<Path, Exception> first = unreadable.firstEntry();
      throw new DBIOException(
          "cannot tell whether "
              + directory
              + " holds a database: CURRENT names no MANIFEST, and "
              + first.getKey()
              + " cannot be read: "
              + first.getValue()
              + "; nothing was changed. If the directory is a database's, make the file readable or"
              + " move it out of the directory",
          first.getValue());
    }
    return true;
  }

  private static boolean namesManifest(Env env, Path directory) {
    try {
      return env.exists(directory.resolve(CurrentFile.read(env, directory).manifest()));
    } catch (CorruptionException | IOException e) {
      return false;
    }
  }

  private static boolean isOfDatabase(Env env, Path file, FileName.Kind kind) throws IOException {
    return switch (kind) {
      case CURRENT, TEMP -> isCurrent(env, file);
      case TABLE -> hasMagic(env, file);
      case LOG, MANIFEST -> hasRecord(env, file);
      case LOCK, INFO_LOG, CHANGES -> false;
    };
  }

  private static boolean isCurrent(Env env, Path file) throws IOException {
    try {
      CurrentFile.readFile(env, file);
      return true;
    } catch (CorruptionException e) {
      return false;
    }
  }

  private static boolean hasMagic(Env env, Path file) throws IOException {
    try {
      decodeFooter(env, file);
      return true;
    } catch (CorruptionException | UnsupportedFormatException e) {
      return false;
    }
  }

  private static void decodeFooter(Env env, Path file) throws IOException {
    try (TableContents table = new TableContents(env, file)) {
      table.footer();
    }
  }

  private static boolean hasRecord(Env env, Path file) throws IOException {
    if (LogTail.isOneFragment(FileContents.head(env, file, HEAD), env.size(file))) {
      return true; // even if it is unfinished
    }
    RecordBuffer record = new RecordBuffer();
    try (LogReader reader = new LogReader(env, file, LogReader.Reporter.IGNORED)) {
      return reader.readRecord(record);
    } finally {
      record.free();
    }
  }

  /** Returns true if a file is neither of a database nor of another program, by rule 3. */
  private static boolean isNeutral(Env env, Path file, FileName.Kind kind) throws IOException {
    byte[] head = FileContents.head(env, file, HEAD);
    boolean isInfoLog =
        kind == FileName.Kind.INFO_LOG
            && new String(head, StandardCharsets.ISO_8859_1).matches("\\d{4}/\\d{2}/\\d{2}-.*");
    return isInfoLog || Arrays.equals(head, new byte[head.length]);
  }

  /** Returns true if a table without its footer has a block. Reads all of the tables. */
  private static boolean hasBlocks(
      Env env, Path directory, List<FileName> files, Map<Path, Exception> unreadable) {
    for (FileName file : files) {
      if (file.kind() == FileName.Kind.TABLE) {
        Path path = directory.resolve(file.text());
        try (TableContents table = new TableContents(env, path)) {
          if (!table.findBlocks().isEmpty()) {
            return true;
          }
        } catch (NoSuchFileException e) {
          continue;
        } catch (IOException | DBIOException e) {
          unreadable.put(path, e);
        }
      }
    }
    return false;
  }
}
