package dev.kv.tools.console;

import dev.kv.env.Env;
import dev.kv.env.ForwardingEnv;
import dev.kv.env.ForwardingRandomAccessFile;
import dev.kv.env.ForwardingSequentialFile;
import dev.kv.env.RandomAccessFile;
import dev.kv.env.SequentialFile;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.util.concurrent.atomic.LongAdder;

/**
 * The file system, with a count of the bytes read and the files deleted, for the progress of long
 * commands. Thread-safe.
 */
public final class Meter extends ForwardingEnv {
  private final LongAdder bytesRead = new LongAdder();
  private final LongAdder filesDeleted = new LongAdder();

  /** Creates a meter with counts of 0. */
  public Meter() {
    super(Env.fileSystem());
  }

  /** Returns the number of bytes read. */
  public long bytesRead() {
    return bytesRead.sum();
  }

  /** Returns the number of files deleted. */
  public long filesDeleted() {
    return filesDeleted.sum();
  }

  @Override
  public SequentialFile openSequential(Path file) throws IOException {
    return new ForwardingSequentialFile(super.openSequential(file)) {
      @Override
      public int read(ByteBuffer into) throws IOException {
        int count = super.read(into);
        bytesRead.add(Math.max(count, 0));
        return count;
      }
    };
  }

  @Override
  public RandomAccessFile openRandomAccess(Path file, boolean map) throws IOException {
    return new ForwardingRandomAccessFile(super.openRandomAccess(file, map)) {
      @Override
      public int read(long position, ByteBuffer into, int offset, int length) throws IOException {
        int count = super.read(position, into, offset, length);
        bytesRead.add(count);
        return count;
      }
    };
  }

  @Override
  public void delete(Path file) throws IOException {
    super.delete(file);
    filesDeleted.increment();
  }
}
