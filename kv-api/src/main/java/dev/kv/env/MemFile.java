package dev.kv.env;

import java.nio.ByteBuffer;
import java.util.Arrays;
import java.util.Objects;
import java.util.concurrent.locks.ReentrantReadWriteLock;

/** The bytes of a file in memory, without its name. Thread-safe. */
final class MemFile {
  private static final int CHUNK = 64 << 10;

  private final ReentrantReadWriteLock lock = new ReentrantReadWriteLock();

  // Guarded by lock. Bytes of the chunks after size are zero.
  private byte[][] chunks = {};
  private long size;

  long size() {
    lock.readLock().lock();
    try {
      return size;
    } finally {
      lock.readLock().unlock();
    }
  }

  /**
   * Copies from {@code position} into {@code into} at {@code offset}; returns the number of bytes
   * copied.
   */
  int read(long position, ByteBuffer into, int offset, int length) {
    Objects.checkFromIndexSize(offset, length, into.capacity());
    if (position < 0) {
      throw new IllegalArgumentException("position " + position);
    }
    lock.readLock().lock();
    try {
      int count = (int) Math.max(0, Math.min(length, size - position));
      for (int done = 0; done < count; ) {
        int in = (int) ((position + done) % CHUNK);
        int piece = Math.min(count - done, CHUNK - in);
        into.put(offset + done, chunks[(int) ((position + done) / CHUNK)], in, piece);
        done += piece;
      }
      return count;
    } finally {
      lock.readLock().unlock();
    }
  }

  /**
   * Copies to {@code position} from {@code source} at {@code offset}; the file grows if necessary.
   */
  void write(long position, ByteBuffer source, int offset, int length) {
    Objects.checkFromIndexSize(offset, length, source.capacity());
    lock.writeLock().lock();
    try {
      grow(position + length);
      for (int done = 0; done < length; ) {
        int in = (int) ((position + done) % CHUNK);
        int piece = Math.min(length - done, CHUNK - in);
        source.get(offset + done, chunks[(int) ((position + done) / CHUNK)], in, piece);
        done += piece;
      }
      size = Math.max(size, position + length);
    } finally {
      lock.writeLock().unlock();
    }
  }

  /** Truncates the file to {@code newSize}, or extends it with zeros. */
  void resize(long newSize) {
    lock.writeLock().lock();
    try {
      if (newSize < size) {
        int kept = (int) ((newSize + CHUNK - 1) / CHUNK);
        chunks = Arrays.copyOf(chunks, kept);
        if (newSize % CHUNK != 0) {
          Arrays.fill(chunks[kept - 1], (int) (newSize % CHUNK), CHUNK, (byte) 0);
        }
      }
      grow(newSize);
      size = newSize;
    } finally {
      lock.writeLock().unlock();
    }
  }

  private void grow(long newSize) {
    int needed = Math.toIntExact((newSize + CHUNK - 1) / CHUNK);
    int had = chunks.length;
    if (needed > had) {
      byte[][] grown = Arrays.copyOf(chunks, needed);
      for (int i = had; i < needed; i++) {
        grown[i] = new byte[CHUNK];
      }
      chunks = grown; // not before there was memory for all
    }
  }
}
