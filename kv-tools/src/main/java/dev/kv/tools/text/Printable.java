package dev.kv.tools.text;

import dev.kv.bytes.Escape;

/** Messages that may quote names and text from untrusted files. */
public final class Printable {
  private Printable() {}

  /** Returns a message in which everything outside printable ASCII is escaped. */
  public static String of(String message) {
    return Escape.text(message).replace("\\x5c", "\\");
  }
}
