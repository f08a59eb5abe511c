package dev.kv.core.table;

import dev.kv.core.block.BlockIterator;
import dev.kv.core.key.InternalKeyComparator;
import dev.kv.core.key.KeyComparator;
import dev.kv.core.table.cache.BlockProvider;
import dev.kv.core.table.cache.PinnedBlock;
import dev.kv.core.table.cache.ReadFlags;
import java.nio.ByteBuffer;
import org.jspecify.annotations.Nullable;

/**
 * In-memory data of an open table that makes lookups faster, in addition to the table's own index
 * and filter. Hints never change the result of a lookup. Each hint has a switch, so that benchmarks
 * can compare builds with and without it. Thread-safe; freed with the reader.
 *
 * <ul>
 *   <li>{@link #NEGATIVE_LOOKUPS}: a {@link BlockBloomCache} for a table without a filter.
 *   <li>{@link #useEntryIndex}: an entry index for each block that is found in the cache again.
 * </ul>
 */
final class LookupHints {
  static final boolean NEGATIVE_LOOKUPS = true;

  private final @Nullable BlockBloomCache absent;

  /**
   * Creates the hints of a table.
   *
   * @param comparator the order of the table's keys
   * @param hasFilter true if the table's own filter is used
   * @param blocks provides memory
   * @param count the number of data blocks
   */
  LookupHints(KeyComparator comparator, boolean hasFilter, BlockProvider blocks, int count) {
    absent =
        NEGATIVE_LOOKUPS && !hasFilter && isBytewiseInternal(comparator)
            ? new BlockBloomCache(blocks, count)
            : null;
  }

  private static boolean isBytewiseInternal(KeyComparator comparator) {
    return comparator instanceof InternalKeyComparator internal
        && internal.userComparator().isBytewise();
  }

  /** Returns false if a user key is known to be absent from data block {@code block}. */
  boolean mayContain(int block, ByteBuffer key, int offset, int length) {
    BlockBloomCache cache = absent;
    return cache == null || cache.mayContain(block, key, offset, length);
  }

  /** Returns true if {@link #recordMiss} would record a miss of data block {@code block}. */
  boolean wantsMiss(int block) {
    BlockBloomCache cache = absent;
    return cache != null && cache.wants(block);
  }

  /**
   * Records that a lookup read a data block without finding its key.
   *
   * @param block the number of the data block
   * @param entries a cursor over the block, which this method may move
   * @param flags how the block was read; only a verified block is recorded
   */
  void recordMiss(int block, BlockIterator entries, ReadFlags flags) {
    BlockBloomCache cache = absent;
    if (cache != null && flags.verify()) {
      cache.add(block, entries);
    }
  }

  /**
   * Makes seeks of a cursor use the entry index of its block. A block gets its index at its first
   * cache hit, because most blocks in a small cache never have one.
   *
   * @param cursor a cursor over the block
   * @param block the block
   * @param flags how the block is read; only a verified block gets an index
   */
  static void useEntryIndex(BlockIterator cursor, PinnedBlock block, ReadFlags flags) {
    if (block.wasHit()) {
      block.useEntryIndex(cursor, flags.verify());
    }
  }

  /** Frees the memory. */
  void free() {
    if (absent != null) {
      absent.free();
    }
  }
}
