package dev.kv.tools;

import java.io.PrintStream;
import java.nio.charset.StandardCharsets;

/** Standard output, buffered. Lines are ASCII; a reader that has gone away is a {@link Failure}. */
final class Output implements AutoCloseable {
  private static final int CAPACITY = 1 << 16;

  private final PrintStream out = System.out;
  private final byte[] buffer = new byte[CAPACITY];
  private int length;

  /** Prints one line. */
  void line(String text) {
    bytes((text + '\n').getBytes(StandardCharsets.US_ASCII));
  }

  /** Prints bytes as they are. */
  void bytes(byte[] bytes) {
    if (bytes.length > CAPACITY - length) {
      flush();
    }
    if (bytes.length > CAPACITY) {
      out.write(bytes, 0, bytes.length);
    } else {
      System.arraycopy(bytes, 0, buffer, length, bytes.length);
      length += bytes.length;
    }
  }

  /** Hands on what is buffered. */
  void flush() {
    out.write(buffer, 0, length);
    length = 0;
    if (out.checkError()) {
      throw new Failure("standard output cannot be written");
    }
  }

  @Override
  public void close() {
    flush();
  }
}
