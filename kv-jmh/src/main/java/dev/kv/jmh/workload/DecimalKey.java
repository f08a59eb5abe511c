package dev.kv.jmh.workload;

import java.util.Arrays;

/** A reusable key: letters a, then a number as 16 decimal digits. Not thread-safe. */
public final class DecimalKey {
  /** The number of digits. */
  public static final int DIGITS = 16;

  private final byte[] bytes;

  /** Creates a key with {@code prefix} letters before the digits. */
  public DecimalKey(int prefix) {
    bytes = new byte[prefix + DIGITS];
    Arrays.fill(bytes, 0, prefix, (byte) 'a');
  }

  /** Sets the number, and returns the bytes of the key; the next call changes them. */
  public byte[] set(long number) {
    long rest = number;
    for (int i = bytes.length - 1; i >= bytes.length - DIGITS; i--) {
      bytes[i] = (byte) ('0' + rest % 10);
      rest /= 10;
    }
    return bytes;
  }

  /** Returns the length in bytes. */
  public int length() {
    return bytes.length;
  }
}
