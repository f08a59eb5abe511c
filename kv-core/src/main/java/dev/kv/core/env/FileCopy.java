package dev.kv.core.env;

import dev.kv.env.Env;
import dev.kv.env.SequentialFile;
import dev.kv.env.WritableFile;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Path;

/** Copies a file within an environment. */
public final class FileCopy {
  private static final int BUFFER_BYTES = 256 << 10;

  private FileCopy() {}

  /** Writes a copy and syncs it; its name is not durable yet. */
  public static void write(Env env, Path from, Path to) throws IOException {
    ByteBuffer buffer = ByteBuffer.allocateDirect(BUFFER_BYTES);
    try (SequentialFile in = env.openSequential(from);
        WritableFile out = env.createWritable(to)) {
      while (in.read(buffer.clear()) > 0) {
        out.append(buffer.flip());
      }
      out.sync();
    }
  }
}
