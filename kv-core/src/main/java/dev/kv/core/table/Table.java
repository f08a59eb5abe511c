package dev.kv.core.table;

import dev.kv.CorruptionException;
import dev.kv.FilterPolicy;
import dev.kv.core.block.BlockIterator;
import dev.kv.core.cache.CacheValue;
import dev.kv.core.env.MappedBytes;
import dev.kv.core.filter.FilterBlockReader;
import dev.kv.core.key.InternalKey;
import dev.kv.core.key.InternalKeyComparator;
import dev.kv.core.key.KeyComparator;
import dev.kv.core.key.LookupKey;
import dev.kv.core.key.LookupResult;
import dev.kv.core.key.UserKeyComparator;
import dev.kv.core.key.ValueKind;
import dev.kv.core.memory.OffHeapBuffer;
import dev.kv.core.memory.Pinned;
import dev.kv.core.memory.ValueRef;
import dev.kv.core.table.cache.BlockProvider;
import dev.kv.core.table.cache.EntryIndexMemory;
import dev.kv.core.table.cache.PinnedBlock;
import dev.kv.core.table.cache.ReadFlags;
import dev.kv.core.table.cache.TableFile;
import dev.kv.core.table.cache.UncachedBlock;
import dev.kv.core.table.format.TableBuilder;
import dev.kv.core.table.format.TableProperties;
import dev.kv.core.version.FileMetadata;
import java.nio.ByteBuffer;
import org.jspecify.annotations.Nullable;

/**
 * An open table; {@link TableBuilder} describes the format. Index and filter are kept in memory;
 * data blocks are read through the block cache. Thread-safe: all fields are constant after the
 * open. Freed after the last pin is released.
 */
public final class Table implements CacheValue {
  /** The result of a lookup in the mapping that was not possible; not a {@link LookupResult}. */
  private static final int CHANGED = -1;

  private final TableFile file;
  private final long cacheId;
  private final KeyComparator comparator;
  private final UserKeyComparator userOrder;
  private final BlockProvider blocks;
  private final TableIndex index;
  private final long dataEnd;
  private final @Nullable UncachedBlock filterBlock;
  private final @Nullable FilterBlockReader filter;

  /**
   * True if there is one filter for the whole table, which is probed before the index is searched.
   */
  private final boolean wholeTableFilter;

  private final LookupHints hints;
  private final @Nullable TableProperties properties;

