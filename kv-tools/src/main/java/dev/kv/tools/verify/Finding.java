package dev.kv.tools.verify;

import dev.kv.core.inspect.StoredKey;
import dev.kv.errors.CorruptionException;
import dev.kv.errors.UnsupportedFormatException;
import dev.kv.tools.text.Printable;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.Locale;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * One thing that a check of a file found.
 *
 * @param kind what kind of finding it is
 * @param file the file's name
 * @param offset the offset in the file, or {@link CorruptionException#NO_OFFSET}
 * @param text what was found
 */
public record Finding(Kind kind, String file, long offset, String text) {

  /** The kinds of findings. */
  public enum Kind {
    /** A note on something that is not a fault. */
    NOTE,
    /** Damage. */
    DAMAGED,
    /** Something of another format, which kv does not read and cannot repair. */
    UNSUPPORTED
  }

  /** Returns a finding of damage. */
  public static Finding damage(String file, long offset, String text) {
    return new Finding(Kind.DAMAGED, file, offset, text);
  }

  /** Returns a note. */
  public static Finding note(String file, long offset, String text) {
    return new Finding(Kind.NOTE, file, offset, text);
  }

  /** Returns the damage that an exception reports, in the file with that name. */
  public static Finding damage(String file, CorruptionException e) {
    return damage(file, e.offset(), withoutFile(String.valueOf(e.getMessage())));
  }

  /** Returns a finding of another format, which an exception reports. */
  public static Finding unsupported(String file, long offset, UnsupportedFormatException e) {
    String text = withoutFile(String.valueOf(e.getMessage()));
    return new Finding(Kind.UNSUPPORTED, file, offset, text);
  }

  /** Returns the message of an exception without the file at its end, which a finding names. */
  private static String withoutFile(String message) {
    int suffix = message.endsWith(")") ? message.lastIndexOf(" (file ") : -1;
    return suffix < 0 ? message : message.substring(0, suffix);
  }

  /** Returns true for what keeps a database from being whole: not for a note. */
  public boolean damage() {
    return kind != Kind.NOTE;
  }

  /** Returns what can be done about another format: the end of the text. */
  String advice() {
    return Printable.of(text.substring(text.lastIndexOf(": ") + 1).strip());
  }

  /** Returns the text for whole records after a write that is torn at an offset. */
  public static String afterTornWrite(long tornAt) {
    return "whole records follow the torn write at " + tornAt + ": an open drops them";
  }

  /** Returns the text for whole edits after one that is torn at an offset. */
  public static String afterTornEdit(long tornAt) {
    return "whole edits follow the torn one at " + tornAt + ": an open refuses the database";
  }

  /**
   * Returns the text for a batch whose operations have larger sequence numbers than a key can hold;
   * null for any other.
   */
  public static @Nullable String beyondGreatestNumber(long sequence, long operations) {
    return sequence < 0 || sequence > StoredKey.MAX_SEQUENCE + 1 - Math.max(operations, 1)
        ? "sequence number " + Long.toUnsignedString(sequence) + " is beyond 2^56"
        : null;
  }

  /** Returns the text for a file that does not exist. */
  static String absence(Path file) {
    return Files.isSymbolicLink(file) ? "is a symbolic link that leads to nothing" : "is missing";
  }

  /** Returns the last name of a path, by which findings call a file of the database. */
  static String baseName(String file) {
    Path last = Path.of(file).getFileName();
    return last == null ? file : last.toString();
  }

  /** Receives findings in the order in which they are made. */
  @FunctionalInterface
  public interface Sink {
    void found(Finding finding);
  }

  /** Returns one printable line. */
  public String line() {
    String place = offset < 0 ? "" : ", offset " + offset;
    String begin = kind.name().toLowerCase(Locale.ROOT);
    return begin + ": " + Printable.of(file + place + ": " + text);
  }

  /** Returns the members of the finding's JSON object. */
  public Map<String, Object> members() {
    Map<String, Object> members = new LinkedHashMap<>();
    members.put("damage", damage());
    if (kind == Kind.UNSUPPORTED) {
      members.put("unsupported", true);
    }
    members.put("file", file);
    if (offset >= 0) {
      members.put("offset", offset);
    }
    members.put("text", Printable.of(text));
    return members;
  }
}
