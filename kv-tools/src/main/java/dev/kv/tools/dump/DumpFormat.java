package dev.kv.tools.dump;

import dev.kv.bytes.Escape;
import dev.kv.tools.text.Json;
import dev.kv.tools.text.Printable;
import java.util.LinkedHashMap;
import java.util.Map;

/** How the parts of a file are written, one on each line. */
enum DumpFormat {
  /** The type of the part, and its members as {@code name=value}; nested parts are indented. */
  TEXT {
    @Override
    String line(int depth, String type, Map<String, ?> members) {
      StringBuilder line = new StringBuilder("  ".repeat(depth)).append(type);
      members.forEach(
          (name, value) -> line.append(' ').append(name).append('=').append(text(value)));
      return line.toString();
    }
  },
  /** An object with the member {@code type} and the members of the part. */
  JSON {
    @Override
    String line(int depth, String type, Map<String, ?> members) {
      Map<String, Object> all = new LinkedHashMap<>();
      all.put("type", type);
      all.putAll(members);
      return Json.of(all);
    }
  };

  /** Returns a part as a line without a line end. */
  abstract String line(int depth, String type, Map<String, ?> members);

  private static String text(Object value) {
    if (value instanceof byte[] bytes) {
      return "'" + Escape.bytes(bytes) + "'";
    }
    return value instanceof Number || value instanceof Boolean
        ? value.toString()
        : "'" + Printable.of(value.toString()) + "'";
  }
}
