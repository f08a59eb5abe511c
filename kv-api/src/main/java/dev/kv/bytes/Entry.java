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
  private static final int SHOWN_BYTES = 64;

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
   * Returns the key and the value as printable ASCII, with other bytes as {@code \xNN}. If the
   * value is long, the text has its first 64 bytes and its length.
   */
  @Override
  public String toString() {
    String shown = Escape.bytes(Arrays.copyOf(value, Math.min(value.length, SHOWN_BYTES)));
    return Escape.bytes(key)
        + "="
        + (value.length <= SHOWN_BYTES ? shown : shown + "... (" + value.length + " bytes)");
  }
}
