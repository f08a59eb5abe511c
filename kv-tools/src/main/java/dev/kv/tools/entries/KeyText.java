package dev.kv.tools.entries;

import dev.kv.tools.database.DatabaseArguments;
import dev.kv.tools.text.ByteText;
import dev.kv.tools.text.EntryFormat;

/** A key or value on the command line, escaped or in hexadecimal digits. */
final class KeyText {
  private KeyText() {}

  /**
   * Returns the bytes of an argument.
   *
   * @throws picocli.CommandLine.ParameterException if it is malformed
   */
  static byte[] bytes(String text, boolean hex, DatabaseArguments database) {
    try {
      return hex ? EntryFormat.hexBytes(text) : ByteText.parse(text).bytes();
    } catch (IllegalArgumentException malformed) {
      throw database.wrongUsage((hex ? "'" + text + "': " : "") + malformed.getMessage());
    }
  }
}
