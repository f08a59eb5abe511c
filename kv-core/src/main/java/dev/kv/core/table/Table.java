package dev.kv.core.table;

import dev.kv.FilterPolicy;
import dev.kv.core.cache.CacheValue;
import dev.kv.core.env.MappedBytes;
import dev.kv.core.key.InternalKeyComparator;
import dev.kv.core.key.KeyComparator;
import dev.kv.core.key.LookupKey;
import dev.kv.core.key.LookupResult;
import dev.kv.core.memory.OffHeapBuffer;
import dev.kv.core.memory.Pinned;
import dev.kv.core.table.block.BlockIterator;
import dev.kv.core.table.block.EntryIndexLookup;
import dev.kv.core.table.cache.BlockAccess;
import dev.kv.core.table.cache.BlockProvider;
import dev.kv.core.table.cache.CachedBlock;
import dev.kv.core.table.cache.IndexedBlocks;
import dev.kv.core.table.cache.LookupCounts;
import dev.kv.core.table.cache.PinnedBlock;
import dev.kv.core.table.cache.ReadFlags;
import dev.kv.core.table.cache.TableFile;
import dev.kv.core.table.cache.TableLookup;
import dev.kv.core.table.cache.UncachedBlock;
import dev.kv.core.table.filter.FilterBlockReader;
import dev.kv.core.table.format.TableBuilder;
import dev.kv.core.table.format.TableProperties;
import dev.kv.core.table.mapped.EntryIndexMemory;
import dev.kv.core.table.mapped.MappedBlockReader;
import dev.kv.core.version.FileMetadata;
import java.nio.ByteBuffer;
import org.jspecify.annotations.Nullable;

/**
 * An open table; {@link TableBuilder} describes the format. Index and filter are kept in memory;
 * data blocks are read through the block cache. Thread-safe: all fields are constant after the
 * open, except for what caches. Freed after the last pin is released.
 */
public final class Table implements CacheValue {
  private final TableFile file;
  private final long cacheId;
  private final KeyComparator comparator;
  private final BlockProvider blocks;
  private final TableIndex index;
  private final long dataEnd;
  private final @Nullable UncachedBlock filterBlock;
  private final @Nullable FilterBlockReader filter;

  /** The filters of blocks that lookups read without finding their key; null if there are none. */
  private final @Nullable BlockBloomCache missed;

  /** The places of blocks in the cache; null before the first one, or if there is no room. */
  private volatile @Nullable IndexedBlocks indexed;

  /** True if there is no room for places, so that nobody asks again. */
  private volatile boolean placesRefused;

  private final @Nullable TableProperties properties;

  /** The blocks in the cache. */
  private final BlockAccess cached = this::searchCached;

  /** The blocks that are searched in the mapping of the file; null if all are copied. */
  private final @Nullable MappedBlockReader mapped;

  private Table(
      TableFile file,
      long cacheId,
      KeyComparator comparator,
      BlockProvider blocks,
      TableOpening opened,
      @Nullable FilterPolicy policy,
      @Nullable EntryIndexMemory entryIndexes) {
    this.file = file;
    this.cacheId = cacheId;
    this.comparator = comparator;
    this.blocks = blocks;
    index = opened.index();
    dataEnd = opened.dataEnd();
    properties = opened.properties();
    filterBlock = opened.filterBlock();
    filter =
        policy == null || filterBlock == null
            ? null
            : new FilterBlockReader(policy, filterBlock.bytes(), filterBlock.length());
    boolean bytewise =
        comparator instanceof InternalKeyComparator internal
            && internal.userComparator().isBytewise();
    missed = filter == null && bytewise ? new BlockBloomCache(blocks, index.count()) : null;
    MappedBytes mapping = entryIndexes != null && bytewise ? file.mapped() : null;
    mapped =
        entryIndexes == null || mapping == null
            ? null
            : new MappedBlockReader(file, mapping, index.count(), blocks, entryIndexes, cached);
  }

  /**
   * Opens a table. Takes ownership of the file: the reader closes it, and so does this method if it
   * throws.
   *
   * @param policy the policy whose filter is used if the table has one; null to use none
   * @param cacheId the id of the table's blocks in the block cache
   */
  public static Table open(
      TableFile file,
      long cacheId,
      KeyComparator comparator,
      @Nullable FilterPolicy policy,
      BlockProvider blocks) {
    return open(file, cacheId, comparator, policy, blocks, null, null);
  }

