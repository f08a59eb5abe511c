package dev.kv.jmh.store;

import dev.kv.bytes.Slice;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;

/** Sums up bytes, eight at a time: the cheapest proof that all of them were read. */
public final class ByteSum {
  private static final VarHandle LONGS =
      MethodHandles.byteArrayViewVarHandle(long[].class, ByteOrder.LITTLE_ENDIAN);

  private ByteSum() {}

  /** Sums up the first {@code length} bytes of an array. */
  public static long of(byte[] bytes, int length) {
    long sum = 0;
    int i = 0;
    for (; i + Long.BYTES <= length; i += Long.BYTES) {
      sum += (long) LONGS.get(bytes, i);
    }
    for (; i < length; i++) {
      sum += bytes[i];
    }
    return sum;
  }

  /** Sums up the remaining bytes of a little-endian buffer. */
  public static long of(ByteBuffer buffer) {
    long sum = 0;
    int i = buffer.position();
    int end = buffer.limit();
    for (; i + Long.BYTES <= end; i += Long.BYTES) {
      sum += buffer.getLong(i);
    }
    for (; i < end; i++) {
      sum += buffer.get(i);
    }
    return sum;
  }

  /** Sums up a slice. */
  public static long of(Slice slice) {
    long sum = 0;
    int i = 0;
    int length = slice.length();
    for (; i + Long.BYTES <= length; i += Long.BYTES) {
      sum += slice.getLong(i, ByteOrder.LITTLE_ENDIAN);
    }
    for (; i < length; i++) {
      sum += slice.byteAt(i);
    }
    return sum;
  }
}
