package dev.kv.streams.database;

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
public enum TimedKey {
  WINDOW(Integer.BYTES),
  SESSION(Long.BYTES);

  /** The number of bytes after the time. */
  private final int rest;

  TimedKey(int rest) {
    this.rest = rest;
  }

  /** Returns the number of bytes after the key. */
  public int suffix() {
    return Long.BYTES + rest;
  }

  /** Encodes an entry of a window store. */
  public static byte[] window(byte[] key, long start, int sequence) {
    return ByteBuffer.allocate(key.length + Long.BYTES + Integer.BYTES)
        .put(key)
        .putLong(start)
        .putInt(sequence)
        .array();
  }

  /** Encodes an entry of a session store. */
  public static byte[] session(byte[] key, long start, long end) {
    return ByteBuffer.allocate(key.length + 2 * Long.BYTES)
        .put(key)
        .putLong(end)
        .putLong(start)
        .array();
  }

  /** Returns the stored key of an entry: the type, the segment in 8 bytes, and the entry. */
  public static byte[] stored(byte type, long segment, byte[] entry) {
    return ByteBuffer.allocate(1 + Long.BYTES + entry.length)
        .put(type)
        .putLong(segment)
        .put(entry)
        .array();
  }

  /** Returns the entry of a stored key. */
  public static byte[] entry(byte[] stored) {
    return Arrays.copyOfRange(stored, 1 + Long.BYTES, stored.length);
  }

  /** Returns the time that decides about the segment of an entry. */
  public long time(byte[] entry) {
    return ByteBuffer.wrap(entry).getLong(entry.length - suffix());
  }

  /** Returns the start of a session. */
  public static long sessionStart(byte[] entry) {
    return ByteBuffer.wrap(entry).getLong(entry.length - Long.BYTES);
  }

  /** Returns the key of an entry as the program wrote it. */
  public byte[] key(byte[] entry) {
    return Arrays.copyOf(entry, entry.length - suffix());
  }

  /** Returns the time, the key, and what follows the time: the order of the index. */
  public byte[] timeFirst(byte[] entry) {
    int key = entry.length - suffix();
    return ByteBuffer.allocate(entry.length)
        .put(entry, key, Long.BYTES)
        .put(entry, 0, key)
        .put(entry, entry.length - rest, rest)
        .array();
  }

  /** Undoes {@link #timeFirst}. */
  public byte[] keyFirst(byte[] indexed) {
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
  public byte[] upperBound(byte[] key, long latest) {
    byte[] end = new byte[suffix()];
    Arrays.fill(end, (byte) 0xff);
    ByteBuffer.wrap(end).putLong(latest);
    int greatest = 0;
    for (int length = 1; length <= key.length; length++) {
      if (isGreater(key, length, greatest, end)) {
        greatest = length;
      }
    }
    return ByteBuffer.allocate(greatest + end.length).put(key, 0, greatest).put(end).array();
  }

  /**
   * Returns true if a prefix of a key and an end are greater than a shorter prefix and this end.
   */
  private static boolean isGreater(byte[] key, int length, int shorter, byte[] end) {
    int more = Math.min(length - shorter, end.length);
    int order = Arrays.compareUnsigned(key, shorter, shorter + more, end, 0, more);
    return order > 0
        || (order == 0 && Arrays.compareUnsigned(end, 0, end.length, end, more, end.length) > 0);
  }
}
