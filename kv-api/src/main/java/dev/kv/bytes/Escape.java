package dev.kv.bytes;

import java.util.Arrays;
import java.util.Objects;

/**
 * Makes untrusted bytes and text printable: the result has only the characters 0x20 to 0x7E, and a
 * backslash only as part of an escape. Thread-safe.
 */
public final class Escape {
  private static final char[] HEX = "0123456789abcdef".toCharArray();
  private static final int SHOWN = 64;

  private Escape() {}

  /**
   * Returns bytes as printable ASCII. Other bytes, and the backslash, become {@code \xNN}.
   *
   * @param bytes the bytes
   * @return the printable text
   */
  public static String bytes(byte[] bytes) {
    Objects.requireNonNull(bytes, "bytes");
    StringBuilder text = new StringBuilder(bytes.length);
    for (byte b : bytes) {
      append(text, b & 0xff);
    }
    return text.toString();
  }

  /**
   * Returns bytes as {@link #bytes} does, for a message: if there are more than 64, the first 64
   * and the length.
   *
   * @param bytes the bytes
   * @return the printable text
   */
  public static String shown(byte[] bytes) {
    Objects.requireNonNull(bytes, "bytes");
    return shown(Arrays.copyOf(bytes, Math.min(bytes.length, SHOWN)), bytes.length);
  }

  static String shown(Slice slice) {
    byte[] head = new byte[Math.min(slice.length(), SHOWN)];
    slice.copyTo(0, head, 0, head.length);
    return shown(head, slice.length());
  }

  private static String shown(byte[] head, int length) {
    return bytes(head) + (head.length < length ? "... (" + length + " bytes)" : "");
  }

  /**
   * Returns a text as printable ASCII. Other characters, and the backslash, become <code>&#92;xNN
   * </code> or <code>&#92;uNNNN</code>.
   *
   * @param text the text
   * @return the printable text
   */
  public static String text(String text) {
    Objects.requireNonNull(text, "text");
    StringBuilder escaped = new StringBuilder(text.length());
    for (int i = 0; i < text.length(); i++) {
      char c = text.charAt(i);
      if (c < 0x100) {
        append(escaped, c);
      } else {
        escaped.append("\\u").append(HEX[c >> 12]).append(HEX[c >> 8 & 15]);
        escaped.append(HEX[c >> 4 & 15]).append(HEX[c & 15]);
      }
    }
    return escaped.toString();
  }

  private static void append(StringBuilder text, int b) {
    if (b >= 0x20 && b <= 0x7e && b != '\\') {
      text.append((char) b);
    } else {
      text.append("\\x").append(HEX[b >> 4]).append(HEX[b & 15]);
    }
  }
}
