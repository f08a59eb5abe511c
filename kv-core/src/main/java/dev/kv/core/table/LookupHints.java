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
 * What a table's reader keeps in memory to shorten lookups, beyond the table's own index and
 * filter. No answer depends on a hint. Each hint has a switch, so that a measurement can compare a
 * build with and without it. Thread-safe; freed with the reader.
 *
 * <ul>
 *   <li>{@link #NEGATIVE_LOOKUPS}: a {@link NegativeLookupCache}, for a table without a filter.
 *   <li>{@link #ENTRY_INDEXES}: an entry index after each block that is found in the cache again.
 *   <li>{@link #INDEX_PREFIXES}: the part of each key in the {@link TableIndex} that tells the keys
 *       apart, as a number.
 * </ul>
 */
final class LookupHints {
  static final boolean NEGATIVE_LOOKUPS = true;
  static final boolean INDEX_PREFIXES = true;

  private final @Nullable NegativeLookupCache absent;

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
            ? new NegativeLookupCache(blocks, count)
            : null;
  }

  /** Returns true if an index may keep prefixes of keys in this order as numbers. */
  static boolean keepsPrefixes(KeyComparator comparator) {
    return INDEX_PREFIXES && isBytewiseInternal(comparator);
  }

  private static boolean isBytewiseInternal(KeyComparator comparator) {
    return comparator instanceof InternalKeyComparator internal
        && internal.userComparator().isBytewise();
  }

  /** Returns false if a user key is known to be absent from data block {@code block}. */
  boolean mayContain(int block, ByteBuffer key, int offset, int length) {
    NegativeLookupCache cache = absent;
    return cache == null || cache.mayContain(block, key, offset, length);
  }

  /**
   * Records that a lookup read a data block without finding its key.
   *
   * @param block the number of the data block
   * @param entries a cursor on the block, which this may move
   * @param flags how the block was read: only a verified block is learned from
   */
  void recordMiss(int block, BlockIterator entries, ReadFlags flags) {
    NegativeLookupCache cache = absent;
    if (cache != null && flags.verify()) {
      cache.add(block, entries);
    }
  }

  /**
   * Makes seeks of a cursor use the entry index of its block. Most blocks of a small cache are
   * never found in it again, so that a block gets its index at its first hit.
   *
   * @param cursor a cursor on the block
   * @param block the block
   * @param flags how the block is read: only a verified block gets an index
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
