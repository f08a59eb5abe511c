package dev.kv.tools.text;

import java.nio.ByteBuffer;
import java.nio.CharBuffer;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.StandardCharsets;

/**
 * Bytes as text with real characters. Bytes that are not UTF-8, characters that a terminal would
 * act on or not show, and the backslash are written as {@code \xNN}, so {@link ByteText} reads the
 * text back without loss.
 */
public final class Utf8Text {
  private static final char[] HEX = "0123456789abcdef".toCharArray();

  private Utf8Text() {}

  /** Returns bytes as text. */
  public static String of(byte[] bytes) {
    StringBuilder text = new StringBuilder(bytes.length);
    int at = 0;
    while (at < bytes.length) {
      int length = Math.min(sequenceLength(bytes[at]), bytes.length - at);
      int character = decode(bytes, at, length);
      if (character >= 0 && isShown(character)) {
        text.appendCodePoint(character);
        at += length;
      } else {
        text.append("\\x").append(HEX[bytes[at] >> 4 & 15]).append(HEX[bytes[at] & 15]);
        at++;
      }
    }
    return text.toString();
  }

  /** Returns the length of the UTF-8 sequence that begins with a byte; 1 if none does. */
  private static int sequenceLength(byte first) {
    int leadingOnes = Integer.numberOfLeadingZeros(~first << Integer.SIZE - Byte.SIZE);
    return leadingOnes >= 2 && leadingOnes <= 4 ? leadingOnes : 1;
  }

  /** Returns the only character of some bytes, or -1 if they are not one character. */
  private static int decode(byte[] bytes, int from, int length) {
    if (bytes[from] >= 0) {
      return bytes[from];
    }
    try {
      CharBuffer decoded =
          StandardCharsets.UTF_8.newDecoder().decode(ByteBuffer.wrap(bytes, from, length));
      return Character.codePointAt(decoded, 0);
    } catch (CharacterCodingException malformed) {
      return -1;
    }
  }

  private static boolean isShown(int character) {
    return character != '\\'
        && switch (Character.getType(character)) {
          case Character.CONTROL,
              Character.FORMAT,
              Character.SURROGATE,
              Character.PRIVATE_USE,
              Character.UNASSIGNED,
              Character.LINE_SEPARATOR,
              Character.PARAGRAPH_SEPARATOR ->
              false;
          default -> true;
        };
  }
}
