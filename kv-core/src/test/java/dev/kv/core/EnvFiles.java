package dev.kv.core;

import dev.kv.env.Env;
import dev.kv.env.SequentialFile;
import dev.kv.env.WritableFile;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.util.Arrays;

/** Reads and writes whole files of an environment. */
public final class EnvFiles {
  private EnvFiles() {}

  /**
   * Returns the contents of a file.
   *
   * @param env the environment
   * @param file the file
   * @return its bytes
   * @throws IOException if the file cannot be read
   */
  public static byte[] read(Env env, Path file) throws IOException {
    ByteBuffer content = ByteBuffer.allocate((int) env.size(file));
    try (SequentialFile in = env.openSequential(file)) {
      while (content.hasRemaining() && in.read(content) >= 0) {
        continue;
      }
    }
    return Arrays.copyOf(content.array(), content.position());
  }

  /**
   * Creates or replaces a file, and syncs it.
   *
   * @param env the environment
   * @param file the file
   * @param content its bytes
   * @throws IOException if the file cannot be written
   */
  public static void write(Env env, Path file, byte[] content) throws IOException {
    try (WritableFile out = env.createWritable(file)) {
      out.append(ByteBuffer.wrap(content));
      out.sync();
    }
  }
}
