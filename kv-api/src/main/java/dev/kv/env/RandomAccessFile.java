package dev.kv.env;

import java.io.IOException;
import java.nio.ByteBuffer;

/**
 * A file read at positions, by any number of threads. A read that races with {@link #close} throws
 * {@link IOException} or succeeds; it never touches unmapped memory.
 */
public interface RandomAccessFile extends AutoCloseable {
  /**
   * Reads {@code length} bytes at {@code position} into {@code into} at {@code offset}, whose
   * position and limit play no part.
   *
   * @return how many were read: less than {@code length} only at the end of the file
   */
  int read(long position, ByteBuffer into, int offset, int length) throws IOException;

  /** Returns the size in bytes that the file had when it was opened. */
  long size();

  /** Returns how many bytes of it are mapped into memory; 0 where it is read by position. */
  long mappedBytes();

  @Override
  void close() throws IOException;
}
