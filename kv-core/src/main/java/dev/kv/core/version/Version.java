package dev.kv.core.version;

import dev.kv.core.key.InternalKey;
import dev.kv.core.key.InternalKeyComparator;
import dev.kv.core.key.KeyRange;
import dev.kv.core.key.UserKeyComparator;
import dev.kv.core.memory.Pinned;
import dev.kv.core.memory.RefCounted;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collection;
import java.util.Comparator;
import java.util.List;
import java.util.concurrent.atomic.AtomicReference;
import java.util.concurrent.atomic.AtomicReferenceArray;
import java.util.function.Consumer;
import java.util.function.IntFunction;
import java.util.function.LongConsumer;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * One immutable arrangement of the tables over the levels. Only three things change: the number of
 * owners (the tables are in use until it is 0), the table that has no seeks left, and the pins of
 * open tables. Thread-safe.
 *
 * <p>Invariants: 1. in levels from 1 on, tables are in order and the range of internal keys of each
 * ends before the next begins; 2. of two versions of a user key, the newer is never deeper; 3.
 * level 0 goes from the newest table to the oldest, by number. A flushed memtable is newer than all
 * tables of lower numbers, by sequence too. Other tables in level 0 may be of every age: the repair
 * of C++ LevelDB puts all tables there, under the numbers they had.
 */
public final class Version extends RefCounted {
  private final InternalKeyComparator comparator;
  private final LevelFiles[] levels;
  private final boolean levelZeroInOrder;
  private final Consumer<Version> whenFree;
  private final AtomicReference<@Nullable SeekCandidate> seekCandidate = new AtomicReference<>();

  /** For each level the position of its first table among all; the number of all tables follows. */
  private final int[] positions = new int[Levels.COUNT + 1];

  /** The pins of open tables, by position. Each is set at most once. */
  private final AtomicReferenceArray<@Nullable Pinned> pins;

  /**
   * Takes ownership of the array of levels; calls {@code whenFree} when the last owner has released
   * it.
   */
  Version(InternalKeyComparator comparator, LevelFiles[] levels, Consumer<Version> whenFree) {
    this.comparator = comparator;
    this.levels = levels;
    this.levelZeroInOrder = levels[0].isInSequenceOrder();
    this.whenFree = whenFree;
    for (int level = 0; level < Levels.COUNT; level++) {
      positions[level + 1] = positions[level] + levels[level].count();
    }
    pins = new AtomicReferenceArray<>(fileCount());
  }

  /** Returns a version without tables, owned by the caller. */
  public static Version empty(InternalKeyComparator comparator, Consumer<Version> whenFree) {
    LevelFiles[] levels = new LevelFiles[Levels.COUNT];
    Arrays.fill(levels, LevelFiles.empty(comparator));
    return new Version(comparator, levels, whenFree);
  }

  @Override
  protected void free() {
    for (int i = 0; i < pins.length(); i++) {
      Pinned pin = pins.get(i);
      if (pin != null) {
        pin.close();
      }
    }
    whenFree.accept(this);
  }

  /** Returns the order of its internal keys. */
  public InternalKeyComparator comparator() {
    return comparator;
  }

  LevelFiles level(int level) {
    return levels[level];
  }

  /**
   * Returns the pin that {@link #keepPin} has kept for a table, borrowed, or null. The object that
   * it pins can be used as long as the caller has an owner of this version.
   */
  public @Nullable Pinned pin(int level, int index) {
    return pins.getAcquire(positions[level] + index);
  }

  /**
   * Keeps a pin of a table until this version is freed; closes it if one is kept already. The
   * caller has an owner of this version.
   *
   * @return the pin that is kept, borrowed
   */
  public Pinned keepPin(int level, int index, Pinned pin) {
    Pinned other = pins.compareAndExchange(positions[level] + index, null, pin);
    if (other == null) {
      return pin;
    }
    pin.close();
    return other;
  }

  /** Returns all tables, level by level. */
  public List<FileMetadata> files() {
    List<FileMetadata> all = new ArrayList<>(fileCount());
    for (LevelFiles level : levels) {
      all.addAll(level.list());
    }
    return all;
  }

  /** Returns the number of all tables. */
  public int fileCount() {
    return positions[Levels.COUNT];
  }

