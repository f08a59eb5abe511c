package dev.kv.tools.text;

import java.io.IOException;
import java.io.InputStream;
import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/**
 * The lines of a stream, which must be UTF-8: other bytes are refused, not replaced. A line ends in
 * a line feed, with or without a carriage return before it. A byte order mark before the first line
 * is skipped. One thread uses it.
 */
public final class Utf8Lines {
  private static final int CAPACITY = 1 << 16;
  private static final int LIMIT = 1 << 30;

  private static final byte[] MARK = {(byte) 0xef, (byte) 0xbb, (byte) 0xbf};

  private final InputStream in;
  private final int limit;
  private byte[] buffer = new byte[CAPACITY];
  private int from;
  private int end;
  private long number;

  /** Reads lines from {@code in}, which the caller closes. */
  public Utf8Lines(InputStream in) {
    this(in, LIMIT);
  }

  /** Reads lines that are shorter than {@code limit} bytes. */
  Utf8Lines(InputStream in, int limit) {
    this.in = in;
    this.limit = limit;
  }

  /** Returns the beginning of a message on the line that was read last. */
  public String place() {
    return "line " + number + " of the input: ";
  }

  /** Returns the number of the line that was read last, from 1 on; 0 before the first. */
  public long number() {
    return number;
  }

  /**
   * Returns the next line without its end, or null at the end of the stream.
   *
   * @throws IllegalArgumentException if it is not UTF-8, or too long
   */
  public @Nullable String next() throws IOException {
    int searched = from;
    while (true) {
      for (int at = searched; at < end; at++) {
        if (buffer[at] == '\n') {
          skipMark();
          String line = line(at);
          from = at + 1;
          return line;
        }
      }
      searched = end - from;
      if (!fill()) {
        skipMark();
        return from == end ? null : last();
      }
    }
  }

  /** Skips a byte order mark before the first line. */
  private void skipMark() {
    if (number == 0
        && Arrays.equals(buffer, from, Math.min(from + MARK.length, end), MARK, 0, MARK.length)) {
      from += MARK.length;
    }
  }

  private String last() {
    String line = line(end);
    from = end;
    return line;
  }

  private String line(int lineEnd) {
    number++;
    int length = lineEnd - from;
    if (length > 0 && buffer[lineEnd - 1] == '\r') {
      length--;
    }
    String line = Utf8Text.strict(buffer, from, length);
    if (line == null) {
      throw new IllegalArgumentException("it is not UTF-8: write each such byte as \\xNN");
    }
    return line;
  }

  /** Reads more bytes after those that are left, which move to the start of the buffer. */
  private boolean fill() throws IOException {
    System.arraycopy(buffer, from, buffer, 0, end - from);
    end -= from;
    from = 0;
    if (end == limit) {
      number++;
      throw new IllegalArgumentException("a line must be shorter than " + limit + " bytes");
    }
    if (end == buffer.length) {
      buffer = Arrays.copyOf(buffer, Math.min(2 * end, limit));
    }
    int count = in.read(buffer, end, buffer.length - end);
    end += Math.max(count, 0);
    return count > 0;
  }
}
