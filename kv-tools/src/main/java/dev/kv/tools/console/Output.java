package dev.kv.tools.console;

import java.io.FileDescriptor;
import java.io.FileOutputStream;
import java.io.IOException;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;

/** Standard output, buffered. Lines are UTF-8 in every locale. For one thread. */
public final class Output implements AutoCloseable {
  private static final int CAPACITY = 1 << 16;

  private final PrintStream out = System.out;
  private final byte[] buffer = new byte[CAPACITY];
  private int length;

  /** Prints one line. */
  public void line(String text) {
    bytes((text + '\n').getBytes(StandardCharsets.UTF_8));
  }

  /**
   * Prints bytes as they are.
   *
   * @throws Failure if standard output cannot be written, or the command is cancelled
   */
  public void bytes(byte[] bytes) {
    Cancellation.check();
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

  /**
   * Writes what is buffered.
   *
   * @throws Failure if standard output cannot be written
   */
  public void flush() {
    out.write(buffer, 0, length);
    length = 0;
    if (out.checkError()) {
      throw failure();
    }
  }

  /**
   * Returns the reason for which standard output cannot be written. Its message is empty if the
   * reader of a pipe has ended, as {@code head} does.
   */
  public static Failure failure() {
    try {
      // Not closed: if standard output was closed, the descriptor is one of the JVM's own files.
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
