package dev.kv.tools.dump;

import dev.kv.CorruptionException;
import dev.kv.tools.verify.Finding;
import java.util.LinkedHashMap;
import java.util.Map;

/** The parts of one file as they are found, damage among them. */
final class Parts {
  private final Sink sink;
  private boolean damaged;

  /** Receives the parts of a file. */
  @FunctionalInterface
  interface Sink {
    /**
     * Takes one part.
     *
     * @param depth 0, or how deep it stands inside others
     * @param members its members by name: numbers, texts, and bytes from the file
     */
    void part(int depth, String type, Map<String, Object> members);
  }

  Parts(Sink sink) {
    this.sink = sink;
  }

  /** Returns whether damage was found; what a crash has torn is none. */
  boolean isDamaged() {
    return damaged;
  }

  /** Hands on a part; {@code members} are names and values in turn. */
  void part(int depth, String type, Object... members) {
    Map<String, Object> map = new LinkedHashMap<>();
    for (int i = 0; i < members.length; i += 2) {
      map.put((String) members[i], members[i + 1]);
    }
    sink.part(depth, type, map);
  }

  /** Hands on damage as an exception reports it. */
  void damage(CorruptionException e) {
    Finding finding = Finding.damage("", e);
    damage(finding.offset(), finding.text());
  }

  /** Hands on damage; {@code more} are names and values in turn. */
  void damage(long offset, String text, Object... more) {
    damaged = true;
    damagePart(offset, text, more);
  }

  /**
   * Hands on what a crash has torn, as damage that is none; {@code more} are names and values in
   * turn.
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
