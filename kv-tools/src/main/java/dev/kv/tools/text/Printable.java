package dev.kv.tools.text;

import dev.kv.Escape;

/** Messages that may hold names and words from strangers. */
public final class Printable {
  private Printable() {}

  /** Returns a message with what is not printable escaped. */
  public static String of(String message) {
    return Escape.text(message).replace("\\x5c", "\\");
  }
}
