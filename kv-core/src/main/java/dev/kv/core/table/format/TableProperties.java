package dev.kv.core.table.format;

import dev.kv.core.codec.Varint;
import dev.kv.core.key.InternalKey;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;
import org.jspecify.annotations.Nullable;

/**
 * What a table of internal keys says about its entries. It is stored uncompressed in a block of its
 * own, which the metaindex names under {@link #KEY}. LevelDB looks up only the filter in the
 * metaindex, and so ignores it.
 *
 * <pre>
 * properties := field*, magic fixed32
 * field      := tag 1 byte, length varint32, value
 * tag        := 1  least sequence, varint64
 *               2  greatest sequence, varint64
 *               3  entries, varint64
 *               4  tombstones among them, varint64
 *               5  seconds from 1970 (UTC) to the time at which the table was written, varint64;
 *                  may be missing
 *               6  name of the comparator of the user keys
 *               7  different user keys of the entries, varint64; may be missing
 *               8  code of the compression of the blocks, varint64; may be missing
 * magic      := 0x3170766b
 * </pre>
 *
 * <p>Readers skip fields with other tags. The magic number makes the block invalid as a block of
 * entries, so that a repair never takes it for data.
 *
 * @param leastSequence the least sequence number of the entries
 * @param greatestSequence the greatest sequence number of the entries
 * @param entries the number of entries, at least 1
 * @param tombstones the number of entries that are tombstones
 * @param writtenAt when the table was written, or the oldest input with tombstones of the
 *     compaction that wrote it, in seconds since 1970; 0 if unknown
 * @param comparator the name of the comparator of the user keys
 * @param userKeys the number of different user keys; 0 if unknown
 * @param compression the code of the compression that the blocks were to get; -1 if unknown
 */
public record TableProperties(
    long leastSequence,
    long greatestSequence,
    long entries,
    long tombstones,
    long writtenAt,
    String comparator,
    long userKeys,
    int compression) {
  /** The key in the metaindex. */
  public static final String KEY = "kv.properties";

  private static final int MAGIC = 0x3170766b;

  private static final int LEAST_SEQUENCE = 1;
  private static final int GREATEST_SEQUENCE = 2;
  private static final int ENTRIES = 3;
  private static final int TOMBSTONES = 4;
  private static final int WRITTEN_AT = 5;
  private static final int COMPARATOR = 6;
  private static final int USER_KEYS = 7;
  private static final int COMPRESSION = 8;

  private static final int NUMBERS = 7;

  private static final int HEAD = 1 + Varint.MAX_32;

  /** Returns the content of the block. */
  byte[] encode() {
    byte[] name = comparator.getBytes(StandardCharsets.UTF_8);
    ByteBuffer bytes =
        ByteBuffer.allocate(NUMBERS * (HEAD + Varint.MAX_64) + HEAD + name.length + Integer.BYTES);
    bytes.order(ByteOrder.LITTLE_ENDIAN);
    int at = number(bytes, 0, LEAST_SEQUENCE, leastSequence);
    at = number(bytes, at, GREATEST_SEQUENCE, greatestSequence);
    at = number(bytes, at, ENTRIES, entries);
    at = number(bytes, at, TOMBSTONES, tombstones);
    if (writtenAt > 0) {
      at = number(bytes, at, WRITTEN_AT, writtenAt);
    }
    if (userKeys > 0) {
      at = number(bytes, at, USER_KEYS, userKeys);
    }
    if (compression >= 0) {
      at = number(bytes, at, COMPRESSION, compression);
    }
    bytes.put(at, (byte) COMPARATOR);
    at = Varint.put32(bytes, at + 1, name.length);
    bytes.put(at, name);
    at += name.length;
    bytes.putInt(at, MAGIC);
    byte[] content = new byte[at + Integer.BYTES];
    bytes.get(0, content);
    return content;
  }

  private static int number(ByteBuffer bytes, int at, int tag, long value) {
    bytes.put(at, (byte) tag);
    bytes.put(at + 1, (byte) Varint.size64(value));
    return Varint.put64(bytes, at + 2, value);
  }

  /**
   * Decodes the content of the block, a little-endian buffer, from 0 to {@code length}; returns
   * null if it is malformed or contradicts itself.
   */
  public static @Nullable TableProperties decode(ByteBuffer bytes, int length) {
    int limit = length - Integer.BYTES;
    if (limit < 0 || bytes.getInt(limit) != MAGIC) {
      return null;
    }
    long[] numbers = {-1, -1, -1, -1, -1, 0, -1, 0, -1};
    String name = null;
    int at = 0;
    while (at < limit) {
      int tag = bytes.get(at);
      long head = Varint.get32(bytes, at + 1, limit);
      if (head == Varint.MALFORMED) {
        return null;
      }
      int from = Varint.next32(head);
      int size = Varint.value32(head);
      if (size < 0 || size > limit - from) {
        return null;
      }
      at = from + size;
      if (tag == COMPARATOR) {
        byte[] text = new byte[size];
        bytes.get(from, text);
        name = new String(text, StandardCharsets.UTF_8);
      } else if (tag >= LEAST_SEQUENCE && tag <= COMPRESSION) {
        if (Varint.end64(bytes, from, at) != at) {
          return null;
        }
        numbers[tag] = Varint.get64(bytes, from, at);
      }
    }
    return name == null ? null : checked(numbers, name);
  }

  private static @Nullable TableProperties checked(long[] numbers, String name) {
    if (numbers[COMPRESSION] != (byte) numbers[COMPRESSION]) {
      return null;
    }
    TableProperties found =
        new TableProperties(
            numbers[LEAST_SEQUENCE],
            numbers[GREATEST_SEQUENCE],
            numbers[ENTRIES],
            numbers[TOMBSTONES],
            numbers[WRITTEN_AT],
            name,
            numbers[USER_KEYS],
            (int) numbers[COMPRESSION]);
    boolean valid =
        found.leastSequence >= 0
            && found.leastSequence <= found.greatestSequence
            && found.greatestSequence <= InternalKey.MAX_SEQUENCE
            && found.entries > 0
            && found.tombstones >= 0
            && found.tombstones <= found.entries
            && found.writtenAt >= 0
            && found.userKeys >= 0
            && found.userKeys <= found.entries
            && found.compression >= -1;
    return valid ? found : null;
  }

  /** Returns true if no entry deletes or hides another one of the table. */
  public boolean hasOnlyLiveEntries() {
    return tombstones == 0 && userKeys == entries;
  }
}
