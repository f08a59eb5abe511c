package dev.kv.streams;

import java.util.Arrays;

/** Bounds of ranges of stored keys. */
final class KeyBytes {
  private KeyBytes() {}

  /**
   * Returns the end, exclusive, of the keys that begin with a prefix.
   *
   * @param prefix the prefix, whose first byte is not 0xff
   */
  static byte[] endOfPrefix(byte[] prefix) {
    int last = prefix.length - 1;
    while (prefix[last] == (byte) 0xff) {
      last--;
    }
    byte[] end = Arrays.copyOf(prefix, last + 1);
    end[last]++;
    return end;
  }
}