  /**
   * Opens a table, as of a database if {@code metadata} is given: then the index must match the
   * first and the last key that the MANIFEST gives to the table. No data block is read.
   *
   * @param metadata what the MANIFEST says of a table of internal keys; null if it says nothing
   * @param entryIndexes null if no block is to be searched in the mapping of the file; otherwise
   *     the memory of their entry indexes. It has no effect if the file is not mapped or the order
   *     is not bytewise, because a program's comparator would see the mapping.
   */
  static Table open(
      TableFile file,
      long cacheId,
      KeyComparator comparator,
      @Nullable FilterPolicy policy,
      BlockProvider blocks,
      @Nullable FileMetadata metadata,
      @Nullable EntryIndexMemory entryIndexes) {
    try (TableOpening opening = TableOpening.of(file, comparator, blocks)) {
      opening.read(policy);
      if (metadata != null
          && metadata.knowsKeys()
          && comparator instanceof InternalKeyComparator internal) {
        opening.requireKeys(internal, metadata.smallest(), metadata.largest());
      }
      Table table = new Table(file, cacheId, comparator, blocks, opening, policy, entryIndexes);
      opening.transferOwnership();
      return table;
    }
  }

  /**
   * Looks up the newest entry of a user key at or before a sequence number, in a table of internal
   * keys. Searches at most one data block.
   *
   * @return one of {@link LookupResult}'s constants
   */
  public int get(TableLookup lookup) {
    return get(lookup, mapped != null && lookup.flags().fill() ? mapped : cached);
  }

  /** Does the lookup, and reads the data block through {@code blocks}. */
  int get(TableLookup lookup, BlockAccess blocks) {
    int at = blockOf(lookup);
    if (at < 0) {
      return LookupResult.NOT_FOUND;
    }
    lookup.count(LookupCounts.BLOCKS);
    int result = blocks.search(lookup, at, index.offset(at), index.size(at));
    if (result == LookupResult.NOT_FOUND) {
      if (filter != null) {
        lookup.count(LookupCounts.FILTER_FALSE_POSITIVES);
      }
      if (mapped != null) {
        recordMissInMapping(mapped, lookup, at);
      }
    }
    return result;
  }

  /**
   * Searches a block in the cache: without a pin, if the value is to be copied and the block has a
   * place, or else with a pin, which belongs to the value found.
   */
  private int searchCached(TableLookup lookup, int at, long offset, int size) {
    IndexedBlocks places = indexed;
    if (places != null && lookup.copies()) {
      int result = places.search(at, offset, lookup);
      if (result != EntryIndexLookup.UNDECIDED
          && (result != LookupResult.NOT_FOUND || !recordsMiss(lookup, at))) {
        return result;
      }
      lookup.value().release();
    }
    PinnedBlock block = blocks.acquire(file, cacheId, offset, size, lookup.flags());
    int result = LookupResult.NOT_FOUND;
    try {
      result = search(lookup, block, at);
      return result;
    } finally {
      if (result == LookupResult.FOUND) {
        lookup.setValue(block);
      } else {
        block.close();
      }
    }
  }

  /** Returns true if a search of the block with a pin has a miss to record. */
  private boolean recordsMiss(TableLookup lookup, int at) {
    BlockBloomCache misses = missed;
    return misses != null && lookup.flags().verify() && misses.wants(at);
  }

  /** Searches data block {@code at}, which the caller has pinned. */
  int search(TableLookup lookup, PinnedBlock block, int at) {
    BlockIterator cursor = lookup.cursor();
    setOn(cursor, block, at);
    int result = lookup.search();
    BlockBloomCache misses = missed;
    if (result == LookupResult.NOT_FOUND
        && misses != null
        && lookup.flags().verify()
        && misses.wants(at)) {
      misses.add(at, cursor);
    }
    return result;
  }

  /** Records a miss from a copy of the block, so that no filter depends on the mapping. */
  private void recordMissInMapping(MappedBlockReader blocksInMapping, TableLookup lookup, int at) {
    BlockBloomCache misses = missed;
    if (misses == null || !misses.wants(at)) {
      return;
    }
    UncachedBlock copy = blocksInMapping.copy(at, index.offset(at), index.size(at));
    if (copy != null) {
      try (copy) {
        BlockIterator cursor = lookup.cursor();
        setOn(cursor, copy, at);
        misses.add(at, cursor);
      }
    }
  }

  /** Returns the number of the data block that may contain the key, or -1. */
  private int blockOf(TableLookup lookup) {
    LookupKey key = lookup.key();
    boolean wholeTableFilter = filter != null && filter.wholeTable();
    if (wholeTableFilter && !mayContain(0, key)) {
      lookup.count(LookupCounts.FILTER_NEGATIVES);
      return -1;
    }
    int at = index.find(key.buffer(), 0, key.internalKeyLength());
    if (at == index.count()) {
      return -1;
    }
    if (!wholeTableFilter && !mayContain(index.offset(at), key)) {
      lookup.count(LookupCounts.FILTER_NEGATIVES);
      return -1;
    }
    BlockBloomCache misses = missed;
    if (misses != null && !misses.mayContain(at, key.buffer(), 0, key.userKeyLength())) {
      lookup.count(LookupCounts.CACHED_NEGATIVES);
      return -1;
    }
    return at;
  }

