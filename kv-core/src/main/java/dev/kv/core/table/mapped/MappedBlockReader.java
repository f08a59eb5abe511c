package dev.kv.core.table.mapped;

import dev.kv.core.env.MappedBytes;
import dev.kv.core.key.LookupResult;
import dev.kv.core.memory.OffHeapBuffer;
import dev.kv.core.table.block.BlockIterator;
import dev.kv.core.table.block.EntryIndexLookup;
import dev.kv.core.table.cache.BlockAccess;
import dev.kv.core.table.cache.BlockProvider;
import dev.kv.core.table.cache.TableFile;
import dev.kv.core.table.cache.TableLookup;
import dev.kv.core.table.cache.UncachedBlock;
import dev.kv.core.table.format.BlockWriter;
import dev.kv.options.CompressionType;
import java.lang.invoke.VarHandle;
import java.nio.ByteBuffer;
import org.jspecify.annotations.Nullable;

/**
 * Searches the uncompressed data blocks of an open table in the mapping of its file, without a copy
 * and without the block cache. Thread-safe. The user has the table pinned, and so its mapping.
 *
 * <p>The first visit of a block copies it, verifies its checksum, and remembers the checksum as it
 * is stored. {@link MappedBytes} has the rules for reads of the mapping. A search works like this:
 *
 * <pre>
 * 1. Position the cursor in the mapping. Search. Copy the value that was found.
 * 2. Check that the block is intact: copy the stored checksum, which lies after the block, and a
 *    byte of each page of the block. A copy that faults leaves its target unchanged, so a file that
 *    was cut short is always recognized: beyond its end there are zeros or faults.
 * 3. If the block is not intact, or the search threw an exception, forget the block, and search a
 *    copy of it that is read, verified and cached as without this class. That gives the answer, or
 *    the exception for the user.
 * </pre>
 *
 * <p>The error of a fault is thrown late: by anything in steps 1 and 2 that allocates or calls. So
 * nothing there takes a lock or counts memory, and {@link #search} catches it.
 */
public final class MappedBlockReader implements BlockAccess {
  /** The result of a search that does not count; not a {@link LookupResult}. */
  private static final int CHANGED = -1;

  /** The bytes before a copied value that the check uses. */
  private static final int PROBE_BYTES = TableLookup.PROBE_BYTES;

  /** A larger value is copied into memory of its own. */
  private static final int MOST_VALUE_BYTES = 64 << 10;

  // What `checksums` has for a block that was not visited, and for one that is not read in place.
  private static final int UNKNOWN = 0;
  private static final int REFUSED = 1;

  private static final int PAGE = 4096;
  private static final byte MARK = 0x5a;

  private final TableFile file;
  private final MappedBytes mapped;
  private final ByteBuffer bytes;
  private final BlockProvider blocks;
  private final EntryIndexes entryIndexes;
  private final BlockAccess copies;

  /**
   * For each block its stored checksum, if it was verified. An entry changes from {@link #UNKNOWN}
   * to the same number in all threads.
   */
  private final int[] checksums;

  /**
   * Creates a reader.
   *
   * @param count the number of the table's data blocks
   * @param copies searches a copy of a block that cannot be searched in the mapping
   */
  public MappedBlockReader(
      TableFile file,
      MappedBytes mapped,
      int count,
      BlockProvider blocks,
      EntryIndexMemory memory,
      BlockAccess copies) {
    this.file = file;
    this.mapped = mapped;
    this.bytes = mapped.mapping();
    this.blocks = blocks;
    this.copies = copies;
    checksums = new int[count];
    entryIndexes = new EntryIndexes(memory, count);
  }

  /**
   * Searches a block in the mapping if that is possible, or else a copy. A small value is copied
   * into the lookup's memory, and has no pin.
   */
  @Override
  public int search(TableLookup lookup, int block, long offset, int size) {
    if (prepare(lookup.cursor(), block, offset, size)) {
      try {
        int result = searchMapping(lookup, block, offset, size);
        if (result != CHANGED) {
          return result;
        }
        forget(block);
      } catch (InternalError e) {
        forget(block); // thrown on the way to forget(), which would have absorbed it
      }
      lookup.value().release();
    }
    return copies.search(lookup, block, offset, size);
  }

  /**
   * Prepares a visit of a block: verifies it at the first one, and writes its entry index at the
   * second, from a copy. The cursor has no entry afterwards.
   *
   * @return false if the block cannot be searched in the mapping
   */
  private boolean prepare(BlockIterator cursor, int block, long offset, int size) {
    if (!isVerified(checksums[block])) {
      return acceptsVerified(block, offset, size);
    }
    if (entryIndexes.wants(block)) {
      UncachedBlock copy = copy(block, offset, size);
      if (copy == null) {
        return false;
      }
      try (copy) {
        cursor.reset(copy.bytes(), copy.length(), file.name(), offset);
        entryIndexes.write(cursor, block);
      }
    }
    return true;
  }

  private int searchMapping(TableLookup lookup, int block, long offset, int size) {
    lookup.copyMemory(PROBE_BYTES).putLong(0, 0); // is there before the mapping is read
    try {
      ByteBuffer index = entryIndexes.memory(block);
      int result =
          index == null
              ? EntryIndexLookup.UNDECIDED
              : lookup.search(bytes, (int) offset, size, index, EntryIndexes.place(block));
      int at = lookup.indexedOffset();
      int length = lookup.indexedLength();
      if (result == EntryIndexLookup.UNDECIDED) {
        BlockIterator entry = lookup.cursor();
        entry.reset(bytes, (int) offset, size, file.name(), offset);
        if (index != null) {
          entry.useEntryIndex(index, EntryIndexes.place(block));
        }
        result = lookup.search();
        at = entry.valueOffset();
        length = entry.valueLength();
      }
      boolean complete =
          result != LookupResult.FOUND || copyValue(lookup, at, length, block, offset, size);
      return complete && isIntact(block, offset, size, lookup.copyMemory(PROBE_BYTES))
          ? result
          : CHANGED;
    } catch (RuntimeException e) {
      return CHANGED; // the search of a copy throws what is to be thrown
    }
  }

