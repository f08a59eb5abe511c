package dev.kv.infinispan;

import dev.kv.bytes.Slice;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import org.infinispan.commons.io.ByteBufferFactory;
import org.infinispan.persistence.spi.MarshallableEntry;
import org.infinispan.persistence.spi.MarshallableEntryFactory;
import org.infinispan.persistence.spi.PersistenceException;
import org.jspecify.annotations.Nullable;

/**
 * The layout of the keys and values of a store. Numbers are big-endian.
 *
 * <pre>
 * key:
 *   00 'n'                         the name of the cache in UTF-8
 *   00 's'                         the number of segments, 4 bytes; 0 if the store has none
 *   01 segment 00 key              an entry; the segment has 4 bytes, and is 0 if there are none
 *   01 segment 01 expiry key       the index of the entries that expire; the expiry has 8 bytes,
 *                                  and the value is empty
 * value of an entry:
 *   flags                          1 byte
 *   expiry                         8 bytes, if EXPIRES; milliseconds
 *   created, last used             8 bytes each, if TIMES
 *   length, metadata               4 bytes and as many as they say, if METADATA
 *   length, internal metadata      the same, if INTERNAL
 *   value                          the rest, if VALUE
 * </pre>
 *
 * <p>Key, value and metadata are the bytes of Infinispan's persistence marshaller. A segment is one
 * range of keys, with its part of the index, so that a range delete removes it.
 *
 * <p>The index has an entry for each expiry that was written for a key, also if the key was
 * overwritten or deleted since. {@link ExpirationScan} compares it with the entry.
 */
final class EntryFormat {
  /** The key of the name of the cache. */
  static final byte[] NAME = {0, 'n'};

  /** The key of the number of segments. */
  static final byte[] SEGMENTS = {0, 's'};

  /** The expiry of an entry that does not expire. */
  static final long NEVER = -1;

  /** The length of the key of an entry without Infinispan's key. */
  static final int KEY_OFFSET = 1 + Integer.BYTES + 1;

  /** The length of a key of the index without Infinispan's key. */
  static final int INDEXED_KEY_OFFSET = KEY_OFFSET + Long.BYTES;

  private static final byte DATA = 1;
  private static final byte ENTRY = 0;
  private static final byte INDEX = 1;

  private static final int EXPIRES = 1;
  private static final int TIMES = 2;
  private static final int METADATA = 4;
  private static final int INTERNAL = 8;
  private static final int VALUE = 16;
  private static final int ALL = EXPIRES | TIMES | METADATA | INTERNAL | VALUE;

  private EntryFormat() {}

  /** Returns the first key of a segment, which is the end of the segment before it. */
  static byte[] segmentStart(int segment) {
    return ByteBuffer.allocate(1 + Integer.BYTES).put(DATA).putInt(segment).array();
  }

  /** Returns the end of the entries of a segment, which is the start of its index. */
  static byte[] indexStart(int segment) {
    return ByteBuffer.allocate(KEY_OFFSET).put(DATA).putInt(segment).put(INDEX).array();
  }

  /** Returns the end of the keys of all segments. */
  static byte[] end() {
    return new byte[] {DATA + 1};
  }

  /** Returns the start of the keys of all segments. */
  static byte[] start() {
    return new byte[] {DATA};
  }

  /** Returns the key of an entry. */
  static byte[] entryKey(int segment, byte[] key, int offset, int length) {
    return ByteBuffer.allocate(KEY_OFFSET + length)
        .put(DATA)
        .putInt(segment)
        .put(ENTRY)
        .put(key, offset, length)
        .array();
  }

  /** Returns the key of an entry. */
  static byte[] entryKey(int segment, org.infinispan.commons.io.ByteBuffer key) {
    return entryKey(segment, key.getBuf(), key.getOffset(), key.getLength());
  }

  /** Returns the key in the index for the key of an entry. */
  static byte[] indexKey(byte[] entryKey, long expiry) {
    return ByteBuffer.allocate(entryKey.length + Long.BYTES)
        .put(entryKey, 0, KEY_OFFSET - 1)
        .put(INDEX)
        .putLong(expiry)
        .put(entryKey, KEY_OFFSET, entryKey.length - KEY_OFFSET)
        .array();
  }

  /** Returns the key of the entry for its key in the index. */
  static byte[] entryKey(byte[] indexKey) {
    return ByteBuffer.allocate(indexKey.length - Long.BYTES)
        .put(indexKey, 0, KEY_OFFSET - 1)
        .put(ENTRY)
        .put(indexKey, INDEXED_KEY_OFFSET, indexKey.length - INDEXED_KEY_OFFSET)
        .array();
  }

  /** Returns the segment of a key, or -1 if it is of no segment. */
  static int segment(Slice key) {
    return key.length() < KEY_OFFSET || key.byteAt(0) != DATA
        ? -1
        : key.getInt(1, ByteOrder.BIG_ENDIAN);
  }

  /** Returns true if a key of a segment is one of its index. */
  static boolean isIndex(Slice key) {
    return key.byteAt(KEY_OFFSET - 1) == INDEX;
  }