  /** Returns the number of tables of a level. */
  public int fileCount(int level) {
    return levels[level].count();
  }

  /** Returns a level's table by index. */
  public FileMetadata file(int level, int index) {
    return levels[level].get(index);
  }

  /** Returns a level's tables: of level 0 from the newest to the oldest, of others by key. */
  public List<FileMetadata> files(int level) {
    return levels[level].list();
  }

  /** Returns the sum of the sizes of a level's tables. */
  public long bytes(int level) {
    return levels[level].bytes();
  }

  /** Passes the number of every table to {@code sink}. */
  public void forEachFileNumber(LongConsumer sink) {
    for (FileMetadata file : files()) {
      sink.accept(file.number());
    }
  }

  /** Returns true if the user key of an internal key is in the range of a level-0 table. */
  public boolean levelZeroCovers(int index, ByteBuffer key, int offset, int length) {
    return levels[0].covers(index, key, offset, length);
  }

  /** Returns true if a read of level 0 can stop at the first table in which it finds the key. */
  public boolean levelZeroInOrder() {
    return levelZeroInOrder;
  }

  /**
   * Returns true if a read that finds the key in this table of level 0 can skip the tables after
   * it. If false, the tables after it may hold newer entries.
   */
  public boolean levelZeroDecides(int index) {
    return levels[0].decides(index);
  }

  /** Returns true if a table of level 0 is known to be a flushed memtable. */
  public boolean isFlushed(int index) {
    return levels[0].isFlushed(index);
  }

  /**
   * Returns the index of the one table of a level from 1 on that may hold the newest entry at or
   * after an internal key for the same user key, or -1.
   */
  public int find(int level, ByteBuffer key, int offset, int length) {
    return levels[level].find(key, offset, length);
  }

  /**
   * Returns the index of the first table of a level from 1 on whose last key is at or after an
   * internal key, or {@link #fileCount}.
   */
  public int lowerBound(int level, ByteBuffer key, int offset, int length) {
    return levels[level].lowerBound(key, offset, length);
  }

  /**
   * Counts a read that searched {@code file} without finding its key.
   *
   * @return true if this made a seek compaction due
   */
  public boolean recordSeek(int level, FileMetadata file) {
    return file.chargeSeek()
        && seekCandidate.get() == null
        && seekCandidate.compareAndSet(null, new SeekCandidate(level, file));
  }

  /**
   * Counts a sampled key of an iterator: if several tables cover the key, the first of them is
   * charged a seek.
   *
   * @return true if this made a seek compaction due
   */
  public boolean recordReadSample(ByteBuffer key, int offset, int length) {
    FileMetadata first = null;
    int firstLevel = 0;
    for (int level = 0; level < Levels.COUNT; level++) {
      int index = level == 0 ? -1 : levels[level].find(key, offset, length);
      int end = level == 0 ? levels[0].count() : index + 1;
      for (int i = Math.max(index, 0); i < end; i++) {
        if (level == 0 && !levels[0].covers(i, key, offset, length)) {
          continue;
        }
        if (first != null) {
          return recordSeek(firstLevel, first);
        }
        first = levels[level].get(i);
        firstLevel = level;
      }
    }
    return false;
  }

  /** Returns the table that has no seeks left, or null. */
  public @Nullable SeekCandidate seekCandidate() {
    return seekCandidate.get();
  }

  /**
   * Returns a level's tables that hold user keys of the range. In level 0 the range grows by each
   * table found, until no other table overlaps it.
   */
  public List<FileMetadata> overlapping(int level, KeyRange range) {
    return level == 0 ? overlappingLevelZero(range) : overlappingSorted(level, range);
  }

  private List<FileMetadata> overlappingLevelZero(KeyRange range) {
    UserKeyComparator user = comparator.userComparator();
    List<FileMetadata> found = new ArrayList<>();
    KeyRange grown = range;
    for (int i = 0; i < levels[0].count(); i++) {
      FileMetadata file = levels[0].get(i);
      KeyRange keys = file.userKeys();
      if (grown.overlaps(user, keys)) {
        found.add(file);
        if (!grown.covers(user, keys)) {
          grown = grown.with(user, keys);
          found.clear();
          i = -1;
        }
      }
    }
    return found;
  }

