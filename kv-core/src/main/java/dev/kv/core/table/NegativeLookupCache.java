package dev.kv.core.table;

import dev.kv.core.block.BlockIterator;
import dev.kv.core.key.InternalKey;
import dev.kv.core.table.cache.BlockProvider;
import dev.kv.core.table.cache.OwnedBlock;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/**
 * Bloom filters of single data blocks, in memory only, for a table without a filter of its own.
 * After a lookup that reads a block without finding its key, the filter of the block is kept; later
 * lookups of absent keys need not read, verify and decompress the block again. So the upper levels,
 * where most lookups find nothing, soon cost a probe each.
 *
 * <p>A filter is one cache line: 64 bytes for each block, which the budget counts as index and
 * filter memory. Thread-safe: a thread writes the whole filter of a block, and two threads write
 * the same.
 *
 * <pre>
 * filter := fixed64 * 8; bit 0 of the first, which is written last, says that the filter is there
 * </pre>
 */
final class NegativeLookupCache {
  private static final VarHandle WORD =
      MethodHandles.byteBufferViewVarHandle(long[].class, ByteOrder.LITTLE_ENDIAN);

  private static final int WORDS = 8;
  private static final int BYTES = WORDS * Long.BYTES;
  private static final long WHOLE = 1;

  /**
   * Bits for each key: a wrong "maybe" for 1 in 300 with 35 keys in a block, for 1 in 16 with 85.
   */
  private static final int PROBES = 4;

  /** Bits of the hash that choose a bit of the filter. */
  private static final int PROBE_BITS = 9;

  /** With more keys a filter says "maybe" too often. */
  private static final int MOST_KEYS = 128;

  /** The most memory for the filters of one table. */
  private static final long MOST_BYTES = 16 << 20;

  private static final long SPREAD = 0x9E3779B97F4A7C15L;

  private final BlockProvider blocks;
  private final int count;

  /** Guarded by this. */
  private boolean refused;

  /** The filters; null until the first one is added. */
  private volatile @Nullable OwnedBlock memory;

  /** Creates a cache for {@code count} blocks, without a filter. */
  NegativeLookupCache(BlockProvider blocks, int count) {
    this.blocks = blocks;
    this.count = count;
  }

  /** Returns false if data block {@code block} is known not to have the user key. */
  boolean mayContain(int block, ByteBuffer key, int offset, int length) {
    OwnedBlock present = memory;
    if (present == null) {
      return true;
    }
    ByteBuffer filters = present.bytes();
    int at = block * BYTES;
    if (((long) WORD.getAcquire(filters, at) & WHOLE) == 0) {
      return true;
    }
    long hash = hash(key, offset, length);
    for (int i = 0; i < PROBES; i++) {
      if ((filters.getLong(at + wordOf(hash) * Long.BYTES) & bitOf(hash)) == 0) {
        return false;
      }
      hash >>>= PROBE_BITS;
    }
    return true;
  }

  /**
   * Adds the filter of data block {@code block}, over which {@code entries} is set and may be
   * moved.
   */
  void add(int block, BlockIterator entries) {
    OwnedBlock present = memory;
    if (present == null) {
      present = create();
      if (present == null) {
        return;
      }
    }
    ByteBuffer filters = present.bytes();
    int at = block * BYTES;
    if (((long) WORD.getAcquire(filters, at) & WHOLE) != 0) {
      return;
    }
    long[] filter = filterOf(entries);
    for (int i = 1; i < WORDS; i++) {
      filters.putLong(at + i * Long.BYTES, filter[i]);
    }
    WORD.setRelease(filters, at, filter[0] | WHOLE);
  }

  private static long[] filterOf(BlockIterator entries) {
    long[] filter = new long[WORDS];
    int keys = 0;
    for (entries.seekToFirst(); entries.isValid(); entries.next()) {
      if (++keys > MOST_KEYS) {
        Arrays.fill(filter, ~0L);
        break;
      }
      int length = entries.keyLength() - InternalKey.TRAILER;
      long hash = hash(entries.keyBuffer(), entries.keyOffset(), length);
      for (int i = 0; i < PROBES; i++) {
        filter[wordOf(hash)] |= bitOf(hash);
        hash >>>= PROBE_BITS;
      }
    }
    return filter;
  }

  /** Allocates the filters; returns null, from then on always, if there is no memory to spare. */
  private synchronized @Nullable OwnedBlock create() {
    if (memory == null && !refused) {
      OwnedBlock fresh =
          (long) count * BYTES > MOST_BYTES ? null : blocks.spareMemory(count * BYTES);
      if (fresh == null) {
        refused = true;
      } else {
        for (int i = 0; i < count * WORDS; i++) {
          fresh.bytes().putLong(i * Long.BYTES, 0);
        }
        memory = fresh;
      }
    }
    return memory;
  }

  private static int wordOf(long hash) {
    return (int) hash & WORDS - 1;
  }

  private static long bitOf(long hash) {
    return 1L << (hash >>> 3);
  }

  private static long hash(ByteBuffer key, int offset, int length) {
    long hash = length * SPREAD;
    int i = 0;
    for (; i + Long.BYTES <= length; i += Long.BYTES) {
      hash = mixed(hash ^ key.getLong(offset + i));
    }
    for (; i < length; i++) {
      hash = mixed(hash ^ key.get(offset + i));
    }
    return hash;
  }

  private static long mixed(long word) {
    long product = word * SPREAD;
    return product ^ product >>> 32;
  }

  /** Frees the memory. No thread uses the cache any more. */
  void free() {
    OwnedBlock present = memory;
    if (present != null) {
      present.close();
    }
  }
}
