package dev.kv;

import dev.kv.bytes.PinnedValue;
import dev.kv.bytes.Slice;
import java.nio.ByteBuffer;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/** A value on the heap, for readers that pin nothing. */
final class CopiedValue implements PinnedValue {
  private final int length;
  private volatile byte @Nullable [] value;

  CopiedValue(byte[] value) {
    this.length = value.length;
    this.value = value;
  }

  /** Returns a copy of the remaining bytes of a key. */
  static byte[] bytesOf(ByteBuffer key) {
    Objects.requireNonNull(key, "key");
    byte[] copy = new byte[key.remaining()];
    key.get(key.position(), copy);
    return copy;
  }

  private byte[] open() {
    byte[] present = value;
    if (present == null) {
      throw new IllegalStateException("the value is closed");
    }
    return present;
  }

  @Override
  public int length() {
    return length;
  }

  @Override
  public Slice slice() {
    return Slice.of(open());
  }

  @Override
  public ByteBuffer buffer() {
    return ByteBuffer.wrap(open()).asReadOnlyBuffer();
  }

  @Override
  public void close() {
    value = null;
  }
}