  /**
   * Copies the value found. Checks the block before it allocates memory, because an allocation must
   * not meet the error of a fault. Returns false if the block has changed.
   */
  private boolean copyValue(
      TableLookup lookup, int at, int length, int block, long offset, int size) {
    boolean large = length > MOST_VALUE_BYTES;
    boolean allocates = large || !lookup.hasCopyMemory(PROBE_BYTES + length);
    if (allocates && !isIntact(block, offset, size, lookup.copyMemory(PROBE_BYTES))) {
      return false;
    }
    if (large) {
      UncachedBlock copy = blocks.copyOf(bytes, at, length);
      lookup.value().set(copy.bytes(), 0, length, copy);
    } else {
      lookup.copyValue(bytes, at, length);
    }
    return true;
  }

  /**
   * Returns a copy of a block, verified at the first visit, or null if it is not to be read from
   * the mapping. The caller owns the copy.
   *
   * @param memory holds the copy if it is not large, so that it is valid until the next use of this
   *     memory; null if the copy is to have memory of its own
   * @throws dev.kv.errors.CorruptionException if it has a wrong checksum
   */
  public @Nullable UncachedBlock verifiedCopy(
      int block, long offset, int size, @Nullable OffHeapBuffer memory) {
    return acceptsVerified(block, offset, size) ? copy(block, offset, size, memory) : null;
  }

  /**
   * Makes the next seek of a cursor use the entry index of a block, and writes the index if that is
   * due. The cursor is on a copy of the block, and has no entry afterwards.
   */
  public void prepareSeek(BlockIterator cursor, int block) {
    if (!isVerified(checksums[block])) {
      return; // the cursor is on a block of the cache
    }
    if (entryIndexes.wants(block)) {
      entryIndexes.write(cursor, block);
    }
    ByteBuffer index = entryIndexes.memory(block);
    if (index != null) {
      cursor.useEntryIndex(index, EntryIndexes.place(block));
    }
  }

  private boolean acceptsVerified(int block, long offset, int size) {
    int checksum = checksums[block];
    return checksum != UNKNOWN ? checksum != REFUSED : verify(block, offset, size);
  }

  private static boolean isVerified(int checksum) {
    return checksum != UNKNOWN && checksum != REFUSED;
  }

  private boolean verify(int block, long offset, int size) {
    OffHeapBuffer scratch = blocks.acquireScratch();
    try {
      blocks.copyStored(file, offset, size, scratch);
      ByteBuffer stored = scratch.buffer();
      int checksum = stored.getInt(size + 1);
      boolean accepted = stored.get(size) == CompressionType.NONE.code() && isVerified(checksum);
      checksums[block] = accepted ? checksum : REFUSED;
      return accepted;
    } finally {
      blocks.releaseScratch(scratch);
    }
  }

  /**
   * Returns a copy of a block that was verified before, which the caller owns; null if it was not,
   * or if its trailer is not the one of that time any more.
   */
  public @Nullable UncachedBlock copy(int block, long offset, int size) {
    return copy(block, offset, size, null);
  }

  private @Nullable UncachedBlock copy(
      int block, long offset, int size, @Nullable OffHeapBuffer memory) {
    int checksum = checksums[block];
    if (!isVerified(checksum)) {
      return null;
    }
    UncachedBlock copy =
        memory == null
            ? blocks.transientMemory(size, BlockWriter.TRAILER)
            : blocks.transientMemory(size, BlockWriter.TRAILER, memory);
    boolean same = false;
    try {
      ByteBuffer stored = copy.bytes();
      file.read(offset, stored, size + BlockWriter.TRAILER);
      same = stored.get(size) == CompressionType.NONE.code() && stored.getInt(size + 1) == checksum;
      return same ? copy : null;
    } finally {
      if (!same) {
        copy.close();
        forget(block);
      }
    }
  }

  /** Returns true if everything that this thread has read of a verified block was in the file. */
  private boolean isIntact(int block, long offset, int size, ByteBuffer probe) {
    VarHandle.acquireFence(); // what was read is loaded before the probes
    int begin = (int) offset;
    int last = begin + size + BlockWriter.TRAILER - Integer.BYTES;
    int checksum = checksums[block];
    if (!isVerified(checksum)) {
      return false; // another thread has found that it changed
    }
    probe.putInt(0, ~checksum);
    probe.put(0, bytes, last, Integer.BYTES);
    if (probe.getInt(0) != checksum) {
      return false;
    }
    for (int i = begin; i < (last & -PAGE); i += PAGE) {
      if (!isReadable(i, probe)) {
        return false;
      }
    }
    return !mapped.absorbMissedFault();
  }

  private boolean isReadable(int at, ByteBuffer probe) {
    probe.put(0, MARK);
    probe.put(0, bytes, at, 1);
    if (probe.get(0) != MARK) {
      return true;
    }
    probe.put(0, (byte) ~MARK);
    probe.put(0, bytes, at, 1);
    return probe.get(0) == MARK;
  }

  /** Ends the use of a block that may have changed until it is verified again. */
  private void forget(int block) {
    mapped.absorbFault();
    checksums[block] = UNKNOWN;
  }

  /** Frees the memory. */
  public void free() {
    entryIndexes.free();
  }
}
