package dev.kv.env;

import java.io.IOException;
import java.nio.ByteBuffer;

/**
 * A file that is written at its end. One thread uses it at a time. An interrupt never closes it.
 */
public interface WritableFile extends AutoCloseable {
  /**
   * Writes the buffer's remaining bytes, and advances its position. If it throws, some of the bytes
   * may have been written.
   *
   * @param bytes the buffer, direct or heap
   * @throws IOException if the write fails
   */
  void append(ByteBuffer bytes) throws IOException;

  /**
   * Passes all bytes to the operating system.
   *
   * @throws IOException if the write fails
   */
  void flush() throws IOException;

  /**
   * Flushes, and makes all bytes durable.
   *
   * @throws IOException if the write or the sync fails
   */
  void sync() throws IOException;

  /**
   * Returns the size of the file, with the bytes that are not flushed.
   *
   * @return the size in bytes
   */
  long length();

  /** Flushes and closes the file, without a sync. Closing it twice does nothing. */
  @Override
  void close() throws IOException;
}
