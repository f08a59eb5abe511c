package dev.kv.jmh.result;

/** Parses one {@link JsonLine}. */
final class JsonParser {
  private final String text;
  private int at;

  JsonParser(String text) {
    this.text = text;
  }

  JsonLine object() {
    JsonLine line = new JsonLine();
    expect('{');
    if (peek() != '}') {
      do {
        member(line);
      } while (taken(','));
    }
    expect('}');
    if (peek() != 0) {
      throw malformed();
    }
    return line;
  }

  private void member(JsonLine line) {
    String name = string();
    expect(':');
    char c = peek();
    if (c == '"') {
      line.put(name, string());
    } else if (text.startsWith("true", at) || text.startsWith("false", at)) {
      boolean value = c == 't';
      at += value ? 4 : 5;
      line.put(name, value);
    } else {
      line.put(name, number());
    }
  }

  private double number() {
    int start = at;
    while (at < text.length() && "+-.0123456789eE".indexOf(text.charAt(at)) >= 0) {
      at++;
    }
    try {
      return Double.parseDouble(text.substring(start, at));
    } catch (NumberFormatException e) {
      at = start;
      throw malformed();
    }
  }

  private String string() {
    expect('"');
    StringBuilder out = new StringBuilder();
    while (at < text.length() && text.charAt(at) != '"') {
      char c = text.charAt(at++);
      out.append(c == '\\' ? escaped() : c);
    }
    if (at == text.length()) {
      throw malformed();
    }
    at++;
    return out.toString();
  }

  private char escaped() {
    if (at == text.length()) {
      throw malformed();
    }
    char c = text.charAt(at++);
    return switch (c) {
      case '"', '\\', '/' -> c;
      case 'n' -> '\n';
      case 't' -> '\t';
      case 'r' -> '\r';
      case 'u' -> hex();
      default -> throw malformed();
    };
  }

  private char hex() {
    if (at + 4 > text.length()) {
      throw malformed();
    }
    try {
      char c = (char) Integer.parseInt(text.substring(at, at + 4), 16);
      at += 4;
      return c;
    } catch (NumberFormatException e) {
      throw malformed();
    }
  }

  /** Skips white space; returns the next character, or 0 at the end. */
  private char peek() {
    while (at < text.length() && Character.isWhitespace(text.charAt(at))) {
      at++;
    }
    return at < text.length() ? text.charAt(at) : 0;
  }

  private boolean taken(char c) {
    if (peek() != c) {
      return false;
    }
    at++;
    return true;
  }

  private void expect(char c) {
    if (!taken(c)) {
      throw malformed();
    }
  }

  private IllegalArgumentException malformed() {
    return new IllegalArgumentException("expected a JSON object at character " + at + ": " + text);
  }
}
