package dev.kv.core.env;

import dev.kv.env.RandomAccessFile;
import dev.kv.env.SequentialFile;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.util.Objects;
import java.util.concurrent.locks.ReentrantLock;

/**
 * A file on disk that is read by position, by seek and read under a lock, or from its beginning:
 * there is no channel that an interrupt could close. Used for files that are not mapped.
 */
final class FileReadFile implements RandomAccessFile, SequentialFile {
  private static final int SMALLEST_PIECE = 8 << 10;
  private static final int LARGEST_PIECE = 64 << 10;

  private final Path path;
  private final long size;
  private final ReentrantLock lock = new ReentrantLock();

  // Guarded by lock.
  private final java.io.RandomAccessFile file;
  private byte[] piece = new byte[SMALLEST_PIECE];
  private boolean closed;

  // The position of the one thread that reads from the beginning.
  private long next;

  /** Takes ownership of {@code file}. */
  FileReadFile(Path path, java.io.RandomAccessFile file) throws IOException {
    this.path = path;
    this.file = file;
    this.size = file.length();
  }

  @Override
  public int read(long position, ByteBuffer into, int offset, int length) throws IOException {
    Objects.checkFromIndexSize(offset, length, into.capacity());
    if (position < 0) {
      throw new IllegalArgumentException("position " + position);
    }
    lock.lock();
    try {
      if (closed) {
        throw new IOException("closed: " + path);
      }
      return readLocked(position, into, offset, length);
    } finally {
      lock.unlock();
    }
  }

  private int readLocked(long position, ByteBuffer into, int offset, int length)
      throws IOException {
    if (length > piece.length && piece.length < LARGEST_PIECE) {
      piece = new byte[Math.min(length, LARGEST_PIECE)];
    }
    if (position >= size && position >= file.length()) {
      return 0;
    }
    file.seek(position);
    int done = 0;
    while (done < length) {
      int count = file.read(piece, 0, Math.min(length - done, piece.length));
      if (count < 0) {
        break;
      }
      into.put(offset + done, piece, 0, count);
      done += count;
    }
    return done;
  }

  @Override
  public int read(ByteBuffer into) throws IOException {
    int wanted = into.remaining();
    int count = read(next, into, into.position(), wanted);
    into.position(into.position() + count);
    next += count;
    return count == 0 && wanted > 0 ? -1 : count;
  }

  @Override
  public void skip(long count) throws IOException {
    if (count < 0) {
      throw new IllegalArgumentException("skip of " + count);
    }
    next += Math.min(count, Math.max(0, file.length() - next));
  }

  @Override
  public long size() {
    return size;
  }

  @Override
  public long mappedBytes() {
    return 0;
  }

  @Override
  public void close() throws IOException {
    lock.lock();
    try {
      if (!closed) {
        closed = true;
        file.close();
      }
    } finally {
      lock.unlock();
    }
  }
}
