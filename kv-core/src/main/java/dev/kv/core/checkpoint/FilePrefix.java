package dev.kv.core.checkpoint;

import dev.kv.admin.LiveFiles;
import dev.kv.env.Env;
import dev.kv.env.ForwardingRandomAccessFile;
import dev.kv.env.RandomAccessFile;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Path;

/**
 * The first bytes of a file in an environment.
 *
 * @param env opens the file
 * @param path the file
 * @param size the number of bytes
 * @param isTable true for a table
 */
record FilePrefix(Env env, Path path, long size, boolean isTable) implements LiveFiles.File {
  @Override
  public String name() {
    return String.valueOf(path.getFileName());
  }

  @Override
  public RandomAccessFile open() throws IOException {
    return new Prefix(env.openRandomAccess(path, false), size);
  }

  /** An open file without the bytes after the prefix. */
  private static final class Prefix extends ForwardingRandomAccessFile {
    private final long size;

    Prefix(RandomAccessFile target, long size) {
      super(target);
      this.size = size;
    }

    @Override
    public int read(long position, ByteBuffer into, int offset, int length) throws IOException {
      int most = (int) Math.max(0, Math.min(length, size - position));
      return super.read(position, into, offset, most);
    }

    @Override
    public long size() {
      return size;
    }
  }
}
