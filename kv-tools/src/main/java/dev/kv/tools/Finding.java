package dev.kv.tools;

import dev.kv.CorruptionException;
import dev.kv.Escape;
import java.util.LinkedHashMap;
import java.util.Map;

/**
 * Something that an examination of a file found.
 *
 * @param damage whether it is damage; if not, it is worth a note and no fault
 * @param file the file's name
 * @param offset where in the file, or {@link CorruptionException#NO_OFFSET}
 * @param text what was found
 */
record Finding(boolean damage, String file, long offset, String text) {

  static Finding damage(String file, long offset, String text) {
    return new Finding(true, file, offset, text);
  }

  static Finding note(String file, long offset, String text) {
    return new Finding(false, file, offset, text);
  }

  /** Returns the damage that an exception reports, in the file of that name. */
  static Finding damage(String file, CorruptionException e) {
    String message = String.valueOf(e.getMessage());
    int suffix = message.lastIndexOf(" (file ");
    return damage(file, e.offset(), suffix < 0 ? message : message.substring(0, suffix));
  }

  /** Receives findings. */
  @FunctionalInterface
  interface Sink {
    void found(Finding finding);
  }

  /** Returns one printable line. */
  String line() {
    String place = offset < 0 ? "" : ", offset " + offset;
    return (damage ? "damaged: " : "note: ") + Failure.printable(file + place + ": " + text);
  }

  /** Returns the members of its JSON object. */
  Map<String, Object> members() {
    Map<String, Object> members = new LinkedHashMap<>();
    members.put("damage", damage);
    members.put("file", Escape.text(file));
    if (offset >= 0) {
      members.put("offset", offset);
    }
    members.put("text", Failure.printable(text));
    return members;
  }
}
