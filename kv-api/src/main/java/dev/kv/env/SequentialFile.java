package dev.kv.env;

import java.io.IOException;
import java.nio.ByteBuffer;

/** A file read from its beginning, by one thread. */
public interface SequentialFile extends AutoCloseable {
  /**
   * Reads up to the buffer's remaining bytes and advances its position. A short read is not the
   * end.
   *
   * @return how many were read, or -1 at the end of the file
   */
  int read(ByteBuffer into) throws IOException;

  /** Passes over {@code count} bytes, or to the end. */
  void skip(long count) throws IOException;

  @Override
  void close() throws IOException;
}
