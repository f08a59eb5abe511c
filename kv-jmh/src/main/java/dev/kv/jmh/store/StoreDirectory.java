package dev.kv.jmh.store;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/** The files of a database's directory. */
public final class StoreDirectory {

  private StoreDirectory() {}

  /** Returns the sum of the sizes of the files in it. */
  public static long bytes(Path directory) {
    long sum = 0;
    for (Path file : files(directory)) {
      sum += size(file);
    }
    return sum;
  }

  /** Returns a text that changes if a file is created, deleted, or changes its size. */
  public static String fingerprint(Path directory) {
    return files(directory).stream()
        .map(file -> file.getFileName() + ":" + size(file))
        .sorted()
        .collect(Collectors.joining(" "));
  }

  /** Deletes the directory with its content; does nothing if there is none. */
  public static void delete(Path directory) {
    try {
      for (Path file : files(directory)) {
        Files.deleteIfExists(file);
      }
      try (Stream<Path> rest = Files.exists(directory) ? Files.walk(directory) : Stream.empty()) {
        for (Path path : rest.sorted((a, b) -> b.compareTo(a)).toList()) {
          Files.deleteIfExists(path);
        }
      }
    } catch (IOException e) {
      throw new UncheckedIOException("cannot delete " + directory, e);
    }
  }

  private static List<Path> files(Path directory) {
    if (!Files.isDirectory(directory)) {
      return List.of();
    }
    try (Stream<Path> files = Files.walk(directory)) {
      return files.filter(Files::isRegularFile).toList();
    } catch (IOException | UncheckedIOException e) {
      return List.of();
    }
  }

  /** Returns the size of a file, or 0 if it was deleted in between. */
  private static long size(Path file) {
    try {
      return Files.size(file);
    } catch (NoSuchFileException e) {
      return 0;
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }
}
