package dev.kv.tools.text;

import dev.kv.bytes.Escape;
import java.util.HexFormat;
import java.util.LinkedHashMap;
import java.util.Map;

/** How an entry is written on one line. */
public enum EntryFormat {
  /** The key, a tab and the value, escaped. */
  TEXT {
    @Override
    public String line(byte[] key, byte[] value) {
      return Escape.bytes(key) + '\t' + Escape.bytes(value);
    }

    @Override
    public Map.Entry<byte[], byte[]> parse(String line) {
      int tab = separator(line, '\t', "KEY, a tab and VALUE");
      if (line.indexOf('\t', tab + 1) >= 0) {
        throw new IllegalArgumentException(
            "expected KEY, a tab and VALUE; a tab in these is written \\x09");
      }
      return Map.entry(
          ByteText.parse(line.substring(0, tab)).bytes(),
          ByteText.parse(line.substring(tab + 1)).bytes());
    }
  },
  /** As {@link #TEXT}, with real characters if key and value are UTF-8. */
  UTF8 {
    @Override
    public String line(byte[] key, byte[] value) {
      return Utf8Text.of(key) + '\t' + Utf8Text.of(value);
    }

    @Override
    public Map.Entry<byte[], byte[]> parse(String line) {
      return TEXT.parse(line);
    }
  },
  /** The key, one space and the value, in lower-case hexadecimal digits. */
  HEX {
    @Override
    public String line(byte[] key, byte[] value) {
      return HexFormat.of().formatHex(key) + ' ' + HexFormat.of().formatHex(value);
    }

    @Override
    public Map.Entry<byte[], byte[]> parse(String line) {
      int space = separator(line, ' ', "HEXKEY HEXVALUE");
      return Map.entry(hexBytes(line.substring(0, space)), hexBytes(line.substring(space + 1)));
    }
  },
  /** An object with the members {@code key} and {@code value}, as {@link Json} writes bytes. */
  JSON {
    @Override
    public String line(byte[] key, byte[] value) {
      return Json.of(members(key, value));
    }

    @Override
    public String versionLine(long sequence, String type, byte[] key, byte[] value) {
      Map<String, Object> members = new LinkedHashMap<>();
      members.put("sequence", sequence);
      members.put("type", type);
      members.putAll(members(key, value));
      return Json.of(members);
    }

    private static Map<String, Object> members(byte[] key, byte[] value) {
      Map<String, Object> members = new LinkedHashMap<>();
      members.put("key", key);
      members.put("value", value);
      return members;
    }

    @Override
    public Map.Entry<byte[], byte[]> parse(String line) {
      Map<String, String> members = Json.strings(line);
      return Map.entry(Json.bytes(members, "key"), Json.bytes(members, "value"));
    }
  };

  /** Returns the entry as a line without a line end. */
  public abstract String line(byte[] key, byte[] value);

  /** Returns the key as a line without a line end. */
  public String keyLine(byte[] key) {
    return switch (this) {
      case TEXT -> Escape.bytes(key);
      case UTF8 -> Utf8Text.of(key);
      case HEX -> HexFormat.of().formatHex(key);
      case JSON -> Json.of(Map.of("key", key));
    };
  }

  /** Returns one version of an entry as such a line that begins with sequence number and type. */
  public String versionLine(long sequence, String type, byte[] key, byte[] value) {
    String separator = this == HEX ? " " : "\t";
    return sequence + separator + type + separator + line(key, value);
  }

  /**
   * Returns the entry that a line holds.
   *
   * @throws IllegalArgumentException if the line holds no entry in this format
   */
  public abstract Map.Entry<byte[], byte[]> parse(String line);

  /**
   * Returns the bytes that hexadecimal digits stand for.
   *
   * @throws IllegalArgumentException if the text is not two digits for each byte
   */
  public static byte[] hexBytes(String digits) {
    try {
      return HexFormat.of().parseHex(digits);
    } catch (IllegalArgumentException e) {
      throw new IllegalArgumentException("expected two hexadecimal digits for each byte", e);
    }
  }

  private static int separator(String line, char separator, String form) {
    int at = line.indexOf(separator);
    if (at < 0) {
      throw new IllegalArgumentException("expected " + form);
    }
    return at;
  }
}
