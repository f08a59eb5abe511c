package dev.kv.tools.console;

import java.io.FileDescriptor;
import java.io.FileOutputStream;
import java.io.IOException;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;

/** Standard output, buffered. Lines are ASCII; what cannot be written is a {@link Failure}. */
public final class Output implements AutoCloseable {
  private static final int CAPACITY = 1 << 16;

  private final PrintStream out = System.out;
  private final byte[] buffer = new byte[CAPACITY];
  private int length;

  /** Prints one line. */
  public void line(String text) {
    bytes((text + '\n').getBytes(StandardCharsets.US_ASCII));
  }

  /** Prints bytes as they are. */
  public void bytes(byte[] bytes) {
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
  public void flush() {
    out.write(buffer, 0, length);
    length = 0;
    if (out.checkError()) {
      throw failure();
    }
  }

  /**
   * Returns why standard output, which has failed, cannot be written; a reader that is gone is no
   * news.
   */
  public static Failure failure() {
    try {
      // Left open: if standard output was closed, one of the JVM's own files has its place.
      new FileOutputStream(FileDescriptor.out).write('\n');
      return new Failure("standard output could not be written");
    } catch (IOException e) {
      String reason = String.valueOf(e.getMessage());
      return new Failure(
          reason.equals("Broken pipe") ? "" : "standard output cannot be written: " + reason);
    }
  }

  @Override
  public void close() {
    flush();
  }
}
