package dev.kv.tools.text;

import java.nio.ByteBuffer;
import java.nio.CharBuffer;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.StandardCharsets;
import java.util.HexFormat;
import org.jspecify.annotations.Nullable;

/**
 * Bytes as text with real characters. Bytes that are not UTF-8, characters that a terminal would
 * act on or not show, and the backslash are written as {@code \xNN}, so {@link ByteText} reads the
 * text back without loss.
 */
public final class Utf8Text {
  private static final char[] HEX = "0123456789abcdef".toCharArray();

  private Utf8Text() {}

  /** Returns the text that bytes are in UTF-8, or null if they are not UTF-8. */
  public static @Nullable String strict(byte[] bytes, int from, int length) {
    try {
      return StandardCharsets.UTF_8
          .newDecoder()
          .decode(ByteBuffer.wrap(bytes, from, length))
          .toString();
    } catch (CharacterCodingException malformed) {
      return null;
    }
  }

  /**
   * Returns text in UTF-8.
   *
   * @throws IllegalArgumentException if the text has half of a surrogate pair, which has no bytes
   */
  public static byte[] bytes(String text) {
    byte[] bytes = text.getBytes(StandardCharsets.UTF_8);
    for (int i = 0; i < text.length(); i++) {
      if (Character.isSurrogate(text.charAt(i))) {
        int pair = text.codePointAt(i++);
        if (!Character.isSupplementaryCodePoint(pair)) {
          throw new IllegalArgumentException(
              "\\u" + HexFormat.of().toHexDigits((char) pair) + " is half of a character");
        }
      }
    }
    return bytes;
  }

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

  /** Returns true if a terminal shows a character, and it is not the backslash. */
  static boolean isShown(int character) {
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
