package dev.kv;

import dev.kv.env.Env;
import dev.kv.event.DBListener;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * How a database is opened. The names and defaults are LevelDB's. Immutable and thread-safe; made
 * by {@link #builder()}.
 *
 * <p>Each getter describes its option. As in LevelDB, some numbers are clipped to a range; an open
 * logs each {@linkplain #clippedValues() clipped value} as a warning. The builder refuses a null
 * with {@link NullPointerException}, and a number that makes no sense, such as a negative size,
 * with {@link IllegalArgumentException}.
 *
 * <p>Two options are equal if all their values are. Comparators, shared resources, filters and
 * environments compare by their own {@code equals}.
 */
public final class Options {
  /** The default of every option. */
  public static final Options DEFAULT = builder().build();

  private final boolean createIfMissing;
  private final boolean errorIfExists;
  private final boolean paranoidChecks;
  private final boolean readOnly;
  private final boolean reuseLogs;
  private final RecoveryMode recoveryMode;
  private final DBComparator comparator;
  private final @Nullable Env env;
  private final int writeBufferSize;
  private final int maxOpenFiles;
  private final int maxMappedTables;
  private final boolean readInPlace;
  private final @Nullable SharedResources sharedResources;
  private final long blockCacheSize;
  private final int blockSize;
  private final int blockRestartInterval;
  private final int maxFileSize;
  private final CompressionType compression;
  private final int zstdCompressionLevel;
  private final TableSuffix tableSuffix;
  private final boolean nativeSnappy;
  private final @Nullable FilterPolicy filterPolicy;
  private final boolean seekCompaction;
  private final @Nullable LogRetention logRetention;
  private final @Nullable CompactionFilter compactionFilter;
  private final int maxBackgroundCompactions;
  private final long offHeapLimit;
  private final long compactionBytesPerSecond;
  private final @Nullable DBListener listener;
  private final int slowSyncMillis;
  private final boolean infoLog;
  private final boolean trackIterators;
  private final Map<String, ClippedValue> clipped;

  private Options(Builder builder) {
    createIfMissing = builder.createIfMissing;
    errorIfExists = builder.errorIfExists;
    paranoidChecks = builder.paranoidChecks;
    readOnly = builder.readOnly;
    reuseLogs = builder.reuseLogs;
    recoveryMode = builder.recoveryMode;
    comparator = builder.comparator;
    env = builder.env;
    writeBufferSize = builder.writeBufferSize;
    maxOpenFiles = builder.maxOpenFiles;
    maxMappedTables = builder.maxMappedTables;
    readInPlace = builder.readInPlace;
    sharedResources = builder.sharedResources;
    blockCacheSize = builder.blockCacheSize;
    blockSize = builder.blockSize;
    blockRestartInterval = builder.blockRestartInterval;
    maxFileSize = builder.maxFileSize;
    compression = builder.compression;
    zstdCompressionLevel = builder.zstdCompressionLevel;
    tableSuffix = builder.tableSuffix;
    nativeSnappy = builder.nativeSnappy;
    filterPolicy = builder.filterPolicy;
    seekCompaction = builder.seekCompaction;
    logRetention = builder.logRetention;
    compactionFilter = builder.compactionFilter;
    maxBackgroundCompactions = builder.maxBackgroundCompactions;
    offHeapLimit = builder.offHeapLimit;
    compactionBytesPerSecond = builder.compactionBytesPerSecond;
    listener = builder.listener;
    slowSyncMillis = builder.slowSyncMillis;
    infoLog = builder.infoLog;
    trackIterators = builder.trackIterators;
    clipped = new LinkedHashMap<>(builder.clipped);
  }

  /**
   * Returns a builder whose values are the defaults.
   *
   * @return a new builder
   */
  public static Builder builder() {
    return new Builder();
  }

  /**
   * Returns a builder whose values are those of these options.
   *
   * @return a new builder
   */
  public Builder toBuilder() {
    Builder builder = new Builder();
    builder.createIfMissing = createIfMissing;
    builder.errorIfExists = errorIfExists;
    builder.paranoidChecks = paranoidChecks;
    builder.readOnly = readOnly;
    builder.reuseLogs = reuseLogs;
    builder.recoveryMode = recoveryMode;
    builder.comparator = comparator;
    builder.env = env;
    builder.writeBufferSize = writeBufferSize;
    builder.maxOpenFiles = maxOpenFiles;
    builder.maxMappedTables = maxMappedTables;
    builder.readInPlace = readInPlace;
    builder.sharedResources = sharedResources;
    builder.blockCacheSize = blockCacheSize;
    builder.blockSize = blockSize;
    builder.blockRestartInterval = blockRestartInterval;
    builder.maxFileSize = maxFileSize;
    builder.compression = compression;
    builder.zstdCompressionLevel = zstdCompressionLevel;
    builder.tableSuffix = tableSuffix;
    builder.nativeSnappy = nativeSnappy;
    builder.filterPolicy = filterPolicy;
    builder.seekCompaction = seekCompaction;
    builder.logRetention = logRetention;
    builder.compactionFilter = compactionFilter;
    builder.maxBackgroundCompactions = maxBackgroundCompactions;
    builder.offHeapLimit = offHeapLimit;
    builder.compactionBytesPerSecond = compactionBytesPerSecond;
    builder.listener = listener;
    builder.slowSyncMillis = slowSyncMillis;
    builder.infoLog = infoLog;
    builder.trackIterators = trackIterators;
    builder.clipped.putAll(clipped);
    return builder;
  }

  /**
   * Returns true if an open creates the database if there is none. Default: false.
   *
   * @return true if the database is created
   */
  public boolean createIfMissing() {
    return createIfMissing;
  }

  /**
   * Returns true if an open fails if there is a database already. Default: false.
   *
   * @return true if the open throws {@link DatabaseExistsException}
   */
  public boolean errorIfExists() {
    return errorIfExists;
  }

  /**
   * Returns true if damage is treated as strictly as possible. If true, any damage in a log except
   * a torn last record fails the open ({@link RecoveryMode#STRICT}), and a compaction that meets a
   * damaged table makes the database read-only. If false, such a compaction leaves the table where
   * it is, and the database continues. Default: false.
   *
   * @return true if checks are strict
   */
  public boolean paranoidChecks() {
    return paranoidChecks;
  }

  /**
   * Returns true if the database is opened only for reads. Such an open takes no LOCK, writes
   * nothing, and replays the logs into memory. It works while another process writes, and reads see
   * the state at the open, or at the last {@link DB#refresh}. Writes throw {@link
   * DBReadOnlyException}. Default: false.
   *
   * @return true if the database is opened only for reads
   */
  public boolean readOnly() {
    return readOnly;
  }

  /**
   * Returns true if an open continues to append to the last log and MANIFEST, if they end at a
   * record boundary. If false, it writes the recovered entries to tables and begins new files.
   * Default: false.
   *
   * @return true if the files are reused
   */
  public boolean reuseLogs() {
    return reuseLogs;
  }

  /**
   * Returns what an open does if a log is damaged. Default: {@link RecoveryMode#TORN_WRITES}.
   *
   * @return the mode
   */
  public RecoveryMode recoveryMode() {
    return recoveryMode;
  }

  /**
   * Returns the order of the keys. Its name must be that of the comparator that the database was
   * created with. Default: {@link DBComparator#bytewise()}.
   *
   * @return the comparator
   */
  public DBComparator comparator() {
    return comparator;
  }

  /**
   * Returns the environment: the file system, clock and threads that the database uses. Default:
   * {@link Env#fileSystem()}.
   *
   * @return the environment
   */
  public Env env() {
    return env == null ? Env.fileSystem() : env;
  }

  /**
   * Returns the size at which a memtable is flushed to a table. Default: 4 MiB; clipped to 64 KiB
   * to 1 GiB.
   *
   * @return the size in bytes
   */
  public int writeBufferSize() {
    return writeBufferSize;
  }

  /**
   * Returns how many files the database keeps open. Default: 1,000; clipped to 74 to 50,000.
   *
   * @return the number of files
   */
  public int maxOpenFiles() {
    return maxOpenFiles;
  }

  /**
   * Returns how many tables are mapped into memory; the others are read by position. Default: -1,
   * which means a quarter of {@code vm.max_map_count}, but at most 1,000.
   *
   * @return the number of tables, 0 for none, or -1 for the default
   */
  public int maxMappedTables() {
    return maxMappedTables;
  }

  /**
   * Returns true if blocks that are not compressed are read where the file is mapped, without the
   * block cache. A lookup searches such a block in the mapping and copies only the value; a cursor
   * copies the block. Its checksum is verified once for each time that its table is opened, and not
   * at each read. So bytes that change on disk after that may give a wrong answer, but a file that
   * is cut short throws. Default: false.
   *
   * <p>It is made for a database with {@link CompressionType#NONE} whose files fit in the page
   * cache of the system. It has no effect on compressed blocks, on tables that are not mapped (see
   * {@link #maxMappedTables()}), with a comparator other than {@link DBComparator#bytewise()}, and
   * on reads with {@link ReadOptions#fillCache()} set to false.
   *
   * @return true if blocks are read in place
   */
  public boolean readInPlace() {
    return readInPlace;
  }

  /**
   * Returns the cache, memory limit and threads that the database shares with others. If there are
   * any, {@link #blockCacheSize()} and {@link #offHeapLimit()} have no effect. The database does
   * not close them. Default: null, which means that the database has its own.
   *
   * @return the shared resources, or null if there are none
   */
  public @Nullable SharedResources sharedResources() {
    return sharedResources;
  }

  /**
   * Returns the capacity of the database's own block cache. It has no effect if there are {@link
   * #sharedResources()}. Default: 8 MiB.
   *
   * @return the capacity in bytes, 0 for no cache
   */
  public long blockCacheSize() {
    return blockCacheSize;
  }

  /**
   * Returns the size of a block of a table before compression. Default: 4 KiB; clipped to 1 KiB to
   * 4 MiB.
   *
   * @return the size in bytes
   */
  public int blockSize() {
    return blockSize;
  }

  /**
   * Returns the number of keys between two restart points of a block. A key at a restart point is
   * stored in full; other keys omit the prefix that they share with the key before. Default: 16.
   *
   * @return the number of keys, at least 1
   */
  public int blockRestartInterval() {
    return blockRestartInterval;
  }

  /**
   * Returns the size of a table at which a compaction begins another one. Default: 2 MiB; clipped
   * to 1 MiB to 1 GiB.
   *
   * @return the size in bytes
   */
  public int maxFileSize() {
    return maxFileSize;
  }

  /**
   * Returns how new blocks are compressed. Blocks of every type can be read, whatever this is.
   * Default: {@link CompressionType#SNAPPY}.
   *
   * @return the compression of new blocks
   */
  public CompressionType compression() {
    return compression;
  }

  /**
   * Returns the level of {@link CompressionType#ZSTD}. Default: 1; clipped to -5 to 22.
   *
   * @return the level
   */
  public int zstdCompressionLevel() {
    return zstdCompressionLevel;
  }

  /**
   * Returns how the files of new tables are named. Tables of either suffix are read, whatever this
   * is. {@link TableSuffix#SST} keeps a directory readable for leveldbjni and iq80's port, if every
   * open that writes uses it. Default: {@link TableSuffix#LDB}.
   *
   * @return the suffix of new tables
   */
  public TableSuffix tableSuffix() {
    return tableSuffix;
  }

  /**
   * Returns true if Snappy runs in snappy-java's native library. If false, or if the library does
   * not load, kv's codec in Java is used. Default: true.
   *
   * @return true if the native library is used
   */
  public boolean nativeSnappy() {
    return nativeSnappy;
  }

  /**
   * Returns the filter that new tables get and that lookups query. Default: null, which means no
   * filter.
   *
   * @return the filter policy, or null if there is none
   */
  public @Nullable FilterPolicy filterPolicy() {
    return filterPolicy;
  }

  /**
   * Returns how long logs are kept for {@link DB#changes(ChangePosition)}. If set, every change
   * passes the log: a range delete writes a tombstone for each key of the range, a bulk load and an
   * ingest throw {@link IllegalStateException}, and {@link #compactionFilter} cannot be set. {@link
   * #reuseLogs} then applies to the MANIFEST alone. The first open without this option ends the
   * history: positions read before are refused. Default: null, which means that logs are deleted
   * when they are not needed.
   *
   * @return the bounds, or null if no logs are kept
   */
  public @Nullable LogRetention logRetention() {
    return logRetention;
  }

  /**
   * Returns true if a table is compacted after many reads have searched it without finding their
   * key. False suits a load that only reads. Default: true.
   *
   * @return true if reads trigger compactions
   */
  public boolean seekCompaction() {
    return seekCompaction;
  }

  /**
   * Returns the filter that compactions pass entries to, which may drop them or replace their
   * values. Default: null, which means that compactions keep every entry that a reader can see.
   *
   * @return the filter, or null if there is none
   */
  public @Nullable CompactionFilter compactionFilter() {
    return compactionFilter;
  }

  /**
   * Returns how many compactions of disjoint ranges run at the same time. With {@link
   * #sharedResources()}, there are at most as many as these have threads. Default: 2.
   *
   * @return the number of compactions, at least 1
   */
  public int maxBackgroundCompactions() {
    return maxBackgroundCompactions;
  }

  /**
   * Returns the limit for the memory that the database holds off the heap, all kinds together. If
   * the limit is reached, a write throws {@link OffHeapExhaustedException} before it is logged, and
   * reads bypass the cache. It has no effect if there are {@link #sharedResources()}. Default: 0,
   * which means that only the JVM's limit applies.
   *
   * @return the limit in bytes, 0 for none
   */
  public long offHeapLimit() {
    return offHeapLimit;
  }

  /**
   * Returns the limit for what compactions write in a second, so that they leave the disk to reads
   * and to the log. Flushes are never limited. Compactions are not limited while level 0 has so
   * many tables that writes are slowed down, and while {@link DB#suspendCompactions} waits for
   * them. It has no effect if there are {@link #sharedResources()}. Default: 0, which means no
   * limit.
   *
   * @return the limit in bytes per second, 0 for none
   */
  public long compactionBytesPerSecond() {
    return compactionBytesPerSecond;
  }

  /**
   * Returns the listener that receives the database's events. Default: null, which means none.
   *
   * @return the listener, or null if there is none
   */
  public @Nullable DBListener listener() {
    return listener;
  }

  /**
   * Returns how long a sync of the log may take before it is reported as a {@link
   * dev.kv.event.SyncEvent}. Default: 100.
   *
   * @return the time in milliseconds, 0 to report every sync
   */
  public int slowSyncMillis() {
    return slowSyncMillis;
  }

  /**
   * Returns true if the database writes LevelDB's file LOG in its directory: a line for each event.
   * An open renames the file of the open before to LOG.old, as C++ LevelDB does. A failure to write
   * it is logged, and has no other effect. An open for reads only writes none. Default: false.
   *
   * @return true if LOG is written
   */
  public boolean infoLog() {
    return infoLog;
  }

  /**
   * Returns true if each iterator records where it was opened, for {@link
   * DBStats#oldestIterators()} and for the warning about iterators that were never closed. That
   * makes opens of iterators several times slower. Default: the system property {@code
   * kv.trackIterators}, which is false unless it is set.
   *
   * @return true if iterators record where they were opened
   */
  public boolean trackIterators() {
    return trackIterators;
  }

  /**
   * Returns the values that the builder clipped to the range of their option. An open logs them.
   *
   * @return the clipped values; empty if there are none
   */
  public List<ClippedValue> clippedValues() {
    return List.copyOf(clipped.values());
  }

  @Override
  public boolean equals(@Nullable Object other) {
    return other instanceof Options options && values().equals(options.values());
  }

  @Override
  public int hashCode() {
    return values().hashCode();
  }

  /** Returns the names and values of all options, for logs. */
  @Override
  public String toString() {
    return "Options" + values();
  }

  private Map<String, @Nullable Object> values() {
    Map<String, @Nullable Object> values = new LinkedHashMap<>();
    values.put("createIfMissing", createIfMissing);
    values.put("errorIfExists", errorIfExists);
    values.put("paranoidChecks", paranoidChecks);
    values.put("readOnly", readOnly);
    values.put("reuseLogs", reuseLogs);
    values.put("recoveryMode", recoveryMode);
    values.put("comparator", comparator);
    values.put("env", env);
    values.put("writeBufferSize", writeBufferSize);
    values.put("maxOpenFiles", maxOpenFiles);
    values.put("maxMappedTables", maxMappedTables);
    values.put("readInPlace", readInPlace);
    values.put("sharedResources", sharedResources);
    values.put("blockCacheSize", blockCacheSize);
    values.put("blockSize", blockSize);
    values.put("blockRestartInterval", blockRestartInterval);
    values.put("maxFileSize", maxFileSize);
    values.put("compression", compression);
    values.put("zstdCompressionLevel", zstdCompressionLevel);
    values.put("tableSuffix", tableSuffix);
    values.put("nativeSnappy", nativeSnappy);
    values.put("filterPolicy", filterPolicy);
    values.put("seekCompaction", seekCompaction);
    values.put("logRetention", logRetention);
    values.put("compactionFilter", compactionFilter);
    values.put("maxBackgroundCompactions", maxBackgroundCompactions);
    values.put("offHeapLimit", offHeapLimit);
    values.put("compactionBytesPerSecond", compactionBytesPerSecond);
    values.put("listener", listener);
    values.put("slowSyncMillis", slowSyncMillis);
    values.put("infoLog", infoLog);
    values.put("trackIterators", trackIterators);
    return values;
  }

  /**
   * A value that was outside the range of its option.
   *
   * @param option the name of the option
   * @param requested the value that was asked for
   * @param used the value that is used instead
   */
  public record ClippedValue(String option, long requested, long used) {}

  /** Builds {@link Options}. Not thread-safe. */
  public static final class Builder {
    private boolean createIfMissing;
    private boolean errorIfExists;
    private boolean paranoidChecks;
    private boolean readOnly;
    private boolean reuseLogs;
    private RecoveryMode recoveryMode = RecoveryMode.TORN_WRITES;
    private DBComparator comparator = DBComparator.bytewise();
    private @Nullable Env env;
    private int writeBufferSize = 4 << 20;
    private int maxOpenFiles = 1000;
    private int maxMappedTables = -1;
    private boolean readInPlace;
    private @Nullable SharedResources sharedResources;
    private long blockCacheSize = 8L << 20;
    private int blockSize = 4096;
    private int blockRestartInterval = 16;
    private int maxFileSize = 2 << 20;
    private CompressionType compression = CompressionType.SNAPPY;
    private int zstdCompressionLevel = 1;
    private TableSuffix tableSuffix = TableSuffix.LDB;
    private boolean nativeSnappy = true;
    private @Nullable FilterPolicy filterPolicy;
    private boolean seekCompaction = true;
    private @Nullable LogRetention logRetention;
    private @Nullable CompactionFilter compactionFilter;
    private int maxBackgroundCompactions = 2;
    private long offHeapLimit = 0;
    private long compactionBytesPerSecond = 0;
    private @Nullable DBListener listener;
    private int slowSyncMillis = 100;
    private boolean infoLog;
    private boolean trackIterators = Boolean.getBoolean("kv.trackIterators");
    private final Map<String, ClippedValue> clipped = new LinkedHashMap<>();

    private Builder() {}

    /**
     * Sets {@link Options#createIfMissing()}.
     *
     * @param createIfMissing whether to create the database
     * @return this builder
     */
    public Builder createIfMissing(boolean createIfMissing) {
      this.createIfMissing = createIfMissing;
      return this;
    }

    /**
     * Sets {@link Options#errorIfExists()}.
     *
     * @param errorIfExists whether to refuse a database that exists
     * @return this builder
     */
    public Builder errorIfExists(boolean errorIfExists) {
      this.errorIfExists = errorIfExists;
      return this;
    }

    /**
     * Sets {@link Options#paranoidChecks()}.
     *
     * @param paranoidChecks whether checks are strict
     * @return this builder
     */
    public Builder paranoidChecks(boolean paranoidChecks) {
      this.paranoidChecks = paranoidChecks;
      return this;
    }

    /**
     * Sets {@link Options#readOnly()}.
     *
     * @param readOnly whether to open only for reads
     * @return this builder
     */
    public Builder readOnly(boolean readOnly) {
      this.readOnly = readOnly;
      return this;
    }

    /**
     * Sets {@link Options#reuseLogs()}.
     *
     * @param reuseLogs whether to reuse the files
     * @return this builder
     */
    public Builder reuseLogs(boolean reuseLogs) {
      this.reuseLogs = reuseLogs;
      return this;
    }

    /**
     * Sets {@link Options#recoveryMode()}.
     *
     * @param recoveryMode the mode
     * @return this builder
     */
    public Builder recoveryMode(RecoveryMode recoveryMode) {
      this.recoveryMode = Objects.requireNonNull(recoveryMode, "recoveryMode");
      return this;
    }

    /**
     * Sets {@link Options#comparator()}.
     *
     * @param comparator the comparator
     * @return this builder
     */
    public Builder comparator(DBComparator comparator) {
      this.comparator = Objects.requireNonNull(comparator, "comparator");
      return this;
    }

    /**
     * Sets {@link Options#env()}.
     *
     * @param env the environment, or null for the default
     * @return this builder
     */
    public Builder env(@Nullable Env env) {
      this.env = env;
      return this;
    }

    /**
     * Sets {@link Options#writeBufferSize()}.
     *
     * @param writeBufferSize the size in bytes
     * @return this builder
     * @throws IllegalArgumentException if {@code writeBufferSize} is negative
     */
    public Builder writeBufferSize(int writeBufferSize) {
      atLeast("writeBufferSize", writeBufferSize, 0);
      this.writeBufferSize = clip("writeBufferSize", writeBufferSize, 64 << 10, 1 << 30);
      return this;
    }

    /**
     * Sets {@link Options#maxOpenFiles()}.
     *
     * @param maxOpenFiles the number of files
     * @return this builder
     * @throws IllegalArgumentException if {@code maxOpenFiles} is negative
     */
    public Builder maxOpenFiles(int maxOpenFiles) {
      atLeast("maxOpenFiles", maxOpenFiles, 0);
      this.maxOpenFiles = clip("maxOpenFiles", maxOpenFiles, 74, 50_000);
      return this;
    }

    /**
     * Sets {@link Options#maxMappedTables()}.
     *
     * @param maxMappedTables the number of tables, 0 for none, or -1 for the default
     * @return this builder
     * @throws IllegalArgumentException if {@code maxMappedTables} is less than -1
     */
    public Builder maxMappedTables(int maxMappedTables) {
      this.maxMappedTables = atLeast("maxMappedTables", maxMappedTables, -1);
      return this;
    }

    /**
     * Sets {@link Options#readInPlace()}.
     *
     * @param readInPlace true to read uncompressed blocks of mapped tables in place
     * @return this builder
     */
    public Builder readInPlace(boolean readInPlace) {
      this.readInPlace = readInPlace;
      return this;
    }

    /**
     * Sets {@link Options#sharedResources()}.
     *
     * @param sharedResources the shared resources, or null if there are none; the caller closes
     *     them
     * @return this builder
     */
    public Builder sharedResources(@Nullable SharedResources sharedResources) {
      this.sharedResources = sharedResources;
      return this;
    }

    /**
     * Sets {@link Options#blockCacheSize()}.
     *
     * @param blockCacheSize the capacity in bytes, 0 for no cache
     * @return this builder
     * @throws IllegalArgumentException if {@code blockCacheSize} is negative
     */
    public Builder blockCacheSize(long blockCacheSize) {
      this.blockCacheSize = atLeast("blockCacheSize", blockCacheSize, 0);
      return this;
    }

    /**
     * Sets {@link Options#blockSize()}.
     *
     * @param blockSize the size in bytes
     * @return this builder
     * @throws IllegalArgumentException if {@code blockSize} is negative
     */
    public Builder blockSize(int blockSize) {
      atLeast("blockSize", blockSize, 0);
      this.blockSize = clip("blockSize", blockSize, 1 << 10, 4 << 20);
      return this;
    }

    /**
     * Sets {@link Options#blockRestartInterval()}.
     *
     * @param blockRestartInterval the number of keys, at least 1
     * @return this builder
     * @throws IllegalArgumentException if {@code blockRestartInterval} is less than 1
     */
    public Builder blockRestartInterval(int blockRestartInterval) {
      this.blockRestartInterval = atLeast("blockRestartInterval", blockRestartInterval, 1);
      return this;
    }

    /**
     * Sets {@link Options#maxFileSize()}.
     *
     * @param maxFileSize the size in bytes
     * @return this builder
     * @throws IllegalArgumentException if {@code maxFileSize} is negative
     */
    public Builder maxFileSize(int maxFileSize) {
      atLeast("maxFileSize", maxFileSize, 0);
      this.maxFileSize = clip("maxFileSize", maxFileSize, 1 << 20, 1 << 30);
      return this;
    }

    /**
     * Sets {@link Options#compression()}.
     *
     * @param compression the compression of new blocks
     * @return this builder
     */
    public Builder compression(CompressionType compression) {
      this.compression = Objects.requireNonNull(compression, "compression");
      return this;
    }

    /**
     * Sets {@link Options#zstdCompressionLevel()}.
     *
     * @param zstdCompressionLevel the level; higher levels are slower and compress better
     * @return this builder
     */
    public Builder zstdCompressionLevel(int zstdCompressionLevel) {
      this.zstdCompressionLevel = clip("zstdCompressionLevel", zstdCompressionLevel, -5, 22);
      return this;
    }

    /**
     * Sets {@link Options#tableSuffix()}.
     *
     * @param tableSuffix the suffix of new tables
     * @return this builder
     */
    public Builder tableSuffix(TableSuffix tableSuffix) {
      this.tableSuffix = Objects.requireNonNull(tableSuffix, "tableSuffix");
      return this;
    }

    /**
     * Sets {@link Options#nativeSnappy()}.
     *
     * @param nativeSnappy whether to use the native library
     * @return this builder
     */
    public Builder nativeSnappy(boolean nativeSnappy) {
      this.nativeSnappy = nativeSnappy;
      return this;
    }

    /**
     * Sets {@link Options#filterPolicy()}.
     *
     * @param filterPolicy the filter policy, or null for none
     * @return this builder
     */
    public Builder filterPolicy(@Nullable FilterPolicy filterPolicy) {
      this.filterPolicy = filterPolicy;
      return this;
    }

    /**
     * Sets {@link Options#logRetention()}.
     *
     * @param logRetention the bounds, or null to keep no logs
     * @return this builder
     */
    public Builder logRetention(@Nullable LogRetention logRetention) {
      this.logRetention = logRetention;
      return this;
    }

    /**
     * Sets {@link Options#seekCompaction()}.
     *
     * @param seekCompaction whether reads trigger compactions
     * @return this builder
     */
    public Builder seekCompaction(boolean seekCompaction) {
      this.seekCompaction = seekCompaction;
      return this;
    }

    /**
     * Sets {@link Options#compactionFilter()}.
     *
     * @param compactionFilter the filter, or null for none
     * @return this builder
     */
    public Builder compactionFilter(@Nullable CompactionFilter compactionFilter) {
      this.compactionFilter = compactionFilter;
      return this;
    }

    /**
     * Sets {@link Options#maxBackgroundCompactions()}.
     *
     * @param maxBackgroundCompactions the number of compactions, at least 1
     * @return this builder
     * @throws IllegalArgumentException if {@code maxBackgroundCompactions} is less than 1
     */
    public Builder maxBackgroundCompactions(int maxBackgroundCompactions) {
      this.maxBackgroundCompactions =
          atLeast("maxBackgroundCompactions", maxBackgroundCompactions, 1);
      return this;
    }

    /**
     * Sets {@link Options#compactionBytesPerSecond()}.
     *
     * @param compactionBytesPerSecond the limit in bytes per second, 0 for none
     * @return this builder
     * @throws IllegalArgumentException if {@code compactionBytesPerSecond} is negative
     */
    public Builder compactionBytesPerSecond(long compactionBytesPerSecond) {
      this.compactionBytesPerSecond =
          atLeast("compactionBytesPerSecond", compactionBytesPerSecond, 0);
      return this;
    }

    /**
     * Sets {@link Options#offHeapLimit()}.
     *
     * @param offHeapLimit the limit in bytes, 0 for none
     * @return this builder
     * @throws IllegalArgumentException if {@code offHeapLimit} is negative
     */
    public Builder offHeapLimit(long offHeapLimit) {
      this.offHeapLimit = atLeast("offHeapLimit", offHeapLimit, 0);
      return this;
    }

    /**
     * Sets {@link Options#listener()}.
     *
     * @param listener the listener, or null for none
     * @return this builder
     */
    public Builder listener(@Nullable DBListener listener) {
      this.listener = listener;
      return this;
    }

    /**
     * Sets {@link Options#slowSyncMillis()}.
     *
     * @param slowSyncMillis the time in milliseconds, 0 to report every sync
     * @return this builder
     * @throws IllegalArgumentException if {@code slowSyncMillis} is negative
     */
    public Builder slowSyncMillis(int slowSyncMillis) {
      this.slowSyncMillis = atLeast("slowSyncMillis", slowSyncMillis, 0);
      return this;
    }

    /**
     * Sets {@link Options#infoLog()}.
     *
     * @param infoLog whether to write LOG
     * @return this builder
     */
    public Builder infoLog(boolean infoLog) {
      this.infoLog = infoLog;
      return this;
    }

    /**
     * Sets {@link Options#trackIterators()}.
     *
     * @param trackIterators whether iterators record where they were opened
     * @return this builder
     */
    public Builder trackIterators(boolean trackIterators) {
      this.trackIterators = trackIterators;
      return this;
    }

    /**
     * Builds the options.
     *
     * @return options with the values of this builder, which may be used further
     * @throws IllegalArgumentException if both {@link Options#logRetention} and {@link
     *     Options#compactionFilter} are set
     */
    public Options build() {
      if (logRetention != null && compactionFilter != null) {
        throw new IllegalArgumentException(
            "logRetention and compactionFilter exclude each other: what a filter drops is not in"
                + " the log, so readers of changes would not see it");
      }
      return new Options(this);
    }

    private int clip(String name, int value, int min, int max) {
      int used = Math.max(min, Math.min(max, value));
      if (used == value) {
        clipped.remove(name);
      } else {
        clipped.put(name, new ClippedValue(name, value, used));
      }
      return used;
    }

    private static int atLeast(String name, int value, int min) {
      return (int) atLeast(name, (long) value, min);
    }

    private static long atLeast(String name, long value, long min) {
      if (value < min) {
        throw new IllegalArgumentException(name + " is " + value + ", must be at least " + min);
      }
      return value;
    }
  }
}
