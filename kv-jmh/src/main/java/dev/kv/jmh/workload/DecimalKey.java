package dev.kv.jmh.workload;

import java.util.Arrays;

/**
 * A reusable key: a number as 16 decimal digits, behind a prefix of the letter a. Not thread-safe.
 */
public final class DecimalKey {
  /** The digits. */
  public static final int DIGITS = 16;

  private final byte[] bytes;

  /** Makes a key with {@code prefix} letters before the digits. */
  public DecimalKey(int prefix) {
    bytes = new byte[prefix + DIGITS];
    Arrays.fill(bytes, 0, prefix, (byte) 'a');
  }

  /** Makes it the key of {@code number} and returns its bytes, which the next call changes. */
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
