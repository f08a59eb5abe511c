package dev.kv.core.state;

import dev.kv.admin.DBStats;
import dev.kv.bytes.Range;
import dev.kv.core.cache.LruCache;
import dev.kv.core.key.InternalKey;
import dev.kv.core.key.ValueKind;
import dev.kv.core.memory.MemoryKind;
import dev.kv.core.memory.OffHeapBudget;
import dev.kv.core.read.DatabaseReader;
import dev.kv.core.read.SnapshotList;
import dev.kv.core.table.cache.CachedBlock;
import dev.kv.core.version.Levels;
import dev.kv.core.version.Version;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.List;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/** The statistics, properties and approximate sizes of one open database. Thread-safe. */
public final class DatabaseStats {
  private static final String PREFIX = "leveldb.";
  private static final String FILES_AT_LEVEL = "num-files-at-level";

  /** The number of open iterators that the statistics describe. */
  private static final int OLDEST_ITERATORS = 10;

  private final DatabaseContext context;
  private final DatabaseReader reader;
  private final SnapshotList snapshots;
  private final CompactionStats compactionStats;
  private final Supplier<Numbers> numbers;

  /**
   * The numbers of one open database at one moment.
   *
   * @param recovery the statistics of the last recovery
   * @param memtableBytes the bytes that memtables use
   * @param memtableKeys an estimate of the number of keys in memtables
   * @param writes the statistics of writes
   * @param transactions the counters of transactions
   * @param undeletedFiles the number of obsolete files that could not be deleted yet
   */
  public record Numbers(
      DBStats.Recovery recovery,
      long memtableBytes,
      long memtableKeys,
      DBStats.Writes writes,
      DBStats.Transactions transactions,
      int undeletedFiles) {}

  /** Creates the statistics. */
  public DatabaseStats(
      DatabaseContext context,
      DatabaseReader reader,
      SnapshotList snapshots,
      CompactionStats compactionStats,
      Supplier<Numbers> numbers) {
    this.context = context;
    this.reader = reader;
    this.snapshots = snapshots;
    this.compactionStats = compactionStats;
    this.numbers = numbers;
  }

  /**
   * Returns the value of the property with that name, or null if there is none. Those of LevelDB
   * are formatted as LevelDB does.
   */
  public @Nullable String property(String name) {
    if (name.equals(StatsProperties.ESTIMATE)) {
      return estimatedKeys();
    }
    if (!name.startsWith(PREFIX)) {
      return name.startsWith(StatsProperties.PREFIX)
          ? StatsProperties.of(stats(), numbers.get().undeletedFiles(), this::estimatedKeys, name)
          : null;
    }
    String key = name.substring(PREFIX.length());
    if (key.startsWith(FILES_AT_LEVEL)) {
      int level = level(key.substring(FILES_AT_LEVEL.length()));
      return level < 0
          ? null
          : reader.withVersion(version -> Integer.toString(version.fileCount(level)));
    }
    return switch (key) {
      case "stats" -> reader.withVersion(compactionStats::describe);
      case "sstables" -> reader.withVersion(Version::describe);
      case "approximate-memory-usage" ->
          Long.toString(context.blockCache().totalCharge() + numbers.get().memtableBytes());
      default -> null;
    };
  }

  private @Nullable String estimatedKeys() {
    @Nullable Long inTables =
        reader.<@Nullable Long>withVersion(
            version -> KeyEstimate.inTables(version, context.tables()));
    return inTables == null
        ? null
        : Long.toString(Math.max(0, inTables + numbers.get().memtableKeys()));
  }

  /** Returns the level that {@code digits} names, or -1 if there is no such level. */
  private static int level(String digits) {
    long level = digits.matches("[0-9]{1,18}") ? Long.parseLong(digits) : -1;
    return level < Levels.COUNT ? (int) level : -1;
  }

  /** Returns the current statistics. */
  public DBStats stats() {
    OffHeapBudget budget = context.budget();
    LruCache<CachedBlock> cache = context.blockCache();
    reader.releaseCollectedIterators();
    Numbers now = numbers.get();
    return new DBStats(
        reader.withVersion(compactionStats::levels),
        new DBStats.Memory(
            new DBStats.OffHeap(
                budget.used(MemoryKind.MEMTABLE),
                budget.used(MemoryKind.BLOCK),
                budget.used(MemoryKind.INDEX_AND_FILTER),
                budget.used(MemoryKind.WRITE_BUFFER),
                budget.limit()),
            new DBStats.Cache(cache.capacity(), cache.totalCharge(), cache.hits(), cache.misses()),
            context.tables().mappedBytes(),
            (int) context.tables().openTables()),
        reader.reads(),
        now.writes(),
        now.recovery(),
        new DBStats.Views(
            snapshots.count(),
            reader.openIterators(),
            reader.leakedIterators(),
            reader.oldestIterators(OLDEST_ITERATORS)),
        now.transactions(),
        compactionStats.filtered());
  }

  /** Returns the approximate number of bytes that each range takes in tables. */
  public long[] approximateSizes(List<Range> ranges) {
    return reader.withVersion(
        version -> ranges.stream().mapToLong(range -> size(version, range)).toArray());
  }

  private long size(Version version, Range range) {
    byte[] from = range.from();
    byte[] to = range.to();
    long begin = from == null ? 0 : offset(version, from);
    long end = to == null ? Version.totalSize(version.files()) : offset(version, to);
    return Math.max(0, end - begin);
  }

  private long offset(Version version, byte[] userKey) {
    byte[] key = InternalKey.encode(userKey, InternalKey.MAX_SEQUENCE, ValueKind.VALUE);
    ByteBuffer direct = ByteBuffer.allocateDirect(key.length).order(ByteOrder.LITTLE_ENDIAN);
    direct.put(0, key);
    return version.approximateOffsetOf(
        direct, 0, key.length, context.tables()::approximateOffsetOf);
  }
}
