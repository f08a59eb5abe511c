package dev.kv.core.codec;

import java.nio.ByteBuffer;

/**
 * LevelDB's varint32 and varint64: seven bits a byte, lowest first, the top bit set in all bytes
 * except the last.
 *
 * <p>Decoding never reads at or after {@code limit}, and refuses a varint that overruns it or does
 * not fit the type. A varint32 decodes to {@code next offset << 32 | value}, or {@link #MALFORMED}.
 * A varint64 decodes in two steps: {@link #end64} finds its end, {@link #get64} returns its value.
 */
public final class Varint {
  /** The result of a decoder for bytes that are not a varint. */
  public static final int MALFORMED = -1;

  /** The most bytes of a varint32. */
  public static final int MAX_32 = 5;

  /** The most bytes of a varint64. */
  public static final int MAX_64 = 10;

  private Varint() {}

  /** Returns the number of bytes that {@code value}, unsigned, takes. */
  public static int size64(long value) {
    return (70 - Long.numberOfLeadingZeros(value | 1)) / 7;
  }

  /** Writes {@code value} and returns the offset after it. */
  public static int put32(ByteBuffer buffer, int offset, int value) {
    return put64(buffer, offset, value & 0xffffffffL);
  }

  /** Writes {@code value} and returns the offset after it. */
  public static int put64(ByteBuffer buffer, int offset, long value) {
    int at = offset;
    long rest = value;
    while ((rest & ~0x7fL) != 0) {
      buffer.put(at++, (byte) (rest | 0x80));
      rest >>>= 7;
    }
    buffer.put(at++, (byte) rest);
    return at;
  }

  /** Writes {@code value} and returns the offset after it. */
  public static int put32(byte[] bytes, int offset, int value) {
    return put64(bytes, offset, value & 0xffffffffL);
  }

  /** Writes {@code value} and returns the offset after it. */
  public static int put64(byte[] bytes, int offset, long value) {
    int at = offset;
    long rest = value;
    while ((rest & ~0x7fL) != 0) {
      bytes[at++] = (byte) (rest | 0x80);
      rest >>>= 7;
    }
    bytes[at++] = (byte) rest;
    return at;
  }

  /** Returns {@code next offset << 32 | value}, or {@link #MALFORMED}. */
  public static long get32(ByteBuffer buffer, int offset, int limit) {
    if (offset < limit) {
      int first = buffer.get(offset);
      if (first >= 0) {
        return (long) (offset + 1) << 32 | first;
      }
    }
    return get32Slow(buffer, offset, limit);
  }

  private static long get32Slow(ByteBuffer buffer, int offset, int limit) {
    int value = 0;
    int at = offset;
    for (int shift = 0; shift <= 28 && at < limit; shift += 7) {
      int b = buffer.get(at++);
      if (b >= 0) {
        return shift == 28 && b > 0x0f ? MALFORMED : result32(at, value | b << shift);
      }
      value |= (b & 0x7f) << shift;
    }
    return MALFORMED;
  }

  private static long result32(int next, int value) {
    return (long) next << 32 | (value & 0xffffffffL);
  }

  /** Returns the value in a result of {@link #get32}. */
  public static int value32(long result) {
    return (int) result;
  }

  /** Returns the offset after the varint in a result of {@link #get32}. */
  public static int next32(long result) {
    return (int) (result >>> 32);
  }

  /** Returns the offset after the varint64 at {@code offset}, or {@link #MALFORMED}. */
  public static int end64(ByteBuffer buffer, int offset, int limit) {
    int last = (int) Math.min((long) offset + MAX_64, limit);
    for (int at = offset; at < last; at++) {
      int b = buffer.get(at);
      if (b >= 0) {
        return at == offset + MAX_64 - 1 && b > 1 ? MALFORMED : at + 1;
      }
    }
    return MALFORMED;
  }

  /**
   * Returns the value of the varint64 from {@code offset} to {@code end}, which {@link #end64}
   * returned.
   */
  public static long get64(ByteBuffer buffer, int offset, int end) {
    long value = 0;
    for (int at = end - 1; at >= offset; at--) {
      value = value << 7 | (buffer.get(at) & 0x7f);
    }
    return value;
  }
}
