package dev.kv.tools.entries;

import dev.kv.WriteBatch;
import dev.kv.tools.text.ByteText;
import dev.kv.tools.text.EntryFormat;
import dev.kv.tools.text.Json;
import java.util.Map;

/** How an operation of a batch is written on a line. */
enum BatchLine {
  /**
   * {@code put KEY VALUE} or {@code delete KEY}, escaped, separated by a tab or a space. After a
   * tab, a tab ends the key; after a space, the first of both does.
   */
  TEXT {
    @Override
    void add(WriteBatch batch, String line) {
      String[] words = words(line);
      String rest = words[1];
      if (words[0].equals("delete")) {
        batch.delete(ByteText.parse(rest).bytes());
      } else {
        int at = rest.indexOf('\t');
        int space = line.startsWith("put\t") ? -1 : rest.indexOf(' ');
        at = space >= 0 && (at < 0 || space < at) ? space : at;
        if (at < 0) {
          throw new IllegalArgumentException("'put' needs a key and a value");
        }
        batch.put(
            ByteText.parse(rest.substring(0, at)).bytes(),
            ByteText.parse(rest.substring(at + 1)).bytes());
      }
    }
  },
  /** {@code put HEXKEY HEXVALUE} or {@code delete HEXKEY}. */
  HEX {
    @Override
    void add(WriteBatch batch, String line) {
      String[] words = words(line);
      if (words[0].equals("delete")) {
        batch.delete(EntryFormat.hexBytes(words[1]));
      } else {
        Map.Entry<byte[], byte[]> entry = EntryFormat.HEX.parse(words[1]);
        batch.put(entry.getKey(), entry.getValue());
      }
    }
  },
  /** An object with the members {@code type}, {@code key} and, for a put, {@code value}. */
  JSON {
    @Override
    void add(WriteBatch batch, String line) {
      Map<String, String> members = Json.strings(line);
      String type = members.getOrDefault("type", "");
      if (type.equals("put") && Json.has(members, "value")) {
        batch.put(Json.bytes(members, "key"), Json.bytes(members, "value"));
      } else if (type.equals("delete")) {
        batch.delete(Json.bytes(members, "key"));
      } else {
        throw new IllegalArgumentException(
            "expected type put with key and value, or type delete with key");
      }
    }
  };

  /**
   * Adds the operation on a line to a batch.
   *
   * @throws IllegalArgumentException if the line is not an operation in this format
   */
  abstract void add(WriteBatch batch, String line);

  /** Returns the operation and the text after it. */
  private static String[] words(String line) {
    for (String operation : new String[] {"put", "delete"}) {
      int length = operation.length();
      if (line.startsWith(operation)
          && line.length() > length
          && (line.charAt(length) == ' ' || line.charAt(length) == '\t')) {
        return new String[] {operation, line.substring(length + 1)};
      }
    }
    throw new IllegalArgumentException("expected 'put KEY VALUE' or 'delete KEY'");
  }
}
