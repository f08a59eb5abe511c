package dev.kv.core.batch;

import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/** A key, and the value that it must have when a batch is applied. Immutable. */
public final class Expectation {
  private final byte[] key;
  private final @Nullable ByteBuffer value;

  Expectation(byte[] key, byte @Nullable [] value) {
    this.key = Objects.requireNonNull(key, "key").clone();
    this.value =
        value == null ? null : ByteBuffer.wrap(value.clone()).order(ByteOrder.LITTLE_ENDIAN);
  }

  /** Returns the key; not a copy. */
  public byte[] key() {
    return key;
  }

  /** Returns the value in a little-endian buffer, not a copy; null if the key must not exist. */
  public @Nullable ByteBuffer value() {
    return value;
  }
}
