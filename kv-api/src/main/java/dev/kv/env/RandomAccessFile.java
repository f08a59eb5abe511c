package dev.kv.env;

import java.io.IOException;
import java.nio.ByteBuffer;

/**
 * A file that is read at any position. Thread-safe. A read that runs at the same time as {@link
 * #close} succeeds or throws {@link IOException}; it never touches unmapped memory.
 */
public interface RandomAccessFile extends AutoCloseable {
  /**
   * Reads bytes at a position of the file. The range of the buffer must not end after its limit.
   * The position of the buffer has no effect; neither changes.
   *
   * @param position the offset of the first byte in the file
   * @param into the buffer, direct or heap
   * @param offset the index of the first byte in the buffer
   * @param length the number of bytes to read
   * @return the number of bytes read, less than {@code length} only at the end of the file
   * @throws IOException if the read fails
   */
  int read(long position, ByteBuffer into, int offset, int length) throws IOException;

  /**
   * Returns the size that the file had when it was opened.
   *
   * @return the size in bytes
   */
  long size();

  /**
   * Returns how much of the file is mapped into memory.
   *
   * @return the number of bytes; 0 if the file is read by position
   */
  long mappedBytes();

  /** Closes the file. Closing it twice does nothing. */
  @Override
  void close() throws IOException;
}
