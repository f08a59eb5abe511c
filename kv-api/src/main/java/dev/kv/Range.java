package dev.kv;

import java.util.Objects;

/**
 * A range of user keys: {@code start} inclusive, {@code limit} exclusive. The arrays are not
 * copied.
 */
public record Range(byte[] start, byte[] limit) {
  /** Checks for null. */
  public Range {
    Objects.requireNonNull(start, "start");
    Objects.requireNonNull(limit, "limit");
  }
}
