package dev.kv.env;

import java.io.IOException;
import java.nio.ByteBuffer;

/** A file that is read from its beginning. One thread uses it. */
public interface SequentialFile extends AutoCloseable {
  /**
   * Reads at most the buffer's remaining bytes, and advances its position. A read of fewer bytes
   * does not mean the end of the file.
   *
   * @param into the buffer, direct or heap
   * @return the number of bytes read, or -1 at the end of the file
   * @throws IOException if the read fails
   */
  int read(ByteBuffer into) throws IOException;

  /**
   * Skips bytes, at most to the end of the file.
   *
   * @param count the number of bytes
   * @throws IOException if the file cannot be read
   */
  void skip(long count) throws IOException;

  /** Closes the file. Closing it twice does nothing. */
  @Override
  void close() throws IOException;
}
