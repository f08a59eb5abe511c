package dev.kv.core.block;

import dev.kv.core.key.InternalKey;
import dev.kv.core.key.UserKeyComparator;
import java.nio.ByteBuffer;

/**
 * The entry index of a block of internal keys in bytewise order: where its entries lie, side by
 * side with what tells their keys apart. A search in it touches a few cache lines that follow each
 * other, and then the entry alone; a search in the block decodes the heads of entries, each of
 * which lies where the one before it says.
 *
 * <p>It is stored in memory after the block, if there is room. Not thread-safe, but two threads
 * that write the index of one block write the same.
 *
 * <pre>
 * index := count, common, common bytes, slot*
 * count  := fixed16, common := fixed16: how many leading bytes all user keys have in common
 * slot   := prefix, place; for each entry whose prefix is not that of the entry before, so prefixes
 *           ascend
 * prefix := fixed64, the 8 bytes of the user key after the common ones, as a number in the order of
 *           longs
 * place  := fixed16, where the entry begins
 * </pre>
 */
final class EntryIndex {
  /** False switches entry indexes off, for a measurement. */
  static final boolean ENABLED = true;

  private static final int COUNT_AND_COMMON = 2 * Short.BYTES;
  private static final int SLOT = Long.BYTES + Short.BYTES;

  /** The greatest number that a fixed16 holds; a larger block has no index. */
  private static final int MOST = 0xffff;

  /** What a search in one goes through from the beginning on. */
  private static final int MOST_ROOM = 400;

  private ByteBuffer memory;
  private int count;
  private int common;

  /** The offsets of the common bytes and of the slots. */
  private int commonAt;

  private int slots;

  EntryIndex(ByteBuffer none) {
    memory = none;
  }

  static int room(int length) {
    return !ENABLED || length > MOST ? 0 : Math.min(length / 8, MOST_ROOM);
  }

  /** Returns the offset of the index of a block of {@code length} bytes. */
  private static int begin(int length) {
    return length + Long.BYTES - 1 & -Long.BYTES;
  }

  boolean isPresent() {
    return count > 0;
  }

  /** Uses no index. */
  void clear() {
    count = 0;
  }

  /** Uses the index after a block of {@code length} bytes in {@code memory}. */
  void read(ByteBuffer memory, int length) {
    int begin = begin(length);
    this.memory = memory;
    count = memory.getShort(begin) & MOST;
    common = memory.getShort(begin + Short.BYTES) & MOST;
    commonAt = begin + COUNT_AND_COMMON;
    slots = commonAt + common;
  }

  /**
   * Writes the index of the block of {@code length} bytes that {@code entries} are of, which stand
   * nowhere afterwards, and returns whether it fits.
   */
  static boolean write(BlockIterator entries, ByteBuffer memory, int length) {
    if (!ENABLED || length > MOST) {
      return false;
    }
    int begin = begin(length);
    int commonAt = begin + COUNT_AND_COMMON;
    int lastSlot = Math.min(memory.capacity(), length + MOST_ROOM) - SLOT;
    int common = entries.userBytesInCommon();
    if (common > lastSlot - commonAt) {
      return false;
    }
    int slot = commonAt + common;
    int count = 0;
    long last = 0;
    for (entries.firstInBlock(); entries.isValid(); entries.nextInBlock()) {
      int userLength = entries.keyLength() - InternalKey.TRAILER;
      ByteBuffer key = entries.keyBuffer();
      int offset = entries.keyOffset();
      long prefix = UserKeyComparator.prefix(key, offset + common, userLength - common);
      if (count > 0 && prefix == last) {
        continue;
      }
      if (count > 0 && prefix < last
          || userLength < common
          || entries.shared > Math.min(common + Long.BYTES, userLength)
          || slot > lastSlot) {
        return false;
      }
      if (count == 0) {
        Words.copyExactly(key, offset, memory, commonAt, common);
      }
      memory.putLong(slot, prefix);
      memory.putShort(slot + Long.BYTES, (short) entries.entry());
      slot += SLOT;
      count++;
      last = prefix;
    }
    memory.putShort(begin, (short) count);
    memory.putShort(begin + Short.BYTES, (short) common);
    return count > 0;
  }

  /** Returns the number of slots. */
  int count() {
    return count;
  }

  /**
   * Returns the first slot whose prefix is not before that of a user key, {@link #count} if there
   * is none; as its complement, which is negative, where no whole keys need be compared: what the
   * slots before it stand for is before the key, and its own entry is not.
   */
  int find(ByteBuffer key, int offset, int userLength) {
    int most = Math.min(common, userLength);
    int order = UserKeyComparator.compareBytes(key, offset, most, memory, commonAt, most);
    if (order != 0 || userLength < common) {
      return order > 0 ? ~count : ~0;
    }
    long prefix = UserKeyComparator.prefix(key, offset + common, userLength - common);
    ByteBuffer bytes = memory;
    int found = 0;
    while (found < count && bytes.getLong(slots + found * SLOT) < prefix) {
      found++;
    }
    return found < count && prefixOf(found) == prefix ? found : ~found;
  }

  /** Returns the offset of the entry of a slot. */
  int place(int slot) {
    return memory.getShort(slots + slot * SLOT + Long.BYTES) & MOST;
  }

  /** Returns how many bytes of a slot's key are known. */
  int knownBytes() {
    return common + Long.BYTES;
  }

  /**
   * Copies the first {@code length} bytes of a slot's key, of which so many are known, and up to 8
   * more.
   */
  void copyKey(int slot, ByteBuffer target, int length) {
    Words.copy(memory, commonAt, target, 0, Math.min(common, length));
    if (length > common) {
      target.putLong(common, Long.reverseBytes(prefixOf(slot) ^ Long.MIN_VALUE));
    }
  }

  private long prefixOf(int slot) {
    return memory.getLong(slots + slot * SLOT);
  }
}
