package dev.kv.core.table;

import dev.kv.CorruptionException;
import dev.kv.core.block.BlockIterator;
import dev.kv.core.key.InternalKey;
import dev.kv.core.key.KeyComparator;
import dev.kv.core.key.UserKeyComparator;
import dev.kv.core.table.cache.BlockProvider;
import dev.kv.core.table.cache.OwnedBlock;
import dev.kv.core.table.cache.TableFile;
import dev.kv.core.table.format.BlockHandle;
import java.nio.ByteBuffer;

/**
 * The index of an open table, in a memory layout for fast search. Immutable; thread-safe.
 *
 * <p>A binary search in an index block costs a few cache misses per probe. Here the eight bytes
 * after the common prefix of the user keys are stored side by side as numbers, and whole keys are
 * compared only if the numbers are equal. The last key has no number: it is a short key after all
 * keys of the table, and with it there would be no common prefix.
 *
 * <pre>
 * memory  := prefix*, offset*, size*, key start*, key bytes
 * prefix  := fixed64, the user key's 8 bytes after the common prefix of all but the last,
 *            big-endian, zero-padded, the top bit flipped so that signed order is theirs; none for
 *            the last key, nor unless the order is the bytewise one of internal keys
 * offset  := fixed64, size := fixed32: the data block
 * key start := fixed32, the offset of the key; one more than there are blocks
 * </pre>
 */
final class TableIndex {
  private final OwnedBlock memory;
  private final ByteBuffer bytes;
  private final KeyComparator comparator;
  private final int count;

  /**
   * The number of leading bytes that all user keys except the last have in common; or {@link
   * #NO_PREFIXES}.
   */
  private final int common;

  private static final int NO_PREFIXES = -1;
  private static final int PER_BLOCK = 2 * Long.BYTES + 2 * Integer.BYTES;

  private TableIndex(OwnedBlock memory, KeyComparator comparator, int count, int common) {
    this.memory = memory;
    this.bytes = memory.bytes();
    this.comparator = comparator;
    this.count = count;
    this.common = common;
  }

  /**
   * Creates the index from an index block.
   *
   * @param entries a cursor over the block, which is at offset {@code from} of {@code file}
   */
  static TableIndex of(
      BlockIterator entries,
      KeyComparator comparator,
      TableFile file,
      long from,
      BlockProvider memory) {
    int count = 0;
    long keyBytes = 0;
    for (entries.seekToFirst(); entries.isValid(); entries.next()) {
      count++;
      keyBytes += entries.keyLength();
    }
    long length = (long) count * PER_BLOCK + Integer.BYTES + keyBytes;
    if (length > Integer.MAX_VALUE - Long.BYTES) {
      throw new CorruptionException("an index of " + length + " bytes", file.name(), from);
    }
    OwnedBlock target = memory.residentMemory((int) length);
    boolean done = false;
    try {
      Filler filler = new Filler(target.bytes(), count, comparator, file, from);
      for (entries.seekToFirst(); entries.isValid(); entries.next()) {
        filler.add(entries);
      }
      TableIndex index = new TableIndex(target, comparator, count, filler.finish());
      done = true;
      return index;
    } finally {
      if (!done) {
        target.close();
      }
    }
  }

  /** Returns the number of data blocks. */
  int count() {
    return count;
  }

  /** Returns the offset of data block {@code index} in the file. */
  long offset(int index) {
    return bytes.getLong((count + index) * Long.BYTES);
  }

  /** Returns the stored size of data block {@code index}, without the trailer. */
  int size(int index) {
    return bytes.getInt(2 * count * Long.BYTES + index * Integer.BYTES);
  }

  /**
   * Returns the first block that may contain an entry at or after {@code key}, or {@link #count} if
   * there is none.
   */
  int find(ByteBuffer key, int offset, int length) {
    if (common == NO_PREFIXES) {
      return findIn(0, count, key, offset, length);
    }
    int last = count - 1;
    int found = findBefore(last, key, offset, length);
    return found == last && compare(last, key, offset, length) < 0 ? count : found;
  }

  /**
   * Returns the first block before {@code last} whose index key is at or after {@code key}, or
   * {@code last} if there is none.
   */
  private int findBefore(int last, ByteBuffer key, int offset, int length) {
    if (last == 0) {
      return 0;
    }
    int userLength = length - InternalKey.TRAILER;
    int order = compareCommon(key, offset, userLength);
    if (order != 0) {
      return order < 0 ? 0 : last;
    }
    long prefix = UserKeyComparator.prefix(key, offset + common, userLength - common);
    int first = firstAtLeast(prefix, 0, last);
    if (first == last || bytes.getLong(first * Long.BYTES) != prefix) {
      return first;
    }
    if (compare(first, key, offset, length) >= 0) {
      return first;
    }
    int end = prefix == Long.MAX_VALUE ? last : firstAtLeast(prefix + 1, first + 1, last);
    return findIn(first + 1, end, key, offset, length);
  }

