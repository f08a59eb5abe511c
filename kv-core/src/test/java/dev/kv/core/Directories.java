package dev.kv.core;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Stream;

/** Copies, deletes and lists the directories of databases. */
public final class Directories {
  private Directories() {}

  /**
   * Copies the files of a database, except LOCK, into a new directory.
   *
   * @param from the directory of the database
   * @param to the new directory
   * @return the new directory
   * @throws IOException if a file cannot be copied
   */
  public static Path copy(Path from, Path to) throws IOException {
    Files.createDirectory(to);
    for (Path file : files(from, "")) {
      if (!file.endsWith("LOCK")) {
        Files.copy(file, to.resolve(file.getFileName()));
      }
    }
    return to;
  }

  /**
   * Deletes a directory and the files in it.
   *
   * @param directory the directory
   * @throws IOException if a file cannot be deleted
   */
  public static void delete(Path directory) throws IOException {
    for (Path file : files(directory, "")) {
      Files.delete(file);
    }
    Files.delete(directory);
  }

  /**
   * Returns the files in a directory whose names end with {@code suffix}, sorted.
   *
   * @param directory the directory
   * @param suffix the end of the names; empty for all files
   * @return the files
   * @throws IOException if the directory cannot be listed
   */
  public static List<Path> files(Path directory, String suffix) throws IOException {
    try (Stream<Path> files = Files.list(directory)) {
      return files.filter(file -> file.toString().endsWith(suffix)).sorted().toList();
    }
  }
}
