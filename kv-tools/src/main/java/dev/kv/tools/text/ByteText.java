package dev.kv.tools.text;

import java.io.ByteArrayOutputStream;
import java.util.HexFormat;
import picocli.CommandLine.ITypeConverter;
import picocli.CommandLine.TypeConversionException;

/**
 * Bytes as arguments spell them: UTF-8 text in which {@code \xNN} stands for one byte and {@code
 * \\} for a backslash. Anything else after a backslash is refused.
 */
public record ByteText(byte[] bytes) {
  /** The description of a key in help texts. */
  public static final String KEY =
      "Text in which \\xNN stands for one byte and \\\\ for a backslash. If it begins with a dash,"
          + " put -- before it.";

  /**
   * Reads what {@link dev.kv.bytes.Escape#bytes} and {@link Utf8Text} print, and any other text.
   *
   * @throws IllegalArgumentException if a backslash begins nothing of these, or the text has no
   *     bytes in UTF-8
   */
  public static ByteText parse(String text) {
    ByteArrayOutputStream bytes = new ByteArrayOutputStream(text.length());
    int from = 0;
    for (int at = text.indexOf('\\'); at >= 0; at = text.indexOf('\\', from)) {
      bytes.writeBytes(Utf8Text.bytes(text.substring(from, at)));
      if (text.startsWith("\\\\", at)) {
        bytes.write('\\');
        from = at + 2;
      } else if (text.startsWith("\\x", at)
          && at + 4 <= text.length()
          && HexFormat.isHexDigit(text.charAt(at + 2))
          && HexFormat.isHexDigit(text.charAt(at + 3))) {
        bytes.write(HexFormat.fromHexDigits(text, at + 2, at + 4));
        from = at + 4;
      } else {
        throw new IllegalArgumentException(
            "'"
                + text.substring(at, Math.min(text.length(), at + 4))
                + "': x and two hexadecimal digits must follow a backslash; a backslash itself is"
                + " \\\\");
      }
    }
    bytes.writeBytes(Utf8Text.bytes(text.substring(from)));
    return new ByteText(bytes.toByteArray());
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