  /** Compares the common prefix of all user keys with the beginning of this key. */
  private int compareCommon(ByteBuffer key, int offset, int userLength) {
    int first = keyStart(0);
    int most = Math.min(common, userLength);
    int order = UserKeyComparator.compareBytes(key, offset, most, bytes, first, most);
    return order == 0 && userLength < common ? -1 : order;
  }

  private int firstAtLeast(long prefix, int from, int to) {
    int low = from;
    int span = to - from;
    while (span > 0) {
      int half = span >>> 1;
      if (bytes.getLong((low + half) * Long.BYTES) < prefix) {
        low += half + 1;
        span -= half + 1;
      } else {
        span = half;
      }
    }
    return low;
  }

  private int findIn(int from, int to, ByteBuffer key, int offset, int length) {
    int low = from;
    int high = to;
    while (low < high) {
      int middle = (low + high) >>> 1;
      if (compare(middle, key, offset, length) < 0) {
        low = middle + 1;
      } else {
        high = middle;
      }
    }
    return low;
  }

  private int compare(int index, ByteBuffer key, int offset, int length) {
    int start = keyStart(index);
    return comparator.compare(bytes, start, keyStart(index + 1) - start, key, offset, length);
  }

  /** Returns a copy of the key of block {@code index}. */
  byte[] key(int index) {
    int start = keyStart(index);
    return InternalKey.copy(bytes, start, keyStart(index + 1) - start);
  }

  private int keyStart(int index) {
    return keyStart(bytes, count, index);
  }

  private static int keyStart(ByteBuffer bytes, int count, int index) {
    return bytes.getInt(keyStartAt(count, index));
  }

  private static int keyStartAt(int count, int index) {
    return count * (2 * Long.BYTES + Integer.BYTES) + index * Integer.BYTES;
  }

  /** Frees the memory. */
  void free() {
    memory.close();
  }

  /**
   * Fills the memory of an index, and checks that its keys ascend and its blocks are inside the
   * file.
   */
  private static final class Filler {
    private final ByteBuffer bytes;
    private final int count;
    private final KeyComparator comparator;
    private final TableFile file;
    private final long from;
    private int filled;

    Filler(ByteBuffer bytes, int count, KeyComparator comparator, TableFile file, long from) {
      this.bytes = bytes;
      this.count = count;
      this.comparator = comparator;
      this.file = file;
      this.from = from;
      bytes.putInt(keyStartAt(count, 0), keyStartAt(count, count + 1));
    }

    void add(BlockIterator entry) {
      int start = keyStart(bytes, count, filled);
      int length = entry.keyLength();
      bytes.put(start, entry.keyBuffer(), entry.keyOffset(), length);
      if (filled > 0) {
        int last = keyStart(bytes, count, filled - 1);
        if (comparator.compare(bytes, last, start - last, bytes, start, length) >= 0) {
          throw new CorruptionException("index keys out of order", file.name(), from);
        }
      }
      BlockHandle handle = handle(entry);
      bytes.putLong((count + filled) * Long.BYTES, handle.offset());
      bytes.putInt(2 * count * Long.BYTES + filled * Integer.BYTES, file.checkedSize(handle, from));
      filled++;
      bytes.putInt(keyStartAt(count, filled), start + length);
    }

    /** Decodes the handle at the beginning of the value; ignores the bytes after it. */
    private BlockHandle handle(BlockIterator entry) {
      BlockHandle handle =
          BlockHandle.decode(
              entry.valueBuffer(), entry.valueOffset(), entry.valueOffset() + entry.valueLength());
      if (handle == null) {
        throw new CorruptionException("bad block handle in the index", file.name(), from);
      }
      return handle;
    }

    /**
     * Fills in the prefixes, and returns the number of bytes that all user keys except the last
     * have in common.
     */
    int finish() {
      if (!LookupHints.keepsPrefixes(comparator) || count == 0) {
        return NO_PREFIXES;
      }
      int first = keyStart(bytes, count, 0);
      int last = Math.max(0, count - 2);
      int most = Math.min(userLength(0), userLength(last));
      last = keyStart(bytes, count, last);
      int common = 0;
      while (common < most && bytes.get(first + common) == bytes.get(last + common)) {
        common++;
      }
      for (int i = 0; i < count - 1; i++) {
        int start = keyStart(bytes, count, i);
        long prefix = UserKeyComparator.prefix(bytes, start + common, userLength(i) - common);
        bytes.putLong(i * Long.BYTES, prefix);
      }
      return common;
    }

    private int userLength(int index) {
      int start = keyStart(bytes, count, index);
      return keyStart(bytes, count, index + 1) - start - InternalKey.TRAILER;
    }
  }
}
