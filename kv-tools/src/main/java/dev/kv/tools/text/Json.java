package dev.kv.tools.text;

import com.fasterxml.jackson.core.JsonFactory;
import com.fasterxml.jackson.core.JsonParser;
import com.fasterxml.jackson.core.JsonToken;
import com.fasterxml.jackson.core.io.JsonStringEncoder;
import java.io.IOException;
import java.util.HashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** The small part of JSON that the commands need. */
public final class Json {
  private static final JsonFactory FACTORY = new JsonFactory();

  private Json() {}

  /** Returns {@code text} as a JSON string. */
  static String quote(String text) {
    return '"' + String.valueOf(JsonStringEncoder.getInstance().quoteAsString(text)) + '"';
  }

  /**
   * Returns a value as JSON on one line. The value is null, a string, a number, a boolean, a byte
   * array, or a map with string keys or an iterable of such values. A byte array becomes a string
   * as {@link Utf8Text} writes it.
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
        text.append(separator).append(quote(String.valueOf(member.getKey()))).append(':');
        append(text, member.getValue());
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
      text.append(quote(Utf8Text.of(bytes)));
    } else if (value instanceof Number || value instanceof Boolean || value == null) {
      text.append(value);
    } else {
      text.append(quote(value.toString()));
    }
  }

  /**
   * Returns the members of an object that holds only strings.
   *
   * @throws IllegalArgumentException if the text is anything else
   */
  public static Map<String, String> strings(String object) {
    try (JsonParser parser = FACTORY.createParser(object)) {
      Map<String, String> members = new HashMap<>();
      expect(parser.nextToken(), JsonToken.START_OBJECT);
      while (parser.nextToken() == JsonToken.FIELD_NAME) {
        String name = parser.currentName();
        expect(parser.nextToken(), JsonToken.VALUE_STRING);
        members.put(name, parser.getText());
      }
      expect(parser.currentToken(), JsonToken.END_OBJECT);
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
