package dev.kv.bytes;

import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/**
 * A range of keys. Two ranges are equal if the bytes of their keys are. The arrays are not copied:
 * do not change them while the range is in use.
 *
 * @param from the first key, inclusive, or null for no bound
 * @param to the end, exclusive, or null for no bound
 */
public record Range(byte @Nullable [] from, byte @Nullable [] to) {
  @Override
  public boolean equals(@Nullable Object other) {
    return other instanceof Range range
        && Arrays.equals(from, range.from)
        && Arrays.equals(to, range.to);
  }

  @Override
  public int hashCode() {
    return 31 * Arrays.hashCode(from) + Arrays.hashCode(to);
  }

  /** Returns the keys as {@link Escape#shown} does. */
  @Override
  public String toString() {
    return "Range[from=" + text(from) + ", to=" + text(to) + "]";
  }

  private static String text(byte @Nullable [] key) {
    return key == null ? "null" : "'" + Escape.shown(key) + "'";
  }
}
