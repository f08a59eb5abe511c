package dev.kv.streams;

import dev.kv.DBIterator;
import dev.kv.streams.database.StoreDatabase;
import java.nio.ByteBuffer;
import java.util.Arrays;
import org.apache.kafka.streams.errors.ProcessorStateException;
import org.jspecify.annotations.Nullable;

/**
 * The form of the entries of a versioned store:
 *
 * <pre>
 * version = 01 length key time        length of the key 4 bytes, time 8 bytes
 *   value = 00                        a tombstone
 *         | 01 value
 * index   = 02 segment key            segment 8 bytes, without a value
 * </pre>
 *
 * Numbers are big-endian. The time is inverted, so that the latest version of a key is the first.
 * The length keeps the versions of a key together. The segment is the time of a version divided by
 * the interval of the segments, and the index has an entry for each segment of each version.
 */
final class VersionFormat {
  private static final byte TOMBSTONE = 0;
  private static final byte VALUE = 1;

  private VersionFormat() {}

  /** Returns what the versions of a key begin with. */
  static byte[] prefix(byte[] key) {
    return ByteBuffer.allocate(1 + Integer.BYTES + key.length)
        .put(StoreDatabase.DATA)
        .putInt(key.length)
        .put(key)
        .array();
  }

  static byte[] version(byte[] key, long time) {
    return ByteBuffer.allocate(1 + Integer.BYTES + key.length + Long.BYTES)
        .put(StoreDatabase.DATA)
        .putInt(key.length)
        .put(key)
        .putLong(~ordered(time))
        .array();
  }

  /** Returns a number whose bytes are in the order of times, also of those before 1970. */
  private static long ordered(long time) {
    return time ^ Long.MIN_VALUE;
  }

  /** Returns the time of the version at which a cursor is. */
  static long time(DBIterator cursor) {
    byte[] version = cursor.key();
    if (version.length < 1 + Integer.BYTES + Long.BYTES) {
      throw damaged("key", version);
    }
    return ordered(~ByteBuffer.wrap(version).getLong(version.length - Long.BYTES));
  }

  static byte[] encodeValue(byte @Nullable [] value) {
    if (value == null) {
      return new byte[] {TOMBSTONE};
    }
    return ByteBuffer.allocate(1 + value.length).put(VALUE).put(value).array();
  }

  /** Returns the value of the version at which a cursor is, or null if it is a tombstone. */
  static byte @Nullable [] value(DBIterator cursor) {
    byte[] encoded = cursor.value();
    if (encoded.length > 0 && encoded[0] == VALUE) {
      return Arrays.copyOfRange(encoded, 1, encoded.length);
    }
    if (encoded.length == 1 && encoded[0] == TOMBSTONE) {
      return null;
    }
    throw damaged("value of key", cursor.key());
  }

  static byte[] index(long segment, byte[] key) {
    return ByteBuffer.allocate(1 + Long.BYTES + key.length)
        .put(StoreDatabase.INDEX)
        .putLong(ordered(segment))
        .put(key)
        .array();
  }

  /** Returns the key of an entry of the index. */
  static byte[] indexedKey(byte[] index) {
    if (index.length < 1 + Long.BYTES) {
      throw damaged("key", index);
    }
    return Arrays.copyOfRange(index, 1 + Long.BYTES, index.length);
  }

  private static ProcessorStateException damaged(String what, byte[] key) {
    return new ProcessorStateException(
        "a versioned store has the damaged "
            + what
            + " "
            + Arrays.toString(key)
            + "; delete its directory, and it is restored from its changelog");
  }
}
