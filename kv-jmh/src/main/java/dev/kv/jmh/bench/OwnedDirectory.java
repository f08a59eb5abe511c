package dev.kv.jmh.bench;

import dev.kv.jmh.store.StoreDirectory;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.stream.Stream;

/**
 * Empties the directories of databases, but only those that db_bench created. The file {@link
 * StoreDirectory#MARKER} in such a directory marks it, and holds its path. So a directory that
 * replaces it has no marker, and the marker of a copy is not valid. The key of the file system's
 * file would not do: ext4 gives the key of a deleted directory to the next one.
 */
final class OwnedDirectory {

  private OwnedDirectory() {}

  /**
   * Checks that {@code directory} may be emptied: that it is db_bench's own, missing or empty.
   *
   * @throws IllegalArgumentException if it is something else
   */
  static void check(Path directory) {
    if (!isMissingOrEmpty(directory) && !isOwn(directory)) {
      throw new IllegalArgumentException(
          directory
              + " is not empty, and db_bench did not create it, because there is no file "
              + StoreDirectory.MARKER
              + " with its path in it; choose another --db, or run benchmarks that read it with"
              + " --use_existing_db=1");
    }
  }

  /** Returns true if db_bench created {@code directory}. */
  static boolean isOwn(Path directory) {
    Path marker = directory.resolve(StoreDirectory.MARKER);
    try {
      return Files.isRegularFile(marker)
          && new String(Files.readAllBytes(marker), StandardCharsets.UTF_8).equals(path(directory));
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /** Checks {@code directory}, creates it if it is missing, marks it, and empties it. */
  static void clear(Path directory) {
    check(directory);
    try {
      Files.createDirectories(directory);
      Files.writeString(directory.resolve(StoreDirectory.MARKER), path(directory));
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
    StoreDirectory.clear(directory);
  }

  private static String path(Path directory) throws IOException {
    return directory.toRealPath().toString();
  }

  /** Returns true if there is nothing at {@code path}, or a directory without a database. */
  static boolean isMissingOrEmpty(Path path) {
    if (!Files.isDirectory(path)) {
      return !Files.exists(path);
    }
    try (Stream<Path> content = Files.list(path)) {
      return content.allMatch(file -> file.endsWith(StoreDirectory.MARKER));
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }
}
