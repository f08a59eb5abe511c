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
 * The file system, which counts what is read of files and how many are deleted: what nearly every
 * command that takes long does. Thread-safe.
 */
public final class Meter extends ForwardingEnv {
  private final LongAdder bytesRead = new LongAdder();
  private final LongAdder filesDeleted = new LongAdder();

  /** Creates a meter that has counted nothing. */
  public Meter() {
    super(Env.fileSystem());
  }

  /** Returns how many bytes were read since the meter was made. */
  public long bytesRead() {
    return bytesRead.sum();
  }

  /** Returns how many files were deleted since the meter was made. */
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