  private List<FileMetadata> overlappingSorted(int level, KeyRange range) {
    UserKeyComparator user = comparator.userComparator();
    LevelFiles files = levels[level];
    byte[] begin = range.smallest();
    byte[] end = range.largest();
    int from = 0;
    int limit = files.count();
    while (begin != null && from < limit) {
      int middle = (from + limit) >>> 1;
      if (user.compare(files.get(middle).largestUserKey(), begin) < 0) {
        from = middle + 1;
      } else {
        limit = middle;
      }
    }
    int to = from;
    while (to < files.count()
        && (end == null || user.compare(files.get(to).smallestUserKey(), end) <= 0)) {
      to++;
    }
    return files.list().subList(from, to);
  }

  /** Returns true if a table of the level holds user keys of the range. */
  public boolean overlaps(int level, KeyRange range) {
    return level > 0
        ? !overlappingSorted(level, range).isEmpty()
        : isAnyOverlapping(levels[0].list().stream().map(FileMetadata::userKeys), range);
  }

  /** Returns true if a table of the level, or of one below it, holds user keys of the range. */
  public boolean overlapsFrom(int level, KeyRange range) {
    return IntStream.range(level, Levels.COUNT).anyMatch(each -> overlaps(each, range));
  }

  private boolean isAnyOverlapping(Stream<KeyRange> ranges, KeyRange keys) {
    return ranges.anyMatch(range -> range.overlaps(comparator.userComparator(), keys));
  }

  /**
   * Returns the level in which a flushed memtable is placed. It is below level 0 only if no table
   * at that level or above and no output of a running job overlaps it, and if it overlaps few bytes
   * one level further down.
   *
   * @param occupied returns the ranges of a level that running jobs will fill
   * @param maxFileSize the size of a table, from which the limit of the overlap follows
   */
  public int pickLevelForMemtableOutput(
      KeyRange keys, IntFunction<List<KeyRange>> occupied, long maxFileSize) {
    if (overlaps(0, keys)) {
      return 0;
    }
    int level = 0;
    long limit = Levels.maxGrandparentOverlapBytes(maxFileSize);
    while (level < Levels.MAX_MEMTABLE_LEVEL
        && !overlaps(level + 1, keys)
        && !isAnyOverlapping(occupied.apply(level + 1).stream(), keys)
        && totalSize(overlapping(level + 2, keys)) <= limit) {
      level++;
    }
    return level;
  }

  /** Returns the sum of the tables' sizes. */
  public static long totalSize(Collection<FileMetadata> files) {
    long sum = 0;
    for (FileMetadata file : files) {
      sum += file.size();
    }
    return sum;
  }

  /** Finds the position of a key in a table. */
  @FunctionalInterface
  public interface TableOffsets {
    /** Returns the approximate number of bytes of the table before an internal key. */
    long approximateOffsetOf(FileMetadata file, ByteBuffer key, int offset, int length);
  }

  /** Returns the approximate bytes of tables before an internal key in a direct buffer. */
  public long approximateOffsetOf(ByteBuffer key, int offset, int length, TableOffsets tables) {
    long sum = 0;
    for (int level = 0; level < Levels.COUNT; level++) {
      for (FileMetadata file : levels[level].list()) {
        if (comparator.compare(key, offset, length, file.largest()) >= 0) {
          sum += file.size();
        } else if (comparator.compare(key, offset, length, file.smallest()) >= 0) {
          sum += tables.approximateOffsetOf(file, key, offset, length);
        } else if (level > 0) {
          break;
        }
      }
    }
    return sum;
  }

  /**
   * Returns the tables level by level, in the text form of the property {@code leveldb.sstables}.
   */
  public String describe() {
    StringBuilder text = new StringBuilder();
    for (int level = 0; level < Levels.COUNT; level++) {
      text.append("--- level ").append(level).append(" ---\n");
      List<FileMetadata> sorted = new ArrayList<>(levels[level].list());
      if (level == 0) {
        sorted.sort(
            Comparator.comparing(FileMetadata::smallest, comparator::compare)
                .thenComparingLong(FileMetadata::number));
      }
      for (FileMetadata file : sorted) {
        text.append(' ').append(file.number()).append(':').append(file.size()).append('[');
        text.append(InternalKey.describe(file.smallest())).append(" .. ");
        text.append(InternalKey.describe(file.largest())).append("]\n");
      }
    }
    return text.toString();
  }
}
