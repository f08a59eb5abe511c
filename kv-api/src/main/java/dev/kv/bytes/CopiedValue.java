package dev.kv.bytes;

import java.nio.ByteBuffer;
import org.jspecify.annotations.Nullable;

/** A value on the heap, for readers that pin nothing. */
final class CopiedValue implements PinnedValue {
  private final int length;
  private volatile byte @Nullable [] value;

  CopiedValue(byte[] value) {
    this.length = value.length;
    this.value = value;
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
