package dev.kv.core.table.block;

import dev.kv.core.key.InternalKey;
import dev.kv.core.key.UserKeyComparator;
import java.nio.ByteBuffer;

/**
 * The entry index of a block of internal keys in bytewise order: for each entry, its offset and the
 * bytes that distinguish its key, in one array. A search in the index reads a few adjacent cache
 * lines and then one entry. A search without it decodes the headers of entries one after another,
 * since each gives the offset of the next.
 *
 * <p>The index is stored in memory after the block, if there is room, or in memory of its own. Not
 * thread-safe, but two threads that write the index of one block write the same bytes.
 *
 * <pre>
 * index := count, common, common bytes, slot*
 * count  := fixed16, the number of slots
 * common := fixed16, the number of leading bytes that all user keys share
 * slot   := prefix, place; one for each entry whose prefix differs from that of the previous entry,
 *           so the prefixes ascend
 * prefix := fixed64, the 8 bytes of the user key after the common ones, as a number whose order is
 *           the signed one
 * place  := fixed16, the offset of the entry in the block
 * </pre>
 */
final class EntryIndex {
  static final int COUNT_AND_COMMON = 2 * Short.BYTES;
  static final int SLOT = Long.BYTES + Short.BYTES;

  /** The greatest number that a fixed16 holds; a larger block has no index. */
  static final int MOST = 0xffff;

  /** The most bytes that an index takes, since a search reads its slots from the first one on. */
  static final int MOST_ROOM = 400;

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
    return length > MOST ? 0 : Math.min(length / 8, MOST_ROOM);
  }

  /** Returns the offset of the index of a block of {@code length} bytes. */
  static int begin(int length) {
    return length + Long.BYTES - 1 & -Long.BYTES;
  }

  boolean isPresent() {
    return count > 0;
  }

  /** Makes searches use no index. */
  void clear() {
    count = 0;
  }

  /** Makes searches use the index at {@code begin} of {@code memory}. */
  void read(ByteBuffer memory, int begin) {
    this.memory = memory;
    count = memory.getShort(begin) & MOST;
    common = memory.getShort(begin + Short.BYTES) & MOST;
    commonAt = begin + COUNT_AND_COMMON;
    slots = commonAt + common;
  }

  /**
   * Writes the index of the block on which {@code entries} is set to {@code memory}, from {@code
   * begin} to {@code end}. The cursor has no entry afterwards. Returns true if the index fits.
   */
  static boolean write(BlockIterator entries, ByteBuffer memory, int begin, int end) {
    if (entries.entriesEnd - entries.base > MOST) {
      return false;
    }
    int commonAt = begin + COUNT_AND_COMMON;
    int lastSlot = end - SLOT;
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
        LongCopies.copyExactly(key, offset, memory, commonAt, common);
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
   * Returns the first slot whose prefix is at or after that of a user key, or {@link #count} if
   * there is none. If the prefixes alone decide, so that no whole keys need to be compared, it is
   * returned as its complement, which is negative: then all entries of the slots before it are
   * before the key, and its own entry is not.
   */
  int find(ByteBuffer key, int offset, int userLength) {
    long prefix = UserKeyComparator.prefixAfter(memory, commonAt, common, key, offset, userLength);
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

  /** Returns the number of leading bytes of a slot's key that the index holds. */
  int knownBytes() {
    return common + Long.BYTES;
  }

  /**
   * Copies the first {@code length} bytes of a slot's key, which the index must hold. May write up
   * to 8 bytes more.
   */
  void copyKey(int slot, ByteBuffer target, int length) {
    LongCopies.copy(memory, commonAt, target, 0, Math.min(common, length));
    if (length > common) {
      target.putLong(common, Long.reverseBytes(prefixOf(slot) ^ Long.MIN_VALUE));
    }
  }

  private long prefixOf(int slot) {
    return memory.getLong(slots + slot * SLOT);
  }
}
