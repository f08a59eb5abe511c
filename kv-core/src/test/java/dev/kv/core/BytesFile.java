package dev.kv.core;

import dev.kv.env.Env;
import dev.kv.env.ForwardingEnv;
import dev.kv.env.SequentialFile;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.util.function.Supplier;

/** An array of bytes that is read as a file. */
public class BytesFile implements SequentialFile {
  private final byte[] bytes;
  private final int most;
  private int at;

  /**
   * Creates a file.
   *
   * @param bytes its content
   * @param most the largest number of bytes that one read returns
   */
  public BytesFile(byte[] bytes, int most) {
    this.bytes = bytes;
    this.most = most;
  }

  /** Returns an environment in which every file is opened as a new one of {@code files}. */
  public static Env env(Supplier<? extends SequentialFile> files) {
    return new ForwardingEnv(Env.inMemory()) {
      @Override
      public SequentialFile openSequential(Path file) {
        return files.get();
      }
    };
  }

  @Override
  public int read(ByteBuffer into) throws IOException {
    if (at == bytes.length) {
      return -1;
    }
    int count = Math.min(most, Math.min(into.remaining(), bytes.length - at));
    into.put(bytes, at, count);
    at += count;
    return count;
  }

  @Override
  public void skip(long count) {
    at = (int) Math.min(bytes.length, at + count);
  }

  @Override
  public void close() {}
}
