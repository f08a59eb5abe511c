package dev.kv.core.table.block;

import dev.kv.core.codec.Varint;
import dev.kv.core.key.InternalKey;
import dev.kv.core.key.LookupKey;
import dev.kv.core.key.LookupResult;
import dev.kv.core.key.UserKeyComparator;
import dev.kv.core.key.ValueKind;
import java.nio.ByteBuffer;

/**
 * A lookup of one key by the {@link EntryIndex} of a block, without a cursor. It has no reference
 * to the block and stores none: the collector marks a card for each reference that is stored into
 * an old object, and threads whose objects are near each other would write to the same marks.
 *
 * <p>The memory may change during a search, and contain any bytes. Each number is read once, every
 * access is within the buffers or throws {@link IndexOutOfBoundsException}, and the only loop ends
 * after the slots. If the memory has changed, the result means nothing.
 */
public final class EntryIndexLookup {
  /** The result if a cursor has to search. Not a {@link LookupResult}. */
  public static final int UNDECIDED = -1;

  private long tag;
  private int valueOffset;
  private int valueLength;

  /** Creates an object without a result. */
  public EntryIndexLookup() {}

  /**
   * Searches for the newest entry of a key at or before its sequence number. If the result is
   * {@link LookupResult#FOUND} or {@link LookupResult#DELETED}, the entry has set the tag and the
   * place of the value.
   *
   * @param length the length of the block, which is at {@code begin} of {@code block} and has an
   *     entry index at {@code indexAt} of {@code index}
   * @return one of {@link LookupResult}'s constants, or {@link #UNDECIDED}
   */
  public int search(
      ByteBuffer block, int begin, int length, ByteBuffer index, int indexAt, LookupKey key) {
    int count = index.getShort(indexAt) & EntryIndex.MOST;
    int common = index.getShort(indexAt + Short.BYTES) & EntryIndex.MOST;
    int commonAt = indexAt + EntryIndex.COUNT_AND_COMMON;
    int slots = commonAt + common;
    int last = slots + count * EntryIndex.SLOT;
    ByteBuffer target = key.buffer();
    int userLength = key.userKeyLength();
    long prefix = UserKeyComparator.prefixAfter(index, commonAt, common, target, 0, userLength);
    int slot = slots;
    long found = 0;
    while (slot < last && (found = index.getLong(slot)) < prefix) {
      slot += EntryIndex.SLOT;
    }
    if (slot >= last || found != prefix) {
      return LookupResult.NOT_FOUND;
    }
    if (prefix == Long.MIN_VALUE || prefix == Long.MAX_VALUE) {
      return UNDECIDED; // the key may differ in the common bytes
    }
    int at = begin + (index.getShort(slot + Long.BYTES) & EntryIndex.MOST);
    return compare(block, begin, length, at, common + Long.BYTES, key);
  }

  /**
   * Compares a key with the entry at {@code at}, whose first {@code known} bytes of the user key,
   * if it has as many, are those of the key if both user keys have one length.
   */
  private int compare(ByteBuffer block, int begin, int length, int at, int known, LookupKey key) {
    int restarts = block.getInt(begin + length - Integer.BYTES);
    int end = begin + length - Integer.BYTES * (restarts + 1);
    if (restarts < 0 || restarts > length / Integer.BYTES - 1 || at >= end) {
      return UNDECIDED;
    }
    int shared;
    int unshared;
    int valueBytes;
    int own;
    int lengths = block.getInt(at);
    if ((lengths & 0x808080) == 0) {
      shared = lengths & 0x7f;
      unshared = lengths >>> 8 & 0x7f;
      valueBytes = lengths >>> 16 & 0x7f;
      own = at + 3;
    } else {
      long first = Varint.get32(block, at, end);
      long second = first < 0 ? first : Varint.get32(block, Varint.next32(first), end);
      long third = second < 0 ? second : Varint.get32(block, Varint.next32(second), end);
      if (third < 0) {
        return UNDECIDED;
      }
      shared = Varint.value32(first);
      unshared = Varint.value32(second);
      valueBytes = Varint.value32(third);
      own = Varint.next32(third);
    }
    int userLength = key.userKeyLength();
    long room = (long) end - own - unshared;
    if (shared < 0
        || shared > known
        || unshared < InternalKey.TRAILER
        || valueBytes < 0
        || valueBytes > room
        || shared + unshared - InternalKey.TRAILER != userLength) {
      return UNDECIDED;
    }
    ByteBuffer target = key.buffer();
    int unknown = userLength - known;
    if (unknown > 0
        && LongCopies.mismatch(block, own + known - shared, target, known, unknown) != unknown) {
      return UNDECIDED;
    }
    int value = own + unshared;
    long present = block.getLong(value - InternalKey.TRAILER);
    if (Long.compareUnsigned(present, target.getLong(userLength)) > 0) {
      return UNDECIDED; // an older entry of the key may follow
    }
    tag = present;
    valueOffset = value;
    valueLength = valueBytes;
    int kind = InternalKey.kindCode(present);
    if (kind == ValueKind.VALUE.code()) {
      return LookupResult.FOUND;
    }
    return kind == ValueKind.DELETION.code() ? LookupResult.DELETED : UNDECIDED;
  }

  /** Returns the tag of the entry. */
  public long tag() {
    return tag;
  }

  /** Returns the offset of the value in the buffer of the block. */
  public int valueOffset() {
    return valueOffset;
  }

  /** Returns the length of the value. */
  public int valueLength() {
    return valueLength;
  }
}
