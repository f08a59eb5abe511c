package dev.kv.admin;

import dev.kv.bytes.Escape;
import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/**
 * A range of user keys. Two ranges are equal if the bytes of their keys are. The arrays are not
 * copied: do not change them while the range is in use.
 *
 * @param start the first key, inclusive, or null for no bound
 * @param limit the end, exclusive, or null for no bound
 */
public record Range(byte @Nullable [] start, byte @Nullable [] limit) {
  @Override
  public boolean equals(@Nullable Object other) {
    return other instanceof Range range
        && Arrays.equals(start, range.start)
        && Arrays.equals(limit, range.limit);
  }

  @Override
  public int hashCode() {
    return 31 * Arrays.hashCode(start) + Arrays.hashCode(limit);
  }

  /** Returns the keys as printable ASCII, with other bytes as {@code \xNN}. */
  @Override
  public String toString() {
    return "Range[start=" + text(start) + ", limit=" + text(limit) + "]";
  }

  private static String text(byte @Nullable [] key) {
    return key == null ? "null" : "'" + Escape.bytes(key) + "'";
  }
}
