package dev.kv.streams;

import java.nio.ByteBuffer;
import java.util.Arrays;

/**
 * The form of the keys of a window or session store, as its changelog has them:
 *
 * <pre>
 * window  = key start sequence      start 8 bytes, sequence 4 bytes
 * session = key end start           8 bytes each
 * </pre>
 *
 * Numbers are big-endian. The first number is the time that decides about the segment and the
 * expiry of an entry.
 */
enum TimedKey {
  WINDOW(Integer.BYTES),
  SESSION(Long.BYTES);

  /** The number of bytes after the time. */
  private final int rest;

  TimedKey(int rest) {
    this.rest = rest;
  }

  /** Returns the number of bytes after the key. */
  int suffix() {
    return Long.BYTES + rest;
  }

  /** Encodes an entry of a window store. */
  static byte[] window(byte[] key, long start, int sequence) {
    return ByteBuffer.allocate(key.length + Long.BYTES + Integer.BYTES)
        .put(key)
        .putLong(start)
        .putInt(sequence)
        .array();
  }

  /** Encodes an entry of a session store. */
  static byte[] session(byte[] key, long start, long end) {
    return ByteBuffer.allocate(key.length + 2 * Long.BYTES)
        .put(key)
        .putLong(end)
        .putLong(start)
        .array();
  }

  long time(byte[] entry) {
    return ByteBuffer.wrap(entry).getLong(entry.length - suffix());
  }

  /** Returns the start of a session. */
  static long sessionStart(byte[] entry) {
    return ByteBuffer.wrap(entry).getLong(entry.length - Long.BYTES);
  }

  byte[] key(byte[] entry) {
    return Arrays.copyOf(entry, entry.length - suffix());
  }

  /** Returns the time, the key, and what follows the time: the order of the index. */
  byte[] timeFirst(byte[] entry) {
    int key = entry.length - suffix();
    return ByteBuffer.allocate(entry.length)
        .put(entry, key, Long.BYTES)
        .put(entry, 0, key)
        .put(entry, entry.length - rest, rest)
        .array();
  }

  /** Undoes {@link #timeFirst}. */
  byte[] keyFirst(byte[] indexed) {
    int key = indexed.length - suffix();
    return ByteBuffer.allocate(indexed.length)
        .put(indexed, Long.BYTES, key)
        .put(indexed, 0, Long.BYTES)
        .put(indexed, indexed.length - rest, rest)
        .array();
  }

  /**
   * Returns the last bytes that an entry can have if its key is at or before a key. Keys may have
   * different lengths, so what follows a prefix of the key can be greater than what follows the
   * key.
   *
   * @param key the last key
   * @param latest the latest time of an entry
   */
  byte[] upperBound(byte[] key, long latest) {
    byte[] greatest = {};
    for (int length = 0; length <= key.length; length++) {
      byte[] entry = new byte[length + suffix()];
      Arrays.fill(entry, (byte) 0xff);
      ByteBuffer.wrap(entry).put(key, 0, length).putLong(latest);
      if (Arrays.compareUnsigned(entry, greatest) > 0) {
        greatest = entry;
      }
    }
    return greatest;
  }
}
