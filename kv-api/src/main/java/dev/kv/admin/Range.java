package dev.kv.admin;

import java.util.Objects;

/**
 * A range of user keys. The arrays are not copied: do not change them while the range is in use.
 *
 * @param start the first key, inclusive
 * @param limit the end, exclusive
 */
public record Range(byte[] start, byte[] limit) {
  /**
   * Creates a range.
   *
   * @param start the first key, inclusive
   * @param limit the end, exclusive
   * @throws NullPointerException if either key is null
   */
  public Range {
    Objects.requireNonNull(start, "start");
    Objects.requireNonNull(limit, "limit");
  }
}