  private boolean mayContain(long blockOffset, LookupKey key) {
    FilterBlockReader reader = filter;
    return reader == null || reader.mayContain(blockOffset, key.buffer(), 0, key.userKeyLength());
  }

  /**
   * Returns a new cursor over the table's entries.
   *
   * @param pin keeps this reader open; the cursor closes it
   */
  public TableIterator iterator(ReadFlags flags, Pinned pin) {
    return TableIterator.of(this, flags, pin);
  }

  /**
   * Returns the offset in the file of the data block that may contain {@code key}, or the end of
   * the data.
   */
  public long approximateOffsetOf(ByteBuffer key, int offset, int length) {
    int at = index.find(key, offset, length);
    return at == index.count() ? dataEnd : index.offset(at);
  }

  /**
   * Returns what the table says about its entries, or null: C++ LevelDB writes no properties, and
   * damaged ones are ignored.
   */
  public @Nullable TableProperties properties() {
    return properties;
  }

  /** Returns true if the table has a filter of the policy with which it was opened. */
  public boolean hasFilter() {
    return filter != null;
  }

  /** Returns the size of the file in bytes. */
  public long fileSize() {
    return file.size();
  }

  KeyComparator comparator() {
    return comparator;
  }

  TableIndex index() {
    return index;
  }

  BlockProvider blocks() {
    return blocks;
  }

  /** Returns true if blocks that are read with {@code flags} are copies from the mapping. */
  boolean copiesBlocks(ReadFlags flags) {
    return mapped != null && flags.fill();
  }

  /**
   * Returns data block {@code at}, pinned for the caller.
   *
   * @param memory holds a copy from the mapping, see {@link MappedBlockReader#verifiedCopy}; may be
   *     null
   */
  PinnedBlock acquireBlock(int at, ReadFlags flags, @Nullable OffHeapBuffer memory) {
    if (mapped != null && flags.fill()) {
      UncachedBlock copy = mapped.verifiedCopy(at, index.offset(at), index.size(at), memory);
      if (copy != null) {
        return copy;
      }
    }
    return blocks.acquire(file, cacheId, index.offset(at), index.size(at), flags);
  }

  /**
   * Verifies data block {@code at}, copies it as it is stored, including its trailer, and returns
   * the number of bytes.
   */
  int copyStoredBlock(int at, OffHeapBuffer target) {
    return blocks.copyStored(file, index.offset(at), index.size(at), target);
  }

  /** Erases the data blocks from the cache. */
  void eraseBlocks() {
    for (int at = 0; at < index.count(); at++) {
      blocks.cache().erase(cacheId, index.offset(at));
    }
  }

  /** Returns the open file, borrowed from the reader. */
  TableFile file() {
    return file;
  }

  /**
   * Positions a cursor before the first entry of {@code block}, which is data block {@code at}. A
   * block gets its entry index when it is found in the cache for the first time, because most
   * blocks in a small cache never are.
   */
  void setOn(BlockIterator cursor, PinnedBlock block, int at) {
    cursor.reset(block.bytes(), block.length(), file.name(), index.offset(at));
    if (block instanceof CachedBlock shared && shared.wasHit()) {
      shared.useEntryIndex(cursor);
      addPlace(shared, at);
    }
  }

  /** Makes a pinned block known to gets without a pin, if it has an entry index. */
  private void addPlace(CachedBlock block, int at) {
    IndexedBlocks places = indexed;
    if (places == null && !placesRefused) {
      places = createIndexed();
    }
    if (places != null) {
      block.addTo(places, at, index.offset(at));
    }
  }

  private synchronized @Nullable IndexedBlocks createIndexed() {
    if (indexed == null && !placesRefused) {
      indexed = blocks.newIndexedBlocks(cacheId, index.count());
      placesRefused = indexed == null;
    }
    return indexed;
  }

  /**
   * Makes the next seek of a cursor use the entry index of data block {@code at}, on a copy of
   * which from the mapping it is set. The first such seek after the first visit writes the index.
   */
  void prepareSeek(BlockIterator cursor, int at, ReadFlags flags) {
    if (mapped != null && flags.fill()) {
      mapped.prepareSeek(cursor, at);
    }
  }

  /** Returns 1: every open table counts the same. */
  @Override
  public long charge() {
    return 1;
  }

  @Override
  public void free() {
    index.free();
    IndexedBlocks places = indexed;
    if (places != null) {
      blocks.release(places);
    }
    if (missed != null) {
      missed.free();
    }
    if (mapped != null) {
      mapped.free();
    }
    if (filterBlock != null) {
      filterBlock.close();
    }
    file.close();
  }
}
