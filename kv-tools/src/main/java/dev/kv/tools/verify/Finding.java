package dev.kv.tools.verify;

import dev.kv.CorruptionException;
import dev.kv.Escape;
import dev.kv.tools.text.Printable;
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
public record Finding(boolean damage, String file, long offset, String text) {

  /** Returns what was found as damage. */
  public static Finding damage(String file, long offset, String text) {
    return new Finding(true, file, offset, text);
  }

  /** Returns what was found as worth a note and no fault. */
  public static Finding note(String file, long offset, String text) {
    return new Finding(false, file, offset, text);
  }

  /** Returns the damage that an exception reports, in the file of that name. */
  public static Finding damage(String file, CorruptionException e) {
    String message = String.valueOf(e.getMessage());
    int suffix = message.lastIndexOf(" (file ");
    return damage(file, e.offset(), suffix < 0 ? message : message.substring(0, suffix));
  }

  /** Returns the text for a whole record behind a write that is torn at an offset. */
  public static String behindTornWrite(long tornAt) {
    return "whole records behind the torn write at " + tornAt + ": an open drops them";
  }

  /** Receives findings. */
  @FunctionalInterface
  public interface Sink {
    void found(Finding finding);
  }

  /** Returns one printable line. */
  public String line() {
    String place = offset < 0 ? "" : ", offset " + offset;
    return (damage ? "damaged: " : "note: ") + Printable.of(file + place + ": " + text);
  }

  /** Returns the members of its JSON object. */
  public Map<String, Object> members() {
    Map<String, Object> members = new LinkedHashMap<>();
    members.put("damage", damage);
    members.put("file", Escape.text(file));
    if (offset >= 0) {
      members.put("offset", offset);
    }
    members.put("text", Printable.of(text));
    return members;
  }
}
