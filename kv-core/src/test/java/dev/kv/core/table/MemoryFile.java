package dev.kv.core.table;

import dev.kv.env.RandomAccessFile;
import dev.kv.env.WritableFile;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.ByteBuffer;

/** The bytes of a table in memory, to be written, damaged and read. */
public final class MemoryFile implements WritableFile {
  private final ByteArrayOutputStream written = new ByteArrayOutputStream();

  @Override
  public void append(ByteBuffer bytes) {
    byte[] copy = new byte[bytes.remaining()];
    bytes.get(copy);
    written.writeBytes(copy);
  }

  @Override
  public void flush() {}

  @Override
  public void sync() {}

  @Override
  public long length() {
    return written.size();
  }

  @Override
  public void close() {}

  byte[] bytes() {
    return written.toByteArray();
  }

  /** Returns a file of {@code bytes} to read. */
  public static Reading reading(byte[] bytes) {
    return new Reading(bytes);
  }

  /** A file that counts its reads and says whether it was closed. */
  public static final class Reading implements RandomAccessFile {
    private final byte[] bytes;
    volatile int reads;
    volatile int closes;

    private Reading(byte[] bytes) {
      this.bytes = bytes;
    }

    @Override
    public synchronized int read(long position, ByteBuffer into, int offset, int length)
        throws IOException {
      if (closes > 0) {
        throw new IOException("closed");
      }
      reads++;
      int count = (int) Math.max(0, Math.min(length, bytes.length - position));
      if (count > 0) {
        into.put(offset, bytes, (int) position, count);
      }
      return count;
    }

    @Override
    public long size() {
      return bytes.length;
    }

    @Override
    public long mappedBytes() {
      return 0;
    }

    @Override
    public synchronized void close() {
      closes++;
    }
  }
}
