package dev.kv.core.table;

import static java.util.Objects.requireNonNull;

import dev.kv.core.key.InternalKey;
import dev.kv.core.key.KeyHash;
import dev.kv.core.table.block.BlockIterator;
import dev.kv.core.table.cache.BlockProvider;
import dev.kv.core.table.cache.UncachedBlock;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/**
 * Caches Bloom filters of single data blocks, in memory only, for a table without a filter of its
 * own. A lookup that reads a block without finding its key adds the filter of the block. Later
 * lookups of absent keys need not read, verify and decompress the block again. So in the upper
 * levels, in which most lookups find nothing, a lookup soon costs only a probe.
 *
 * <p>A filter is one CPU cache line: 64 bytes for each block, which the budget counts as index and
 * filter memory. Thread-safe: a thread writes the whole filter of a block, and two threads would
 * write the same bytes.
 *
 * <pre>
 * filter := fixed64 * 8; bit 0 of the first, which is written last, is set if the filter exists
 * </pre>
 */
final class BlockBloomCache {
  private static final VarHandle WORD =
      MethodHandles.byteBufferViewVarHandle(long[].class, ByteOrder.LITTLE_ENDIAN);

  private static final int WORDS = 8;
  private static final int BYTES = WORDS * Long.BYTES;
  private static final long WHOLE = 1;

  /**
   * Bits set per key. The false-positive rate is 1 in 300 with 35 keys in a block, and 1 in 16 with
   * 85.
   */
  private static final int PROBES = 4;

  /** The number of hash bits that select a bit of the filter. */
  private static final int PROBE_BITS = 9;

  /** The maximum number of keys; with more, a filter has too many false positives. */
  private static final int MOST_KEYS = 128;

  /** The maximum memory for the filters of one table, in bytes. */
  private static final long MOST_BYTES = 16 << 20;

  private final BlockProvider blocks;
  private final int count;

  /** True if there was no memory, so that nobody asks again. */
  private volatile boolean refused;

  /** The filters; null until the first one is added. */
  private volatile @Nullable UncachedBlock memory;

  /** Creates an empty cache for {@code count} blocks. */
  BlockBloomCache(BlockProvider blocks, int count) {
    this.blocks = blocks;
    this.count = count;
  }

  /** Returns false if data block {@code block} is known not to contain the user key. */
  boolean mayContain(int block, ByteBuffer key, int offset, int length) {
    UncachedBlock present = memory;
    if (present == null) {
      return true;
    }
    ByteBuffer filters = present.bytes();
    if (!isWhole(filters, block)) {
      return true;
    }
    int at = block * BYTES;
    long hash = KeyHash.of(key, offset, length);
    for (int i = 0; i < PROBES; i++) {
      if ((filters.getLong(at + wordOf(hash) * Long.BYTES) & bitOf(hash)) == 0) {
        return false;
      }
      hash >>>= PROBE_BITS;
    }
    return true;
  }

  /** Returns true if the filter of data block {@code block} can be added and was not yet. */
  boolean wants(int block) {
    UncachedBlock present = memory;
    if (present == null && !refused) {
      present = create();
    }
    return present != null && !isWhole(present.bytes(), block);
  }

  private static boolean isWhole(ByteBuffer filters, int block) {
    return ((long) WORD.getAcquire(filters, block * BYTES) & WHOLE) != 0;
  }

  /**
   * Adds the filter of data block {@code block}, which {@link #wants} has asked for. {@code
   * entries} is a cursor over the block, which this method may move.
   */
  void add(int block, BlockIterator entries) {
    ByteBuffer filters = requireNonNull(memory).bytes();
    int at = block * BYTES;
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
      long hash = KeyHash.of(entries.keyBuffer(), entries.keyOffset(), length);
      for (int i = 0; i < PROBES; i++) {
        filter[wordOf(hash)] |= bitOf(hash);
        hash >>>= PROBE_BITS;
      }
    }
    return filter;
  }

  /** Allocates the filters. Returns null if there is no spare memory. */
  private synchronized @Nullable UncachedBlock create() {
    if (memory == null && !refused) {
      UncachedBlock fresh =
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

  /** Frees the memory. Requires that no thread uses the cache any more. */
  void free() {
    UncachedBlock present = memory;
    if (present != null) {
      present.close();
    }
  }
}
