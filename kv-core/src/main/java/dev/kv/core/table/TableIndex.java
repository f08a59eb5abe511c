package dev.kv.core.table;

import dev.kv.CorruptionException;
import dev.kv.core.block.BlockIterator;
import dev.kv.core.key.InternalKey;
import dev.kv.core.key.KeyComparator;
import dev.kv.core.table.cache.BlockProvider;
import dev.kv.core.table.cache.OwnedBlock;
import dev.kv.core.table.cache.TableFile;
import dev.kv.core.table.format.BlockHandle;
import java.nio.ByteBuffer;

/**
 * The index of an open table, in a memory layout for fast search. Immutable; thread-safe.
 *
 * <p>A binary search in an index block has to find and decode an entry for each probe. Here the
 * offsets of all keys are stored side by side.
 *
 * <pre>
 * memory  := offset*, size*, key start*, key bytes
 * offset  := fixed64, size := fixed32: the data block
 * key start := fixed32, the offset of the key; one more than there are blocks
 * </pre>
 */
final class TableIndex {
  private final OwnedBlock memory;
  private final ByteBuffer bytes;
  private final KeyComparator comparator;
  private final int count;

  private static final int PER_BLOCK = Long.BYTES + 2 * Integer.BYTES;

  private TableIndex(OwnedBlock memory, KeyComparator comparator, int count) {
    this.memory = memory;
    this.bytes = memory.bytes();
    this.comparator = comparator;
    this.count = count;
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
      TableIndex index = new TableIndex(target, comparator, count);
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
    return bytes.getLong(index * Long.BYTES);
  }

  /** Returns the stored size of data block {@code index}, without the trailer. */
  int size(int index) {
    return bytes.getInt(count * Long.BYTES + index * Integer.BYTES);
  }

  /**
   * Returns the first block that may contain an entry at or after {@code key}, or {@link #count} if
   * there is none.
   */
  int find(ByteBuffer key, int offset, int length) {
    int low = 0;
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

  private int keyStart(int index) {
    return keyStart(bytes, count, index);
  }

  private static int keyStart(ByteBuffer bytes, int count, int index) {
    return bytes.getInt(keyStartAt(count, index));
  }

  private static int keyStartAt(int count, int index) {
    return count * (Long.BYTES + Integer.BYTES) + index * Integer.BYTES;
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
      bytes.putLong(filled * Long.BYTES, handle.offset());
      bytes.putInt(count * Long.BYTES + filled * Integer.BYTES, file.checkedSize(handle, from));
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
  }
}
