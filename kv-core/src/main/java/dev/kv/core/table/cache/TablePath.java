package dev.kv.core.table.cache;

import dev.kv.core.env.FileNames;
import dev.kv.core.version.FileMetadata;
import dev.kv.env.Env;
import dev.kv.options.TableSuffix;
import java.io.IOException;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;

/**
 * The file that is the table with a number: {@code N.ldb} or {@code N.sst}.
 *
 * <p>A directory can have both. C++ LevelDB gives a new table the number of a file that a killed
 * flush of another program has left, replaces that file only if it has the same suffix, and does
 * not delete it as long as the number is in use.
 *
 * @param path the path of the file
 * @param size its size in bytes
 */
public record TablePath(Path path, long size) {

  /**
   * Finds the file of a table: of two files, the one with the size that the MANIFEST states; if
   * none has it, the one of which {@linkplain FileMetadata#isOverstated iq80 states it}; or else
   * {@code N.ldb}, which C++ LevelDB tries first. If both have this size, they are taken for
   * copies, and the preferred one is found.
   *
   * @param preferred the suffix of new tables: the other file is looked for only if the one with
   *     this suffix is missing or has another size
   * @throws NoSuchFileException if there is neither
   */
  public static TablePath find(Env env, Path directory, FileMetadata table, TableSuffix preferred)
      throws IOException {
    Path other = FileNames.otherTable(directory, table.number(), preferred);
    TablePath first;
    try {
      first = of(env, FileNames.table(directory, table.number(), preferred));
      if (first.size == table.size()) {
        return first;
      }
    } catch (NoSuchFileException e) {
      return of(env, other);
    }
    TablePath second;
    try {
      second = of(env, other);
    } catch (NoSuchFileException e) {
      return first;
    }
    if (second.fits(table) && second.size != first.size) {
      return second;
    }
    return first.fits(table) || preferred == TableSuffix.LDB ? first : second;
  }

  private static TablePath of(Env env, Path path) throws IOException {
    return new TablePath(path, env.size(path));
  }

  /** Returns true if the file has the size that the MANIFEST states, or that of iq80's tables. */
  public boolean fits(FileMetadata table) {
    return size == table.size() || table.isOverstated(size);
  }
}
