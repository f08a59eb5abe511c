package dev.kv.core.key;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.nio.ByteOrder;

/**
 * LevelDB's fixed32 and fixed64, little-endian, in heap arrays; direct buffers have that order set.
 */
public final class Fixed {
  private static final VarHandle INT =
      MethodHandles.byteArrayViewVarHandle(int[].class, ByteOrder.LITTLE_ENDIAN);
  private static final VarHandle LONG =
      MethodHandles.byteArrayViewVarHandle(long[].class, ByteOrder.LITTLE_ENDIAN);

  private Fixed() {}

  /** Returns the fixed32 at {@code offset}. */
  public static int get32(byte[] bytes, int offset) {
    return (int) INT.get(bytes, offset);
  }

  /** Returns the fixed64 at {@code offset}. */
  public static long get64(byte[] bytes, int offset) {
    return (long) LONG.get(bytes, offset);
  }

  /** Writes a fixed32 and returns the offset after it. */
  public static int put32(byte[] bytes, int offset, int value) {
    INT.set(bytes, offset, value);
    return offset + Integer.BYTES;
  }

  /** Writes a fixed64 and returns the offset after it. */
  public static int put64(byte[] bytes, int offset, long value) {
    LONG.set(bytes, offset, value);
    return offset + Long.BYTES;
  }
}
