package dev.kv.bytes;

import java.nio.BufferOverflowException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.Objects;

/** The bytes of another slice without the first ones. It is valid as long as the other slice. */
final class SuffixSlice extends Slice {
  private final Slice whole;
  private final int offset;

  SuffixSlice(Slice whole, int offset) {
    this.whole = whole;
    this.offset = offset;
  }

  @Override
  public int length() {
    return whole.length() - offset;
  }

  @Override
  public byte byteAt(int index) {
    return whole.byteAt(offset + Objects.checkIndex(index, length()));
  }

  @Override
  public int getInt(int index, ByteOrder order) {
    return whole.getInt(offset + Objects.checkFromIndexSize(index, Integer.BYTES, length()), order);
  }

  @Override
  public long getLong(int index, ByteOrder order) {
    return whole.getLong(offset + Objects.checkFromIndexSize(index, Long.BYTES, length()), order);
  }

  @Override
  public void copyTo(int index, byte[] target, int targetOffset, int count) {
    Objects.checkFromIndexSize(index, count, length());
    whole.copyTo(offset + index, target, targetOffset, count);
  }

  @Override
  public void copyTo(ByteBuffer target) {
    Objects.requireNonNull(target, "target");
    if (length() > target.remaining()) {
      throw new BufferOverflowException();
    }
    target.put(toByteArray());
  }
}
