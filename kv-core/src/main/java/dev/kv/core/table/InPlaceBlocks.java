package dev.kv.core.table;

import dev.kv.CompressionType;
import dev.kv.core.block.BlockIterator;
import dev.kv.core.env.MappedBytes;
import dev.kv.core.memory.OffHeapBuffer;
import dev.kv.core.table.cache.BlockProvider;
import dev.kv.core.table.cache.EntryIndexMemory;
import dev.kv.core.table.cache.TableFile;
import dev.kv.core.table.cache.UncachedBlock;
import dev.kv.core.table.format.BlockWriter;
import java.nio.ByteBuffer;
import org.jspecify.annotations.Nullable;

/**
 * The uncompressed data blocks of an open table whose file is mapped. A lookup searches them in the
 * mapping, and a cursor copies them, both without the block cache. Thread-safe. The user has the
 * table pinned, and so its mapping.
 *
 * <p>The first visit of a block copies it, verifies its checksum, and remembers the checksum as it
 * is stored. {@link MappedBytes} has the rules for reads of the mapping. A search works like this:
 *
 * <pre>
 * 1. {@link #prepare}. Position a cursor with {@link #setOn}. Search. Copy what was found.
 * 2. Ask {@link #isIntact}. It copies the stored checksum, which lies after the block, and a byte
 *    of each page of the block. A copy that faults leaves its target unchanged, so a file that was
 *    cut short is always recognized: beyond its end there are zeros or faults.
 * 3. If the block is not intact, or the search threw an exception, call {@link #forget}, and search
 *    a copy of the block that is read, verified and cached as without this class. That gives the
 *    answer, or the exception for the user. The error of a fault can be thrown by anything in steps
 *    1 and 2 that allocates or calls; so nothing there takes locks or counts memory.
 * </pre>
 */
final class InPlaceBlocks {
  /** The bytes of memory that {@link #isIntact} uses. */
  static final int PROBE_BYTES = Long.BYTES;

  // What `checksums` has for a block that was not visited, and for one that is not read in place.
  private static final int UNKNOWN = 0;
  private static final int REFUSED = 1;

  private static final int PAGE = 4096;
  private static final byte MARK = 0x5a;

  private final TableFile file;
  private final MappedBytes mapped;
  private final ByteBuffer bytes;
  private final TableIndex index;
  private final BlockProvider blocks;
  private final EntryIndexes entryIndexes;

  /**
   * For each block its stored checksum, if it was verified. An entry changes from {@link #UNKNOWN}
   * to the same number in all threads.
   */
  private final int[] checksums;

  InPlaceBlocks(
      TableFile file,
      MappedBytes mapped,
      TableIndex index,
      BlockProvider blocks,
      EntryIndexMemory memory) {
    this.file = file;
    this.mapped = mapped;
    this.bytes = mapped.mapping();
    this.index = index;
    this.blocks = blocks;
    checksums = new int[index.count()];
    entryIndexes = new EntryIndexes(memory, index.count());
  }

  /**
   * Returns true if a block can be searched in the mapping. Verifies it at its first visit.
   *
   * @throws dev.kv.CorruptionException if it has a wrong checksum
   */
  boolean acceptsVerified(int at) {
    int checksum = checksums[at];
    return checksum != UNKNOWN ? checksum != REFUSED : verify(at);
  }

  /**
   * Prepares a visit of a block: verifies it at the first one, and writes its entry index at the
   * second, from a copy. The cursor has no entry afterwards.
   *
   * @return false if the block cannot be searched in the mapping
   */
  boolean prepare(BlockIterator cursor, int at) {
    if (!isVerified(checksums[at])) {
      return acceptsVerified(at);
    }
    if (entryIndexes.wants(at)) {
      UncachedBlock copy = copy(at);
      if (copy == null) {
        return false;
      }
      try {
        cursor.reset(copy.bytes(), copy.length(), file.name(), index.offset(at));
        entryIndexes.write(cursor, at);
      } finally {
        copy.close();
      }
    }
    return true;
  }

  private static boolean isVerified(int checksum) {
    return checksum != UNKNOWN && checksum != REFUSED;
  }

  private boolean verify(int at) {
    int size = index.size(at);
    OffHeapBuffer scratch = blocks.acquireScratch();
    try {
      blocks.copyStored(file, index.offset(at), size, scratch);
      ByteBuffer stored = scratch.buffer();
      int checksum = stored.getInt(size + 1);
      boolean accepted = stored.get(size) == CompressionType.NONE.code() && isVerified(checksum);
      checksums[at] = accepted ? checksum : REFUSED;
      return accepted;
    } finally {
      blocks.releaseScratch(scratch);
    }
  }

  /**
   * Positions a cursor before the first entry of a verified block, in the mapping. Seeks use the
   * entry index, if there is one.
   */
  void setOn(BlockIterator cursor, int at) {
    long offset = index.offset(at);
    cursor.reset(bytes, (int) offset, index.size(at), file.name(), offset);
    entryIndexes.use(cursor, at);
  }

  /**
   * Returns a copy of a verified block, which the caller owns, or null if the block has changed.
   */
  @Nullable UncachedBlock copy(int at) {
    int checksum = checksums[at];
    UncachedBlock copy =
        isVerified(checksum)
            ? blocks.copyVerified(file, index.offset(at), index.size(at), checksum)
            : null;
    if (copy == null) {
      forget(at);
    }
    return copy;
  }

  /**
   * Returns true if everything that this thread has read of a verified block was in the file.
   *
   * @param probe memory of at least {@link #PROBE_BYTES}
   */
  boolean isIntact(int at, ByteBuffer probe) {
    int begin = (int) index.offset(at);
    int last = begin + index.size(at) + BlockWriter.TRAILER - Integer.BYTES;
    int checksum = checksums[at];
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
    return true;
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
  void forget(int at) {
    mapped.absorbFault();
    checksums[at] = UNKNOWN;
  }

  /** Frees the memory. */
  void free() {
    entryIndexes.free();
  }
}
