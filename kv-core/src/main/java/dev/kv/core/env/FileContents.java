package dev.kv.core.env;

import dev.kv.env.Env;
import dev.kv.env.SequentialFile;
import dev.kv.env.WritableFile;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Path;

/** Reads as much of a file as is asked for, though a single read may return less. */
public final class FileContents {
  private static final int COPY_BYTES = 256 << 10;

  private FileContents() {}

  /**
   * Clears a buffer, and fills it with the next bytes of a file.
   *
   * @return the number of bytes; fewer than the buffer has room for only at the end of the file
   */
  public static int fill(ByteBuffer buffer, SequentialFile file) throws IOException {
    buffer.clear();
    while (buffer.hasRemaining() && file.read(buffer) >= 0) {
      continue;
    }
    return buffer.position();
  }

  /** Returns the bytes at the beginning of a file, at most {@code most}. */
  public static byte[] head(Env env, Path file, int most) throws IOException {
    ByteBuffer buffer = ByteBuffer.allocateDirect(most);
    try (SequentialFile in = env.openSequential(file)) {
      byte[] bytes = new byte[fill(buffer, in)];
      buffer.get(0, bytes);
      return bytes;
    }
  }

  /** Writes a copy of a file and syncs it; its name is not durable yet. */
  public static void copy(Env env, Path from, Path to) throws IOException {
    ByteBuffer buffer = ByteBuffer.allocateDirect(COPY_BYTES);
    try (SequentialFile in = env.openSequential(from);
        WritableFile out = env.createWritable(to)) {
      while (in.read(buffer.clear()) > 0) {
        out.append(buffer.flip());
      }
      out.sync();
    }
  }
}
