package dev.kv.core.table;

import dev.kv.core.key.InternalKey;
import dev.kv.core.key.InternalKeyComparator;
import dev.kv.core.key.KeyComparator;
import dev.kv.core.key.UserKeyComparator;
import dev.kv.core.table.block.BlockIterator;
import dev.kv.core.table.cache.BlockProvider;
import dev.kv.core.table.cache.TableFile;
import dev.kv.core.table.cache.UncachedBlock;
import dev.kv.core.table.format.BlockHandle;
import dev.kv.errors.CorruptionException;
import java.nio.ByteBuffer;

/**
 * The index of an open table, in a memory layout for fast search. Immutable; thread-safe.
 *
 * <p>A binary search in an index block has to find and decode an entry for each probe. Here a probe
 * compares one number, if the order is the bytewise one of internal keys: the bytes that
 * distinguish a key. Keys are compared only if the numbers are equal.
 *
 * <pre>
 * memory := entry*, end, key bytes*
 * entry  := prefix, offset, size, key start; one for each data block, in the order of their keys
 * prefix := fixed64, the 8 bytes of the user key after the common ones, as a number whose order is
 *           the signed one; not in the last entry, nor in other orders. The last key is a short key
 *           after all keys of the table: with it, there would be no common bytes
 * offset := fixed64, size := fixed32: the data block
 * key start := fixed32, the offset of the key
 * end    := an entry with nothing but the key start of the next key if there were one
 * </pre>
 */
final class TableIndex {
  private static final int OFFSET = Long.BYTES;
  private static final int SIZE = OFFSET + Long.BYTES;
  private static final int KEY_START = SIZE + Integer.BYTES;
  private static final int ENTRY = KEY_START + Integer.BYTES;

  private final UncachedBlock memory;
  private final ByteBuffer bytes;
  private final KeyComparator comparator;
  private final int count;

  /** True if the entries have prefixes. */
  private final boolean prefixed;

  /**
   * The number of leading bytes that all user keys except the last share, if there are prefixes.
   */
  private final int common;

  private TableIndex(UncachedBlock memory, KeyComparator comparator, int count) {
    this.memory = memory;
    this.bytes = memory.bytes();
    this.comparator = comparator;
    this.count = count;
    prefixed =
        count > 1
            && comparator instanceof InternalKeyComparator internal
            && internal.userComparator().isBytewise();
    common = prefixed ? commonBytes() : 0;
    if (prefixed) {
      writePrefixes();
    }
  }

  /** Returns the number of bytes that the first and the last but one user key share. */
  private int commonBytes() {
    int first = keyStart(0);
    int second = keyStart(count - 2);
    int most = Math.min(userLength(0), userLength(count - 2));
    int same = 0;
    while (same < most && bytes.get(first + same) == bytes.get(second + same)) {
      same++;
    }
    return same;
  }

  private void writePrefixes() {
    for (int i = 0; i < count - 1; i++) {
      bytes.putLong(i * ENTRY, prefixOf(bytes, keyStart(i), userLength(i)));
    }
  }

  /**
   * Creates the index from an index block, and checks that its keys ascend and its blocks are
   * inside the file.
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
    long length = (count + 1L) * ENTRY + keyBytes;
    if (length > Integer.MAX_VALUE - Long.BYTES) {
      throw new CorruptionException("an index of " + length + " bytes", file.name(), from);
    }
    UncachedBlock target = memory.residentMemory((int) length);
    try {
      ByteBuffer bytes = target.bytes();
      bytes.putInt(KEY_START, (count + 1) * ENTRY);
      int at = 0;
      for (entries.seekToFirst(); entries.isValid(); entries.next()) {
        add(entries, bytes, at, comparator, file, from);
        at += ENTRY;
      }
      return new TableIndex(target, comparator, count);
    } catch (Throwable e) {
      target.close();
      throw e;
    }
  }

  private static void add(
      BlockIterator entry,
      ByteBuffer bytes,
      int at,
      KeyComparator comparator,
      TableFile file,
      long from) {
    int start = bytes.getInt(at + KEY_START);
    int length = entry.keyLength();
    bytes.put(start, entry.keyBuffer(), entry.keyOffset(), length);
    if (at > 0) {
      int last = bytes.getInt(at - ENTRY + KEY_START);
      if (comparator.compare(bytes, last, start - last, bytes, start, length) >= 0) {
        throw new CorruptionException("index keys out of order", file.name(), from);
      }
    }
    BlockHandle handle = BlockHandle.of(entry);
    bytes.putLong(at + OFFSET, handle.offset());
    bytes.putInt(at + SIZE, file.checkedSize(handle, from));
    bytes.putInt(at + ENTRY + KEY_START, start + length);
  }

  /** Returns the number of data blocks. */
  int count() {
    return count;
  }

  /** Returns the offset of data block {@code index} in the file. */
  long offset(int index) {
    return bytes.getLong(index * ENTRY + OFFSET);
  }

  /** Returns the stored size of data block {@code index}, without the trailer. */
  int size(int index) {
    return bytes.getInt(index * ENTRY + SIZE);
  }

  /**
   * Returns the first block that may contain an entry at or after {@code key}, or {@link #count} if
   * there is none.
   */
  int find(ByteBuffer key, int offset, int length) {
    int low = 0;
    if (prefixed) {
      long prefix = prefixOf(key, offset, length - InternalKey.TRAILER);
      low = entriesBefore(prefix);
      if (low < count - 1 && bytes.getLong(low * ENTRY) != prefix) {
        return low;
      }
    }
    int high = count;
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

  /**
   * Returns the number of prefixes that are less than {@code prefix}. The number of probes depends
   * on the count alone, so that the processor has only the choice of a half to predict, if any.
   */
  private int entriesBefore(long prefix) {
    ByteBuffer entries = bytes;
    int first = 0;
    int span = count - 1; // at least one
    while (span > 1) {
      int half = span >>> 1;
      first = entries.getLong((first + half - 1) * ENTRY) < prefix ? first + half : first;
      span -= half;
    }
    return entries.getLong(first * ENTRY) < prefix ? first + 1 : first;
  }

  private long prefixOf(ByteBuffer key, int offset, int userLength) {
    return UserKeyComparator.prefixAfter(
        bytes, (count + 1) * ENTRY, common, key, offset, userLength);
  }

  private int userLength(int index) {
    return keyStart(index + 1) - keyStart(index) - InternalKey.TRAILER;
  }

  private int keyStart(int index) {
    return bytes.getInt(index * ENTRY + KEY_START);
  }

  /** Frees the memory. */
  void free() {
    memory.close();
  }
}
