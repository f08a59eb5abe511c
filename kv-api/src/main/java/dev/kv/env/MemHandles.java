package dev.kv.env;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.util.concurrent.locks.ReentrantLock;

/** The handles of {@link MemEnv}'s open files. */
abstract class MemHandles {
  final MemFile file;
  private final Path path;
  private volatile boolean closed;

  MemHandles(Path path, MemFile file) {
    this.path = path;
    this.file = file;
  }

  final void checkOpen() throws IOException {
    if (closed) {
      throw new IOException("closed: " + path);
    }
  }

  /** Closes the handle; a second call does nothing. */
  public void close() throws IOException {
    closed = true;
  }

  /** A file read from its beginning. */
  static final class Sequential extends MemHandles implements SequentialFile {
    private long position;

    Sequential(Path path, MemFile file) {
      super(path, file);
    }

    @Override
    public int read(ByteBuffer into) throws IOException {
      checkOpen();
      int wanted = into.remaining();
      int count = file.read(position, into, into.position(), wanted);
      into.position(into.position() + count);
      position += count;
      return count == 0 && wanted > 0 ? -1 : count;
    }

    @Override
    public void skip(long count) throws IOException {
      checkOpen();
      if (count < 0) {
        throw new IllegalArgumentException("skip of " + count);
      }
      position += Math.min(count, Math.max(0, file.size() - position));
    }
  }

  /** A file read at positions. */
  static final class Random extends MemHandles implements RandomAccessFile {
    private final long size;

    Random(Path path, MemFile file) {
      super(path, file);
      size = file.size();
    }

    @Override
    public int read(long position, ByteBuffer into, int offset, int length) throws IOException {
      checkOpen();
      return file.read(position, into, offset, length);
    }

    @Override
    public long size() {
      return size;
    }

    @Override
    public long mappedBytes() {
      return 0;
    }
  }

  /** A file written at its end. */
  static final class Writable extends MemHandles implements WritableFile {
    Writable(Path path, MemFile file) {
      super(path, file);
    }

    @Override
    public void append(ByteBuffer bytes) throws IOException {
      checkOpen();
      file.write(file.size(), bytes, bytes.position(), bytes.remaining());
      bytes.position(bytes.limit());
    }

    @Override
    public void flush() throws IOException {
      checkOpen();
    }

    @Override
    public void sync() throws IOException {
      checkOpen();
    }

    @Override
    public long length() {
      return file.size();
    }
  }

  /** A log written by stores. */
  static final class MappedLog extends MemHandles implements MappedLogFile {
    private static final int BLOCK = 32 << 10;

    /** Held while the file grows: the leader and the maintenance thread may both reserve room. */
    private final ReentrantLock reserving = new ReentrantLock();

    private volatile long reserved;

    MappedLog(Path path, MemFile file) {
      super(path, file);
    }

    @Override
    public long reserved() {
      return reserved;
    }

    @Override
    public void reserve(long end) throws IOException {
      checkOpen();
      if (end < 0 || end % BLOCK != 0) {
        throw new IllegalArgumentException("end " + end + " is not a multiple of " + BLOCK);
      }
      reserving.lock();
      try {
        if (end > reserved) {
          file.resize(end);
          reserved = end;
        }
      } finally {
        reserving.unlock();
      }
    }

    @Override
    public void store(long position, ByteBuffer source, int offset, int length) throws IOException {
      checkOpen();
      if (position < 0 || length > reserved - position) {
        throw new IllegalArgumentException(
            "store of " + length + " bytes at " + position + " with " + reserved + " reserved");
      }
      file.write(position, source, offset, length);
    }

    @Override
    public void sync(long from, long to) throws IOException {
      checkOpen();
      if (from < 0 || from > to || to > reserved) {
        throw new IllegalArgumentException("sync of " + from + " to " + to);
      }
    }

    @Override
    public void cut(long length) throws IOException {
      checkOpen();
      if (length < 0 || length > reserved) {
        throw new IllegalArgumentException("cut at " + length + " of " + reserved);
      }
      file.resize(length);
      reserved = 0;
    }
  }
}
