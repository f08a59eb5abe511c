package dev.kv.tools.text;

/** Numbers of things in words. */
public final class Quantity {
  private Quantity() {}

  /** Returns {@code 1 log} or {@code 2 logs} for the noun {@code log}. */
  public static String of(long count, String noun) {
    return of(count, noun, noun + "s");
  }

  /** Returns {@code 1 entry} or {@code 2 entries}. */
  public static String of(long count, String one, String more) {
    return count + " " + (count == 1 ? one : more);
  }
}
