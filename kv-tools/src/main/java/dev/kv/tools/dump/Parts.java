package dev.kv.tools.dump;

import dev.kv.errors.CorruptionException;
import dev.kv.tools.verify.Finding;
import java.util.LinkedHashMap;
import java.util.Map;

/** The parts of one file, damage included, passed on in the order in which they are found. */
final class Parts {
  private final Sink sink;
  private boolean damaged;

  /** Receives the parts of a file. */
  @FunctionalInterface
  interface Sink {
    /**
     * Receives one part.
     *
     * @param depth the nesting depth, 0 for the outermost parts
     * @param members the members by name: numbers, strings, and bytes from the file
     */
    void part(int depth, String type, Map<String, Object> members);
  }

  Parts(Sink sink) {
    this.sink = sink;
  }

  /** Returns true if damage was found; a write that a crash tore is not damage. */
  boolean isDamaged() {
    return damaged;
  }

  /** Passes on a part; {@code members} are names and values in turn. */
  void part(int depth, String type, Object... members) {
    Map<String, Object> map = new LinkedHashMap<>();
    for (int i = 0; i < members.length; i += 2) {
      map.put((String) members[i], members[i + 1]);
    }
    sink.part(depth, type, map);
  }

  /** Passes on the damage that an exception reports. */
  void damage(CorruptionException e) {
    Finding finding = Finding.damage("", e);
    damage(finding.offset(), finding.text());
  }

  /** Passes on damage; {@code more} are names and values in turn. */
  void damage(long offset, String text, Object... more) {
    damaged = true;
    damagePart(offset, text, more);
  }

  /**
   * Passes on a write that a crash tore, which does not count as damage; {@code more} are names and
   * values in turn.
   */
  void torn(long offset, String text, Object... more) {
    damagePart(offset, text, more);
  }

  private void damagePart(long offset, String text, Object... more) {
    Object[] members = new Object[4 + more.length];
    members[0] = "offset";
    members[1] = offset;
    members[2] = "text";
    members[3] = text;
    System.arraycopy(more, 0, members, 4, more.length);
    part(0, "damage", members);
  }
}