  /** Returns the expiry in a key of the index. */
  static long indexedExpiry(Slice key) {
    if (key.length() < INDEXED_KEY_OFFSET) {
      throw new PersistenceException("a key of the index of expiries is too short: " + key);
    }
    return key.getLong(KEY_OFFSET, ByteOrder.BIG_ENDIAN);
  }

  /** Returns the expiry in the value of an entry, or {@link #NEVER}. */
  static long expiry(Slice value) {
    if (value.isEmpty() || (value.byteAt(0) & ~ALL) != 0) {
      throw damaged();
    }
    if ((value.byteAt(0) & EXPIRES) == 0) {
      return NEVER;
    }
    if (value.length() < 1 + Long.BYTES) {
      throw damaged();
    }
    return value.getLong(1, ByteOrder.BIG_ENDIAN);
  }

  /** Returns true if an entry with this expiry has expired. */
  static boolean isExpired(long expiry, long now) {
    return expiry > 0 && expiry <= now;
  }

  /** Returns the value of an entry. */
  static byte[] encode(MarshallableEntry<?, ?> entry, long expiry) {
    org.infinispan.commons.io.ByteBuffer value = entry.getValueBytes();
    org.infinispan.commons.io.ByteBuffer metadata = entry.getMetadataBytes();
    org.infinispan.commons.io.ByteBuffer internal = entry.getInternalMetadataBytes();
    boolean times = entry.created() != -1 || entry.lastUsed() != -1;
    int flags =
        (expiry > 0 ? EXPIRES : 0)
            | (times ? TIMES : 0)
            | (metadata == null ? 0 : METADATA)
            | (internal == null ? 0 : INTERNAL)
            | (value == null ? 0 : VALUE);
    int length =
        1
            + (expiry > 0 ? Long.BYTES : 0)
            + (times ? 2 * Long.BYTES : 0)
            + (metadata == null ? 0 : Integer.BYTES + metadata.getLength())
            + (internal == null ? 0 : Integer.BYTES + internal.getLength())
            + (value == null ? 0 : value.getLength());
    ByteBuffer out = ByteBuffer.allocate(length).put((byte) flags);
    if (expiry > 0) {
      out.putLong(expiry);
    }
    if (times) {
      out.putLong(entry.created()).putLong(entry.lastUsed());
    }
    if (metadata != null) {
      put(out.putInt(metadata.getLength()), metadata);
    }
    if (internal != null) {
      put(out.putInt(internal.getLength()), internal);
    }
    if (value != null) {
      put(out, value);
    }
    return out.array();
  }

  private static void put(ByteBuffer out, org.infinispan.commons.io.ByteBuffer bytes) {
    out.put(bytes.getBuf(), bytes.getOffset(), bytes.getLength());
  }

  /**
   * Returns an entry.
   *
   * @param key the key, as an object or as the bytes of the marshaller
   * @param encoded the value in the database, which the entry keeps
   * @param withValue false if the entry has no value
   */
  static <K, V> MarshallableEntry<K, V> decode(
      Object key,
      byte[] encoded,
      boolean withValue,
      MarshallableEntryFactory<K, V> entries,
      ByteBufferFactory buffers) {
    long created = -1;
    long lastUsed = -1;
    org.infinispan.commons.io.ByteBuffer metadata = null;
    org.infinispan.commons.io.ByteBuffer internal = null;
    org.infinispan.commons.io.ByteBuffer value = null;
    expiry(Slice.of(encoded));
    int flags = encoded[0];
    int headLength = 1 + ((flags & EXPIRES) == 0 ? 0 : Long.BYTES);
    ByteBuffer in = ByteBuffer.wrap(encoded).position(headLength);
    if ((flags & TIMES) != 0) {
      if (in.remaining() < 2 * Long.BYTES) {
        throw damaged();
      }
      created = in.getLong();
      lastUsed = in.getLong();
    }
    if ((flags & METADATA) != 0) {
      metadata = take(in, encoded, buffers);
    }
    if ((flags & INTERNAL) != 0) {
      internal = take(in, encoded, buffers);
    }
    if ((flags & VALUE) != 0 && withValue) {
      value = buffers.newByteBuffer(encoded, in.position(), in.remaining());
    }
    return key instanceof org.infinispan.commons.io.ByteBuffer bytes
        ? entries.create(bytes, value, metadata, internal, created, lastUsed)
        : entries.create(key, value, metadata, internal, created, lastUsed);
  }

  private static org.infinispan.commons.io.ByteBuffer take(
      ByteBuffer in, byte[] encoded, ByteBufferFactory buffers) {
    int length = in.remaining() < Integer.BYTES ? -1 : in.getInt();
    if (length < 0 || length > in.remaining()) {
      throw damaged();
    }
    int position = in.position();
    in.position(position + length);
    return buffers.newByteBuffer(encoded, position, length);
  }

  private static PersistenceException damaged() {
    return new PersistenceException("an entry in the database is not one of this store");
  }

  /** Returns the number of segments in its encoded form. */
  static byte[] encodeSegments(int segments) {
    return ByteBuffer.allocate(Integer.BYTES).putInt(segments).array();
  }

  /** Returns the number of segments, or -1 if the bytes are not one. */
  static int decodeSegments(byte @Nullable [] encoded) {
    return encoded == null || encoded.length != Integer.BYTES
        ? -1
        : ByteBuffer.wrap(encoded).getInt();
  }
}
