package dev.kv.tools.text;

import java.io.ByteArrayOutputStream;
import java.nio.charset.StandardCharsets;
import java.util.HexFormat;
import picocli.CommandLine.ITypeConverter;
import picocli.CommandLine.TypeConversionException;

/**
 * Bytes as arguments spell them: UTF-8 text in which {@code \xNN} stands for one byte and {@code
 * \\} for a backslash. A backslash before any other character stands for itself.
 */
public record ByteText(byte[] bytes) {
  /** The description of a key in help texts. */
  public static final String KEY =
      "Text in which \\xNN stands for one byte and \\\\ for a backslash.";

  /**
   * Reads what {@link dev.kv.Escape#bytes} and {@link Utf8Text} print, and any other text.
   *
   * @throws IllegalArgumentException if two hexadecimal digits do not follow {@code \x}
   */
  public static ByteText parse(String text) {
    ByteArrayOutputStream bytes = new ByteArrayOutputStream(text.length());
    int from = 0;
    for (int at = text.indexOf('\\'); at >= 0; at = text.indexOf('\\', at)) {
      char next = at + 1 < text.length() ? text.charAt(at + 1) : ' ';
      if (next != 'x') {
        // Keeps one backslash, of two or before another character.
        bytes.writeBytes(text.substring(from, at + 1).getBytes(StandardCharsets.UTF_8));
        at += next == '\\' ? 2 : 1;
        from = at;
        continue;
      }
      if (at + 4 > text.length() || !isHex(text.charAt(at + 2)) || !isHex(text.charAt(at + 3))) {
        throw new IllegalArgumentException(
            "'" + text + "': two hexadecimal digits must follow \\x; a backslash is \\\\");
      }
      bytes.writeBytes(text.substring(from, at).getBytes(StandardCharsets.UTF_8));
      bytes.write(HexFormat.fromHexDigits(text, at + 2, at + 4));
      at += 4;
      from = at;
    }
    bytes.writeBytes(text.substring(from).getBytes(StandardCharsets.UTF_8));
    return new ByteText(bytes.toByteArray());
  }

  private static boolean isHex(char c) {
    return HexFormat.isHexDigit(c);
  }

  /** Converts arguments to bytes. */
  public static final class Converter implements ITypeConverter<ByteText> {
    /** Called by the command line parser. */
    Converter() {}

    @Override
    public ByteText convert(String text) {
      try {
        return parse(text);
      } catch (IllegalArgumentException malformed) {
        throw new TypeConversionException(malformed.getMessage());
      }
    }
  }
}
