package dev.kv.tools.text;

import java.io.ByteArrayOutputStream;
import java.nio.charset.StandardCharsets;
import java.util.HexFormat;
import picocli.CommandLine.ITypeConverter;
import picocli.CommandLine.TypeConversionException;

/** Bytes as arguments spell them: UTF-8 text in which {@code \xNN} stands for one byte. */
public record ByteText(byte[] bytes) {
  /** What the help says of a key. */
  public static final String KEY = "Text, in which \\xNN stands for one byte.";

  /** Reads what {@link dev.kv.Escape#bytes} prints, and any other text. */
  public static ByteText parse(String text) {
    ByteArrayOutputStream bytes = new ByteArrayOutputStream(text.length());
    int from = 0;
    for (int at = text.indexOf("\\x"); at >= 0; at = text.indexOf("\\x", from)) {
      if (at + 4 > text.length() || !isHex(text.charAt(at + 2)) || !isHex(text.charAt(at + 3))) {
        throw new IllegalArgumentException(
            "'" + text + "': \\x needs two hexadecimal digits behind it");
      }
      bytes.writeBytes(text.substring(from, at).getBytes(StandardCharsets.UTF_8));
      bytes.write(HexFormat.fromHexDigits(text, at + 2, at + 4));
      from = at + 4;
    }
    bytes.writeBytes(text.substring(from).getBytes(StandardCharsets.UTF_8));
    return new ByteText(bytes.toByteArray());
  }

  private static boolean isHex(char c) {
    return HexFormat.isHexDigit(c);
  }

  /** Lets a command declare parameters of this type. */
  public static final class Converter implements ITypeConverter<ByteText> {
    /** Made by the command line parser. */
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
