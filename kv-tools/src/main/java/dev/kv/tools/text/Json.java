package dev.kv.tools.text;

import static java.util.Objects.requireNonNull;

import com.fasterxml.jackson.core.JsonFactory;
import com.fasterxml.jackson.core.JsonParser;
import com.fasterxml.jackson.core.JsonToken;
import com.fasterxml.jackson.core.StreamReadConstraints;
import java.io.IOException;
import java.util.Base64;
import java.util.HashMap;
import java.util.HexFormat;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * The small part of JSON that the commands need. Bytes that are UTF-8 are a string of the same
 * text. Other bytes are a string in base64, in a member whose name ends in {@code Base64}; in a
 * list, they are an object with the member {@code base64}.
 */
public final class Json {
  private static final String BASE64 = "Base64";
  private static final JsonFactory FACTORY =
      JsonFactory.builder()
          .streamReadConstraints(
              StreamReadConstraints.builder().maxStringLength(Integer.MAX_VALUE).build())
          .build();

  private Json() {}

  /** Appends a JSON string. A character that a terminal would act on or not show is escaped. */
  private static void quote(StringBuilder to, String text) {
    to.append('"');
    for (int at = 0; at < text.length(); ) {
      int character = text.codePointAt(at);
      int end = at + Character.charCount(character);
      if (character == '"' || character == '\\') {
        to.append('\\').append((char) character);
      } else if (Utf8Text.isShown(character)) {
        to.append(text, at, end);
      } else if (character == '\n' || character == '\t') {
        to.append(character == '\n' ? "\\n" : "\\t");
      } else {
        for (int i = at; i < end; i++) {
          to.append("\\u").append(HexFormat.of().toHexDigits(text.charAt(i)));
        }
      }
      at = end;
    }
    to.append('"');
  }

  /**
   * Returns a value as JSON on one line. The value is null, a string, a number, a boolean, a byte
   * array, or a map with string keys or an iterable of such values.
   */
  public static String of(@Nullable Object value) {
    StringBuilder text = new StringBuilder();
    append(text, value);
    return text.toString();
  }

  private static void append(StringBuilder text, @Nullable Object value) {
    if (value instanceof Map<?, ?> members) {
      String separator = "{";
      for (Map.Entry<?, ?> member : members.entrySet()) {
        text.append(separator);
        appendMember(text, String.valueOf(member.getKey()), member.getValue());
        separator = ",";
      }
      text.append(members.isEmpty() ? "{}" : "}");
    } else if (value instanceof Iterable<?> elements) {
      String separator = "";
      text.append('[');
      for (Object element : elements) {
        text.append(separator);
        append(text, element);
        separator = ",";
      }
      text.append(']');
    } else if (value instanceof byte[] bytes) {
      String utf8 = Utf8Text.strict(bytes, 0, bytes.length);
      if (utf8 == null) {
        append(text, Map.of("base64", base64(bytes)));
      } else {
        quote(text, utf8);
      }
    } else if (value instanceof Number || value instanceof Boolean || value == null) {
      text.append(value);
    } else {
      quote(text, value.toString());
    }
  }

  private static void appendMember(StringBuilder text, String name, @Nullable Object value) {
    byte[] bytes = value instanceof byte[] array ? array : null;
    String utf8 = bytes == null ? null : Utf8Text.strict(bytes, 0, bytes.length);
    boolean encoded = bytes != null && utf8 == null;
    quote(text, encoded ? name + BASE64 : name);
    text.append(':');
    append(text, encoded ? base64(requireNonNull(bytes)) : utf8 == null ? value : utf8);
  }

  private static String base64(byte[] bytes) {
    return Base64.getEncoder().encodeToString(bytes);
  }

  /**
   * Returns the bytes of a member, which is a string or in base64.
   *
   * @throws IllegalArgumentException if there is no such member, there are two, or it is malformed
   */
  public static byte[] bytes(Map<String, String> members, String name) {
    String text = members.get(name);
    String encoded = members.get(name + BASE64);
    if ((text == null) == (encoded == null)) {
      throw new IllegalArgumentException(
          text == null
              ? "there is no member '" + name + "'"
              : "there are both '" + name + "' and '" + name + BASE64 + "'");
    }
    if (text != null) {
      return Utf8Text.bytes(text);
    }
    try {
      return Base64.getDecoder().decode(encoded);
    } catch (IllegalArgumentException e) {
      throw new IllegalArgumentException("'" + name + BASE64 + "' is not base64", e);
    }
  }

  /** Returns true if an object has a member, as a string or in base64. */
  public static boolean has(Map<String, String> members, String name) {
    return members.containsKey(name) || members.containsKey(name + BASE64);
  }

  /**
   * Returns the members of an object that holds only strings, each under a name of its own.
   *
   * @throws IllegalArgumentException if the text is anything else, or more than one object
   */
  public static Map<String, String> strings(String object) {
    try (JsonParser parser = FACTORY.createParser(object)) {
      Map<String, String> members = new HashMap<>();
      expect(parser.nextToken(), JsonToken.START_OBJECT);
      while (parser.nextToken() == JsonToken.FIELD_NAME) {
        String name = parser.currentName();
        expect(parser.nextToken(), JsonToken.VALUE_STRING);
        if (members.put(name, parser.getText()) != null) {
          throw new IllegalArgumentException("there are two members '" + name + "'");
        }
      }
      expect(parser.currentToken(), JsonToken.END_OBJECT);
      if (parser.nextToken() != null) {
        throw new IllegalArgumentException("expected one JSON object, and nothing after it");
      }
      return members;
    } catch (IOException malformed) {
      throw new IllegalArgumentException("expected a JSON object of strings", malformed);
    }
  }

  private static void expect(JsonToken found, JsonToken expected) {
    if (found != expected) {
      throw new IllegalArgumentException("expected a JSON object of strings");
    }
  }
}
