package dev.kv.jmh.result;

import java.util.LinkedHashMap;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;

/** A JSON object on one line with values that are strings, numbers and booleans. */
public final class JsonLine {
  private final Map<String, Object> values = new LinkedHashMap<>();

  /** Sets a string. */
  public JsonLine put(String name, String value) {
    values.put(name, value);
    return this;
  }

  /** Sets a number, unless JSON cannot express it. */
  public JsonLine put(String name, double value) {
    if (Double.isFinite(value)) {
      values.put(name, value);
    }
    return this;
  }

  /** Sets a whole number. */
  public JsonLine put(String name, long value) {
    values.put(name, (double) value);
    return this;
  }

  /** Sets a boolean. */
  public JsonLine put(String name, boolean value) {
    values.put(name, value);
    return this;
  }

  /** Returns true if there is a value with that name. */
  public boolean has(String name) {
    return values.containsKey(name);
  }

  /** Returns a string. */
  public String text(String name) {
    return cast(name, String.class);
  }

  /** Returns a number. */
  public double number(String name) {
    return cast(name, Double.class);
  }

  /** Returns a whole number. */
  public long whole(String name) {
    return Math.round(number(name));
  }

  /** Returns a boolean. */
  public boolean truth(String name) {
    return cast(name, Boolean.class);
  }

  /** Returns all values in order. */
  public Map<String, Object> values() {
    return Map.copyOf(values);
  }

  private <T> T cast(String name, Class<T> type) {
    Object value =
        Optional.ofNullable(values.get(name))
            .orElseThrow(() -> new IllegalArgumentException("no '" + name + "' in " + this));
    if (!type.isInstance(value)) {
      throw new IllegalArgumentException(
          "'" + name + "' is not a " + type.getSimpleName() + " in " + this);
    }
    return type.cast(value);
  }

  /**
   * Parses a line.
   *
   * @throws IllegalArgumentException if it is not such an object
   */
  public static JsonLine parse(String line) {
    return new JsonParser(line).object();
  }

  /** Returns the object as one line. */
  @Override
  public String toString() {
    StringBuilder out = new StringBuilder("{");
    values.forEach(
        (name, value) -> {
          if (out.length() > 1) {
            out.append(',');
          }
          quote(out, name);
          out.append(':');
          append(out, value);
        });
    return out.append('}').toString();
  }

  private static void append(StringBuilder out, Object value) {
    if (value instanceof Double number && number == Math.rint(number) && Math.abs(number) < 1e15) {
      out.append(number.longValue());
    } else if (value instanceof String text) {
      quote(out, text);
    } else {
      out.append(value);
    }
  }

  private static void quote(StringBuilder out, String text) {
    out.append('"');
    for (int i = 0; i < text.length(); i++) {
      char c = text.charAt(i);
      if (c == '"' || c == '\\') {
        out.append('\\').append(c);
      } else if (c < ' ') {
        out.append(String.format(Locale.ROOT, "\\u%04x", (int) c));
      } else {
        out.append(c);
      }
    }
    out.append('"');
  }
}
