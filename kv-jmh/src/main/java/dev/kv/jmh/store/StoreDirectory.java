package dev.kv.jmh.store;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.Comparator;
import java.util.List;
import java.util.function.Predicate;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/** The files of a database's directory. */
public final class StoreDirectory {
  /** The name of the file that marks a directory as one that db_bench created. */
  public static final String MARKER = ".db_bench";

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
      if (Files.exists(directory)) {
        delete(directory, path -> true);
      }
    } catch (IOException e) {
      throw new UncheckedIOException("cannot delete " + directory, e);
    }
  }

  /** Deletes the content of the directory, or of the one it links to, except {@link #MARKER}. */
  public static void clear(Path directory) {
    try {
      Path root = directory.toRealPath();
      Path marker = root.resolve(MARKER);
      delete(root, path -> !path.equals(root) && !path.equals(marker));
    } catch (IOException e) {
      throw new UncheckedIOException("cannot delete the content of " + directory, e);
    }
  }

  private static void delete(Path root, Predicate<Path> condition) throws IOException {
    try (Stream<Path> paths = Files.walk(root)) {
      for (Path path : paths.filter(condition).sorted(Comparator.reverseOrder()).toList()) {
        Files.deleteIfExists(path);
      }
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
