package dev.kv.bytes;

import java.util.Arrays;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * A key and its value. Two entries are equal if their bytes are. The arrays are not copied: an
 * entry that the library returns owns fresh arrays.
 *
 * @param key the key
 * @param value the value
 */
public record Entry(byte[] key, byte[] value) {
  /**
   * Creates an entry.
   *
   * @param key the key
   * @param value the value
   * @throws NullPointerException if the key or the value is null
   */
  public Entry {
    Objects.requireNonNull(key, "key");
    Objects.requireNonNull(value, "value");
  }

  @Override
  public boolean equals(@Nullable Object other) {
    return other instanceof Entry entry
        && Arrays.equals(key, entry.key)
        && Arrays.equals(value, entry.value);
  }

  @Override
  public int hashCode() {
    return 31 * Arrays.hashCode(key) + Arrays.hashCode(value);
  }

  /**
   * Returns the key and the value as printable ASCII, with other bytes as {@code \xNN}. Of a long
   * one, the text has the first 64 bytes and the length.
   */
  @Override
  public String toString() {
    return Escape.shown(key) + "=" + Escape.shown(value);
  }
}
