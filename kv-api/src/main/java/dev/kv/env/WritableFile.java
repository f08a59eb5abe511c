package dev.kv.env;

import java.io.IOException;
import java.nio.ByteBuffer;

/** A file written at its end, by one thread at a time. An interrupt never closes it. */
public interface WritableFile extends AutoCloseable {
  /**
   * Writes the buffer's remaining bytes and advances its position; with an exception, some may be
   * written.
   */
  void append(ByteBuffer bytes) throws IOException;

  /** Hands everything to the operating system. */
  void flush() throws IOException;

  /** Makes everything durable. */
  void sync() throws IOException;

  /** Returns the size in bytes, what is not flushed included. */
  long length();

  /** Flushes and closes; does not sync. */
  @Override
  void close() throws IOException;
}
