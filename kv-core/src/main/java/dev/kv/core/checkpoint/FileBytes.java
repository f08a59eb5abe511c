package dev.kv.core.checkpoint;

import dev.kv.admin.LiveFiles;
import dev.kv.env.RandomAccessFile;
import java.nio.ByteBuffer;

/** A small file whose bytes are known. Nobody changes the array. */
final class FileBytes implements LiveFiles.File {
  private final String name;
  private final byte[] bytes;

  FileBytes(String name, byte[] bytes) {
    this.name = name;
    this.bytes = bytes;
  }

  @Override
  public String name() {
    return name;
  }

  @Override
  public long size() {
    return bytes.length;
  }

  @Override
  public boolean isTable() {
    return false;
  }

  @Override
  public RandomAccessFile open() {
    return new Opened(bytes);
  }

  /** The bytes as an open file. */
  private record Opened(byte[] bytes) implements RandomAccessFile {
    @Override
    public int read(long position, ByteBuffer into, int offset, int length) {
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
    public void close() {
      // Nothing is open.
    }
  }
}
