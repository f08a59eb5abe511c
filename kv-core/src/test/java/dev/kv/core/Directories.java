package dev.kv.core;

import static org.assertj.core.api.Assertions.assertThat;

import dev.kv.admin.LiveFiles;
import dev.kv.env.Env;
import dev.kv.env.RandomAccessFile;
import java.io.IOException;
import java.nio.ByteBuffer;
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
   * Copies the files of one moment of a database into a new directory of an environment. Each file
   * must end at its size.
   *
   * @param live the files
   * @param env the environment of both directories
   * @param to the new directory
   * @throws IOException if a file cannot be copied
   */
  public static void copy(LiveFiles live, Env env, Path to) throws IOException {
    env.createDirectory(to);
    for (LiveFiles.File file : live.files()) {
      byte[] content = new byte[(int) file.size()];
      try (RandomAccessFile in = file.open()) {
        assertThat(in.size()).isEqualTo(file.size());
        assertThat(in.read(0, ByteBuffer.wrap(content), 0, content.length))
            .isEqualTo(content.length);
        assertThat(in.read(content.length, ByteBuffer.allocate(1), 0, 1)).isLessThan(1);
      }
      EnvFiles.write(env, to.resolve(file.name()), content);
    }
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