  /** The blocks that are searched in the mapping of the file; null if all are copied. */
  private final @Nullable InPlaceBlocks inPlace;

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
    userOrder =
        comparator instanceof InternalKeyComparator internal
            ? internal.userComparator()
            : (UserKeyComparator) comparator;
    index = opened.index();
    dataEnd = opened.dataEnd();
    properties = opened.properties();
    filterBlock = opened.filterBlock();
    filter =
        policy == null || filterBlock == null
            ? null
            : new FilterBlockReader(policy, filterBlock.bytes(), 0, filterBlock.length());
    wholeTableFilter = filter != null && filter.wholeTable();
    hints = new LookupHints(comparator, filter != null, blocks, index.count());
    MappedBytes mapped = file.mapped();
    inPlace =
        entryIndexes == null || mapped == null || !userOrder.isBytewise()
            ? null
            : new InPlaceBlocks(file, mapped, index, blocks, entryIndexes);
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
    try (TableOpening opening = new TableOpening(file, comparator, blocks)) {
      opening.read(policy);
      return finish(opening, file, cacheId, comparator, policy, blocks, null);
    }
  }

  /**
   * Opens a table of a database, as the other method does. The index must match the first and the
   * last key that the MANIFEST gives to the table. No data block is read.
   *
   * @param metadata what the MANIFEST says of the table
   * @param entryIndexes null if no block is to be searched in the mapping of the file; otherwise
   *     the memory of their entry indexes. It has no effect if the file is not mapped or the order
   *     is not bytewise, because a program's comparator would see the mapping.
   */
  static Table open(
      TableFile file,
      long cacheId,
      InternalKeyComparator comparator,
      @Nullable FilterPolicy policy,
      BlockProvider blocks,
      FileMetadata metadata,
      @Nullable EntryIndexMemory entryIndexes) {
    try (TableOpening opening = new TableOpening(file, comparator, blocks)) {
      opening.read(policy);
      if (metadata.knowsKeys()) {
        opening.requireKeys(comparator, metadata.smallest(), metadata.largest());
      }
      return finish(opening, file, cacheId, comparator, policy, blocks, entryIndexes);
    }
  }

  private static Table finish(
      TableOpening opening,
      TableFile file,
      long cacheId,
      KeyComparator comparator,
      @Nullable FilterPolicy policy,
      BlockProvider blocks,
      @Nullable EntryIndexMemory entryIndexes) {
    Table reader = new Table(file, cacheId, comparator, blocks, opening, policy, entryIndexes);
    opening.transferOwnership();
    return reader;
  }

  /**
   * Looks up the newest entry of a user key at or before a sequence number, in a table of internal
   * keys.
   *
   * @param out receives the value and its pin if the answer is {@link LookupResult#FOUND}
   * @return one of {@link LookupResult}'s constants
   */
  public int get(LookupKey key, ReadFlags flags, PointReadContext context, ValueRef out) {
    LookupCounts counts = context.counts();
    int at = blockOf(key, counts);
    if (at < 0) {
      return LookupResult.NOT_FOUND;
    }
    ByteBuffer target = key.buffer();
    int offset = key.offset();
    int userLength = key.userKeyLength();
    counts.increment(LookupCounts.BLOCKS);
    if (inPlace != null && flags.fill()) {
      int result = getInPlace(inPlace, key, at, context, out);
      if (result != CHANGED) {
        return result;
      }
    }
    PinnedBlock block = acquireBlock(at, flags);
    boolean adopted = false;
    try {
      BlockIterator entry = context.block();
      setOn(entry, block, at, flags);
      entry.seek(target, offset, key.internalKeyLength());
      int result = outcome(context, target, offset, userLength, at);
      if (result == LookupResult.FOUND) {
        out.set(entry.valueBuffer(), entry.valueOffset(), entry.valueLength(), block);
        adopted = true;
      } else if (result == LookupResult.NOT_FOUND) {
        hints.recordMiss(at, entry, flags);
        if (filter != null) {
          counts.increment(LookupCounts.FILTER_FALSE_POSITIVES);
        }
      }
      return result;
    } finally {
      if (!adopted) {
        block.close();
      }
    }
  }

  /**
   * Does the lookup in the mapping of the file. Copies the value, which has no pin if it is small.
   *
   * @return a {@link LookupResult}, or {@link #CHANGED} if the block is to be read in the usual way
   */
  private int getInPlace(
      InPlaceBlocks mapped, LookupKey key, int at, PointReadContext context, ValueRef out) {
    if (!mapped.prepare(context.block(), at)) {
      return CHANGED;
    }
    int result;
    try {
      result = searchInPlace(mapped, key, at, context, out);
      if (result == CHANGED) {
        mapped.forget(at);
      }
    } catch (InternalError e) {
      result = CHANGED; // thrown on the way to forget(), which would have absorbed it
      mapped.forget(at);
    }
    if (result == CHANGED) {
      out.release();
    } else if (result == LookupResult.NOT_FOUND) {
      recordMissInPlace(mapped, at, context);
    }
    return result;
  }

  private int searchInPlace(
      InPlaceBlocks mapped, LookupKey key, int at, PointReadContext context, ValueRef out) {
    BlockIterator entry = context.block();
    ByteBuffer probe = context.valueMemory(0); // which exists before the mapping is read
    try {
      mapped.setOn(entry, at);
      entry.seek(key.buffer(), key.offset(), key.internalKeyLength());
      int result = outcome(context, key.buffer(), key.offset(), key.userKeyLength(), at);
      boolean complete =
          result != LookupResult.FOUND || copyFromMapping(mapped, at, context, probe, out);
      return complete && mapped.isIntact(at, probe) ? result : CHANGED;
    } catch (RuntimeException e) {
      return CHANGED; // the search of a copy throws what is to be thrown
    }
  }

  /**
   * Copies the value of the entry found. Checks the block before it allocates memory, because an
   * allocation must not meet the error of a fault. Returns false if the block has changed.
   */
  private boolean copyFromMapping(
      InPlaceBlocks mapped, int at, PointReadContext context, ByteBuffer probe, ValueRef out) {
    BlockIterator entry = context.block();
    int length = entry.valueLength();
    boolean large = length > PointReadContext.MOST_VALUE_BYTES;
    boolean allocates = large || !context.hasValueMemory(length);
    if (allocates && !mapped.isIntact(at, probe)) {
      return false;
    }
    if (large) {
      UncachedBlock copy = blocks.copyOf(entry.valueBuffer(), entry.valueOffset(), length);
      out.set(copy.bytes(), 0, length, copy);
    } else {
      ByteBuffer memory = context.valueMemory(length);
      memory.put(InPlaceBlocks.PROBE_BYTES, entry.valueBuffer(), entry.valueOffset(), length);
      out.set(memory, InPlaceBlocks.PROBE_BYTES, length, null);
    }
    return true;
  }

  /** Records a miss from a copy of the block, so that a hint never depends on the mapping. */
  private void recordMissInPlace(InPlaceBlocks mapped, int at, PointReadContext context) {
    if (filter != null) {
      context.counts().increment(LookupCounts.FILTER_FALSE_POSITIVES);
    }
    UncachedBlock copy = hints.wantsMiss(at) ? mapped.copy(at) : null;
    if (copy != null) {
      try {
        BlockIterator entry = context.block();
        setOn(entry, copy, at, ReadFlags.DEFAULT);
        hints.recordMiss(at, entry, ReadFlags.DEFAULT);
      } finally {
        copy.close();
      }
    }
  }

  /**
   * Does the same lookup, and keeps the block pinned in {@code held}. The value is valid until that
   * is used again, and has no pin of its own.
   */
  int get(LookupKey key, ReadFlags flags, HeldBlock held, ValueRef out) {
    PointReadContext context = held.context();
    int at = blockOf(key, context.counts());
    if (at < 0) {
      return LookupResult.NOT_FOUND;
    }
    context.counts().increment(LookupCounts.BLOCKS);
    BlockIterator entry = held.cursor(this, at, flags);
    entry.seek(key.buffer(), key.offset(), key.internalKeyLength());
    int result = outcome(context, key.buffer(), key.offset(), key.userKeyLength(), at);
    if (result == LookupResult.FOUND) {
      out.set(entry.valueBuffer(), entry.valueOffset(), entry.valueLength(), null);
    } else if (result == LookupResult.NOT_FOUND) {
      hints.recordMiss(at, entry, flags);
      if (filter != null) {
        context.counts().increment(LookupCounts.FILTER_FALSE_POSITIVES);
      }
    }
    return result;
  }

  /** Returns the number of the data block that may contain a key, or -1. */
  private int blockOf(LookupKey key, LookupCounts counts) {
    ByteBuffer target = key.buffer();
    int offset = key.offset();
    int userLength = key.userKeyLength();
    if (wholeTableFilter && !mayContain(0, target, offset, userLength)) {
      counts.increment(LookupCounts.FILTER_NEGATIVES);
      return -1;
    }
    int at = index.find(target, offset, key.internalKeyLength());
    if (at == index.count()) {
      return -1;
    }
    if (!wholeTableFilter && !mayContain(index.offset(at), target, offset, userLength)) {
      counts.increment(LookupCounts.FILTER_NEGATIVES);
      return -1;
    }
    if (!hints.mayContain(at, target, offset, userLength)) {
      counts.increment(LookupCounts.CACHED_NEGATIVES);
      return -1;
    }
    return at;
  }

  private boolean mayContain(long blockOffset, ByteBuffer key, int offset, int length) {
    FilterBlockReader reader = filter;
    return reader == null || reader.mayContain(blockOffset, key, offset, length);
  }

  /** Returns the result of the lookup, given the first entry at or after the target. */
  private int outcome(
      PointReadContext context, ByteBuffer key, int offset, int userLength, int at) {
    BlockIterator entry = context.block();
    if (!entry.isValid()) {
      return LookupResult.NOT_FOUND;
    }
    ByteBuffer found = entry.keyBuffer();
    int from = entry.keyOffset();
    int length = entry.keyLength();
    int order =
        userOrder.compare(found, from, length - InternalKey.TRAILER, key, offset, userLength);
    if (order != 0) {
      return LookupResult.NOT_FOUND;
    }
    long tag = InternalKey.tag(found, from, length);
    context.setTag(tag);
    int kind = InternalKey.kindCode(tag);
    if (kind == ValueKind.VALUE.code()) {
      return LookupResult.FOUND;
    }
    if (kind != ValueKind.DELETION.code()) {
      throw new CorruptionException(
          "an entry of unknown kind " + kind, file.name(), index.offset(at));
    }
    return LookupResult.DELETED;
  }

  /**
   * Returns a new cursor over the table's entries.
   *
   * @param pin keeps this reader open; the cursor closes it
   */
  public TableIterator iterator(ReadFlags flags, Pinned pin) {
    return new TableIterator(this, flags, pin);
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

  /** Returns data block {@code at}, pinned for the caller. */
  PinnedBlock acquireBlock(int at, ReadFlags flags) {
    if (inPlace != null && flags.fill() && inPlace.acceptsVerified(at)) {
      UncachedBlock copy = inPlace.copy(at);
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

  /** Returns the open file, borrowed from the reader. */
  TableFile file() {
    return file;
  }

  /** Positions a cursor before the first entry of {@code block}, which is data block {@code at}. */
  void setOn(BlockIterator cursor, PinnedBlock block, int at, ReadFlags flags) {
    cursor.reset(block.bytes(), block.length(), file.name(), index.offset(at));
    LookupHints.useEntryIndex(cursor, block, flags);
  }

  /** Returns 1: every open table counts the same. */
  @Override
  public long charge() {
    return 1;
  }

  @Override
  public void free() {
    index.free();
    hints.free();
    if (inPlace != null) {
      inPlace.free();
    }
    if (filterBlock != null) {
      filterBlock.close();
    }
    file.close();
  }
}
