package dev.kv.tools.text;

import java.nio.ByteBuffer;
import java.nio.CharBuffer;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.CharsetDecoder;
import java.nio.charset.CoderResult;
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
    CharsetDecoder decoder = StandardCharsets.UTF_8.newDecoder();
    ByteBuffer in = ByteBuffer.wrap(bytes);
    CharBuffer decoded = CharBuffer.allocate(bytes.length);
    while (in.hasRemaining()) {
      CoderResult result = decoder.decode(in, decoded.clear(), true);
      decoded.flip();
      while (decoded.hasRemaining()) {
        int character = Character.codePointAt(decoded, 0);
        decoded.position(decoded.position() + Character.charCount(character));
        append(character, text);
      }
      for (int i = result.isMalformed() ? result.length() : 0; i > 0; i--) {
        escape(in.get(), text);
      }
    }
    return text.toString();
  }

  private static void append(int character, StringBuilder text) {
    if (isShown(character)) {
      text.appendCodePoint(character);
    } else {
      for (byte each : Character.toString(character).getBytes(StandardCharsets.UTF_8)) {
        escape(each, text);
      }
    }
  }

  private static void escape(byte value, StringBuilder text) {
    text.append("\\x").append(HEX[value >> 4 & 15]).append(HEX[value & 15]);
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
