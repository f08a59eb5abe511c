package dev.kv;

/**
 * Printing of bytes from strangers: nothing outside 0x20-0x7E gets through, nor a bare backslash.
 */
public final class Escape {
  private static final char[] HEX = "0123456789abcdef".toCharArray();

  private Escape() {}

  /** Returns {@code bytes} as printable ASCII, other bytes and the backslash as {@code \xNN}. */
  public static String bytes(byte[] bytes) {
    StringBuilder text = new StringBuilder(bytes.length);
    for (byte b : bytes) {
      append(text, b & 0xff);
    }
    return text.toString();
  }

  /**
   * Returns {@code text} with every character outside printable ASCII, and the backslash, escaped.
   */
  public static String text(String text) {
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
