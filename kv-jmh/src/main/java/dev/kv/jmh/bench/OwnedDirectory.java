package dev.kv.jmh.bench;

import dev.kv.jmh.store.StoreDirectory;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.stream.Stream;

/**
 * Deletes the directories of databases, but only those that db_bench created. A file beside such a
 * directory, with {@code .db_bench} after the name, marks it.
 */
final class OwnedDirectory {

  private OwnedDirectory() {}

  /**
   * Checks that {@code directory} may be deleted: that it is marked, missing or empty.
   *
   * @throws IllegalArgumentException if it is something else
   */
  static void check(Path directory) {
    if (!Files.exists(marker(directory)) && !isMissingOrEmpty(directory)) {
      throw new IllegalArgumentException(
          directory
              + " is not empty, and db_bench did not create it, because there is no file "
              + marker(directory).getFileName()
              + " beside it; choose another --db, or read it with --use_existing_db=1");
    }
  }

  /** Checks, marks and deletes {@code directory}, which is then created again as a database. */
  static void delete(Path directory) {
    check(directory);
    try {
      Files.write(marker(directory), new byte[0]);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
    StoreDirectory.delete(directory);
  }

  private static Path marker(Path directory) {
    return directory.resolveSibling(directory.getFileName() + ".db_bench");
  }

  /** Returns true if there is nothing at {@code path}, or an empty directory. */
  static boolean isMissingOrEmpty(Path path) {
    if (!Files.isDirectory(path)) {
      return !Files.exists(path);
    }
    try (Stream<Path> content = Files.list(path)) {
      return content.findAny().isEmpty();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }
}
