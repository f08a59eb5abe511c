package dev.kv.streams;

import java.util.Arrays;

/** Bounds of ranges of stored keys. */
final class KeyBytes {
  /** The warning about a range whose end is before its begin, in the words that Streams uses. */
  static final String INVALID_RANGE =
      "Returning empty iterator for fetch with invalid key range: from > to. This may be due to"
          + " range arguments set in the wrong order, or serdes that don't preserve ordering"
          + " when lexicographically comparing the serialized bytes. Note that the built-in"
          + " numerical serdes do not follow this for negative numbers";

  private static final long MIN_SEGMENT_INTERVAL = 60_000;

  private KeyBytes() {}

  /** Returns the interval of the segments for a retention, both in milliseconds. */
  static long segmentInterval(long retention) {
    return Math.max(retention / 2, MIN_SEGMENT_INTERVAL);
  }

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
