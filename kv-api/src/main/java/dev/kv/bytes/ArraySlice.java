package dev.kv.bytes;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.Objects;

/** A slice of a heap array. */
final class ArraySlice extends Slice {
  private static final VarHandle INT =
      MethodHandles.byteArrayViewVarHandle(int[].class, ByteOrder.LITTLE_ENDIAN);
  private static final VarHandle LONG =
      MethodHandles.byteArrayViewVarHandle(long[].class, ByteOrder.LITTLE_ENDIAN);

  private final byte[] bytes;
  private final int offset;
  private final int length;

  ArraySlice(byte[] bytes, int offset, int length) {
    Objects.checkFromIndexSize(offset, length, bytes.length);
    this.bytes = bytes;
    this.offset = offset;
    this.length = length;
  }

  @Override
  public int length() {
    return length;
  }

  @Override
  public byte byteAt(int index) {
    return bytes[offset + Objects.checkIndex(index, length)];
  }

  @Override
  public int getInt(int index, ByteOrder order) {
    Objects.requireNonNull(order, "order");
    int value = (int) INT.get(bytes, offset + Objects.checkFromIndexSize(index, 4, length));
    return order == ByteOrder.LITTLE_ENDIAN ? value : Integer.reverseBytes(value);
  }

  @Override
  public long getLong(int index, ByteOrder order) {
    Objects.requireNonNull(order, "order");
    long value = (long) LONG.get(bytes, offset + Objects.checkFromIndexSize(index, 8, length));
    return order == ByteOrder.LITTLE_ENDIAN ? value : Long.reverseBytes(value);
  }

  @Override
  public void copyTo(int index, byte[] target, int targetOffset, int count) {
    Objects.requireNonNull(target, "target");
    Objects.checkFromIndexSize(index, count, length);
    System.arraycopy(bytes, offset + index, target, targetOffset, count);
  }

  @Override
  public void copyTo(ByteBuffer target) {
    Objects.requireNonNull(target, "target");
    target.put(bytes, offset, length);
  }
}
