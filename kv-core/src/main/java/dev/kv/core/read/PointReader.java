package dev.kv.core.read;

import dev.kv.core.key.LookupKey;
import dev.kv.core.key.LookupResult;
import dev.kv.core.memtable.MemTable;
import dev.kv.core.table.MultiGetContext;
import dev.kv.core.table.TableCache;
import dev.kv.core.table.cache.LookupCounts;
import dev.kv.core.table.cache.ReadFlags;
import dev.kv.core.table.cache.TableLookup;
import dev.kv.core.version.FileMetadata;
import dev.kv.core.version.Levels;
import dev.kv.core.version.Version;
import java.nio.ByteBuffer;
import org.jspecify.annotations.Nullable;

/**
 * Finds the newest visible entry of one key. Searches from the newest data to the oldest: the
 * memtable, the immutable memtables, the tables of level 0, then the other levels. The first source
 * that has an entry of the key decides, except in a level 0 whose tables may be out of order.
 * Thread-safe.
 *
 * <p>A read that had to search a second table charges the first one with a seek.
 */
final class PointReader {
  private final TableCache tables;
  private final @Nullable Runnable seeks;

  /** Creates a reader; if {@code seeks} is null, it charges no seeks. */
  PointReader(TableCache tables, @Nullable Runnable seeks) {
    this.tables = tables;
    this.seeks = seeks;
  }

  /**
   * Looks up the key of {@code context} in {@code state}, which the caller has pinned, and returns
   * a {@link LookupResult}. If it is {@link LookupResult#FOUND}, the value of the context is set;
   * the caller releases it before the pin.
   */
  int get(ReadState state, ReadContext context, ReadFlags flags) {
    int result = state.find(context.key(), context.value());
    if (result != LookupResult.NOT_FOUND) {
      context.count(LookupCounts.MEMTABLES);
      return result;
    }
    return getFromTables(state.version(), context, flags);
  }

  /**
   * Returns the tag of the newest entry of the key of {@code context} in {@code state}, which may
   * be a tombstone, or {@link MemTable#NO_ENTRY}. The caller has pinned the state.
   */
  long newestTag(ReadState state, ReadContext context) {
    long tag = state.newestTag(context.key(), state.memTableCount());
    if (tag == MemTable.NO_ENTRY
        && getFromTables(state.version(), context, ReadFlags.DEFAULT) != LookupResult.NOT_FOUND) {
      context.value().release();
      tag = context.lookup(tables).tag();
    }
    return tag;
  }

  private int getFromTables(Version version, ReadContext context, ReadFlags flags) {
    LookupKey key = context.key();
    ByteBuffer buffer = key.buffer();
    int length = key.internalKeyLength();
    FileMetadata missed = null;
    int result = LookupResult.NOT_FOUND;
    int count = version.fileCount(0);
    boolean charged = seeks == null;
    if (!version.levelZeroInOrder()) {
      result = newestInLevelZero(version, context, flags);
      count = 0;
    }
    for (int i = 0; result == LookupResult.NOT_FOUND && i < count; i++) {
      if (version.levelZeroCovers(i, buffer, 0, length)) {
        FileMetadata file = version.file(0, i);
        if (missed == null) {
          missed = file;
        } else if (!charged) {
          charged = charge(version, 0, missed);
        }
        result = get(version, 0, i, context, flags);
      }
    }
    int levelMissed = 0;
    int level = 1;
    for (; result == LookupResult.NOT_FOUND && level < Levels.COUNT; level++) {
      int index = version.fileCount(level) == 0 ? -1 : version.find(level, buffer, 0, length);
      if (index >= 0) {
        FileMetadata file = version.file(level, index);
        if (missed == null) {
          missed = file;
          levelMissed = level;
        } else if (!charged) {
          charged = charge(version, levelMissed, missed);
        }
        result = get(version, level, index, context, flags);
      }
    }
    context.count(
        result == LookupResult.NOT_FOUND ? LookupCounts.MISSING : LookupCounts.LEVEL_0 + level - 1);
    return result;
  }

  /**
   * Searches the tables of level 0 whose range contains the key, until one has an entry that no
   * later table can override. The entry with the highest sequence number wins.
   */
  private int newestInLevelZero(Version version, ReadContext context, ReadFlags flags) {
    LookupKey key = context.key();
    int newest = -1;
    long newestTag = 0;
    for (int i = 0; i < version.fileCount(0); i++) {
      if (version.levelZeroCovers(i, key.buffer(), 0, key.internalKeyLength())) {
        int result = get(version, 0, i, context, flags);
        if (result == LookupResult.NOT_FOUND) {
          continue;
        }
        boolean decides = version.levelZeroDecides(i);
        if (decides && newest < 0) {
          return result;
        }
        context.value().release();
        long tag = context.lookup(tables).tag();
        if (newest < 0 || Long.compareUnsigned(tag, newestTag) > 0) {
          newest = i;
          newestTag = tag;
        }
        if (decides) {
          break;
        }
      }
    }
    return newest < 0 ? LookupResult.NOT_FOUND : get(version, 0, newest, context, flags);
  }

  private int get(Version version, int level, int index, ReadContext context, ReadFlags flags) {
    MultiGetContext several = context.several();
    TableLookup lookup = context.lookup(tables);
    lookup.setFlags(flags);
    lookup.setCopies(context.copies());
    return several == null
        ? tables.get(version, level, index, lookup)
        : several.get(version.file(level, index), lookup);
  }

  /** Charges a seek to a table that was searched without finding the key; returns true. */
  private boolean charge(Version version, int level, FileMetadata file) {
    Runnable listener = seeks;
    if (listener != null && version.recordSeek(level, file)) {
      listener.run();
    }
    return true;
  }
}
