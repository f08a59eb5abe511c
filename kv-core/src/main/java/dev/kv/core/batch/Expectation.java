package dev.kv.core.batch;

import dev.kv.core.key.UserKeyComparator;
import dev.kv.core.memory.ValueRef;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * A key, and the value that it must have when a batch is applied. Immutable.
 *
 * @param key the key; not a copy
 * @param value the value in a little-endian buffer, not a copy; null if the key must not exist
 */
public record Expectation(byte[] key, @Nullable ByteBuffer value) {
  /** Returns an expectation of copies of a key and a value. */
  static Expectation of(byte[] key, byte @Nullable [] value) {
    return new Expectation(
        Objects.requireNonNull(key, "key").clone(),
        value == null ? null : ByteBuffer.wrap(value.clone()).order(ByteOrder.LITTLE_ENDIAN));
  }

  /** Returns true if a value is the expected one; {@code found} is null if the key has none. */
  public boolean isMetBy(@Nullable ValueRef found) {
    ByteBuffer expected = value;
    if (found == null || expected == null) {
      return found == null && expected == null;
    }
    return found.length == expected.capacity()
        && UserKeyComparator.compareBytes(
                found.buffer, found.offset, found.length, expected, 0, expected.capacity())
            == 0;
  }
}
