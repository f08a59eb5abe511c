package dev.kv;

import dev.kv.admin.DBAdmin;
import dev.kv.admin.DBStats;
import dev.kv.bytes.DBComparator;
import dev.kv.change.ChangeFeed;
import dev.kv.change.ChangePosition;
import dev.kv.env.Env;
import dev.kv.errors.DatabaseExistsException;
import dev.kv.errors.OffHeapExhaustedException;
import dev.kv.event.DBListener;
import dev.kv.options.CompactionFilter;
import dev.kv.options.CompressionType;
import dev.kv.options.LogRetention;
import dev.kv.options.RecoveryMode;
import dev.kv.options.TableSuffix;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.function.UnaryOperator;
import org.jspecify.annotations.Nullable;

/**
 * How a database is opened. The options that LevelDB has stand here, with LevelDB's names and
 * defaults; the others are in groups: {@link Memory}, {@link Compaction}, {@link Tables} and {@link
 * Monitoring}. Immutable and thread-safe; made by {@link #builder()}:
 *
 * <pre>{@code
 * Options options =
 *     Options.builder()
 *         .createIfMissing(true)
 *         .memory(memory -> memory.offHeapLimit(256L << 20))
 *         .build();
 * }</pre>
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

  /** The values: a copy of the builder, which never changes. */
  private final Builder values;

  private Options(Builder values) {
    this.values = values;
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
    return values.copy();
  }

  /**
   * Returns true if an open creates the database if there is none. Default: false.
   *
   * @return true if the database is created
   */
  public boolean createIfMissing() {
    return values.createIfMissing;
  }

  /**
   * Returns true if an open fails if there is a database already. Default: false.
   *
   * @return true if the open throws {@link DatabaseExistsException}
   */
  public boolean errorIfExists() {
    return values.errorIfExists;
  }

  /**
   * Returns how strictly damage in logs and tables is treated. It takes the place of LevelDB's
   * {@code paranoid_checks}, which is {@link RecoveryMode#PARANOID}. Default: {@link
   * RecoveryMode#TORN_WRITES}.
   *
   * @return the mode
   */
  public RecoveryMode recoveryMode() {
    return values.recoveryMode;
  }

  /**
   * Returns true if an open continues to append to the last log and MANIFEST, if they end at a
   * record boundary. If false, it writes the recovered entries to tables and begins new files.
   * Default: false.
   *
   * @return true if the files are reused
   */
  public boolean reuseLogs() {
    return values.reuseLogs;
  }

  /**
   * Returns the order of the keys. Its name must be that of the comparator that the database was
   * created with. Default: {@link DBComparator#bytewise()}.
   *
   * @return the comparator
   */
  public DBComparator comparator() {
    return values.comparator;
  }

  /**
   * Returns the environment: the file system, clock and threads that the database uses. Default:
   * {@link Env#fileSystem()}.
   *
   * @return the environment
   */
  public Env env() {
    return values.env == null ? Env.fileSystem() : values.env;
  }

  /**
   * Returns the size at which a memtable is flushed to a table. Default: 4 MiB; clipped to 64 KiB
   * to 1 GiB.
   *
   * @return the size in bytes
   */
  public int writeBufferSize() {
    return values.writeBufferSize;
  }

  /**
   * Returns how many files the database keeps open. Default: 1,000; clipped to 74 to 50,000.
   *
   * @return the number of files
   */
  public int maxOpenFiles() {
    return values.maxOpenFiles;
  }

  /**
   * Returns the size of a table at which a compaction begins another one. Default: 2 MiB; clipped
   * to 1 MiB to 1 GiB.
   *
   * @return the size in bytes
   */
  public int maxFileSize() {
    return values.maxFileSize;
  }

  /**
   * Returns the capacity of the database's own block cache. It has no effect if there are {@link
   * Memory#sharedResources()}. Default: 8 MiB.
   *
   * @return the capacity in bytes, 0 for no cache
   */
  public long blockCacheSize() {
    return values.blockCacheSize;
  }

  /**
   * Returns the size of a block of a table before compression. Default: 4 KiB; clipped to 1 KiB to
   * 4 MiB.
   *
   * @return the size in bytes
   */
  public int blockSize() {
    return values.blockSize;
  }

  /**
   * Returns the number of keys between two restart points of a block. A key at a restart point is
   * stored in full; other keys omit the prefix that they share with the key before. Default: 16.
   *
   * @return the number of keys, at least 1
   */
  public int blockRestartInterval() {
    return values.blockRestartInterval;
  }

  /**
   * Returns how new blocks are compressed. Blocks of every type can be read, whatever this is.
   * Default: {@link CompressionType#SNAPPY}.
   *
   * @return the compression of new blocks
   */
  public CompressionType compression() {
    return values.compression;
  }

  /**
   * Returns the level of {@link CompressionType#ZSTD}. Default: 1; clipped to -5 to 22.
   *
   * @return the level
   */
  public int zstdCompressionLevel() {
    return values.zstdCompressionLevel;
  }

  /**
   * Returns the filter that new tables get and that lookups query. Default: null, which means no
   * filter.
   *
   * @return the filter policy, or null if there is none
   */
  public @Nullable FilterPolicy filterPolicy() {
    return values.filterPolicy;
  }

  /**
   * Returns how long logs are kept for {@link ChangeFeed#open(ChangePosition)}. If set, every
   * change passes the log: a range delete writes a tombstone for each key of the range, a bulk load
   * and an ingest throw {@link IllegalStateException}, and {@link Compaction#filter} cannot be set.
   * {@link #reuseLogs} then applies to the MANIFEST alone. The first open without this option ends
   * the history: positions read before are refused. Default: null, which means that logs are
   * deleted when they are not needed.
   *
   * @return the bounds, or null if no logs are kept
   */
  public @Nullable LogRetention logRetention() {
    return values.logRetention;
  }

  /**
   * Returns the options about memory.
   *
   * @return the group
   */
  public Memory memory() {
    return values.memory;
  }

  /**
   * Returns the options about compactions.
   *
   * @return the group
   */
  public Compaction compaction() {
    return values.compaction;
  }

  /**
   * Returns the options about table files.
   *
   * @return the group
   */
  public Tables tables() {
    return values.tables;
  }

  /**
   * Returns the options about events and logs.
   *
   * @return the group
   */
  public Monitoring monitoring() {
    return values.monitoring;
  }

  /**
   * Returns the values that the builder clipped to the range of their option. An open logs them.
   *
   * @return the clipped values; empty if there are none
   */
  public List<ClippedValue> clippedValues() {
    return List.copyOf(values.clipped.values());
  }

  @Override
  public boolean equals(@Nullable Object other) {
    return other instanceof Options options && named().equals(options.named());
  }

  @Override
  public int hashCode() {
    return named().hashCode();
  }

  /** Returns the names and values of all options, for logs. */
  @Override
  public String toString() {
    return "Options" + named();
  }

  private Map<String, @Nullable Object> named() {
    Map<String, @Nullable Object> all = new LinkedHashMap<>();
    all.put("createIfMissing", values.createIfMissing);
    all.put("errorIfExists", values.errorIfExists);
    all.put("recoveryMode", values.recoveryMode);
    all.put("reuseLogs", values.reuseLogs);
    all.put("comparator", values.comparator);
    all.put("env", values.env);
    all.put("writeBufferSize", values.writeBufferSize);
    all.put("maxOpenFiles", values.maxOpenFiles);
    all.put("maxFileSize", values.maxFileSize);
    all.put("blockCacheSize", values.blockCacheSize);
    all.put("blockSize", values.blockSize);
    all.put("blockRestartInterval", values.blockRestartInterval);
    all.put("compression", values.compression);
    all.put("zstdCompressionLevel", values.zstdCompressionLevel);
    all.put("filterPolicy", values.filterPolicy);
    all.put("logRetention", values.logRetention);
    all.put("memory", values.memory);
    all.put("compaction", values.compaction);
    all.put("tables", values.tables);
    all.put("monitoring", values.monitoring);
    return all;
  }

  /**
   * The options about memory.
   *
   * @param offHeapLimit the limit in bytes for the memory that the database holds off the heap, all
   *     kinds together. If the limit is reached, a write throws {@link OffHeapExhaustedException}
   *     before it is logged, and reads bypass the cache. It has no effect if there are {@code
   *     sharedResources}. Default: 0, which means that only the JVM's limit applies
   * @param sharedResources the cache, memory limit and threads that the database shares with
   *     others. If there are any, {@link #blockCacheSize()}, {@code offHeapLimit} and {@link
   *     Compaction#bytesPerSecond} have no effect. The database does not close them. Default: null,
   *     which means that the database has its own
   * @param maxMappedTables how many tables are mapped into memory; the others are read by position.
   *     0 for none. Default: -1, which means a quarter of {@code vm.max_map_count}, but at most
   *     1,000
   */
  public record Memory(
      long offHeapLimit, @Nullable SharedResources sharedResources, int maxMappedTables) {
    private static final Memory DEFAULT = new Memory(0, null, -1);

    /**
     * Returns these options with another {@link #offHeapLimit()}.
     *
     * @param offHeapLimit the limit in bytes, 0 for none
     * @return the options
     */
    public Memory offHeapLimit(long offHeapLimit) {
      return new Memory(offHeapLimit, sharedResources, maxMappedTables);
    }

    /**
     * Returns these options with other {@link #sharedResources()}.
     *
     * @param sharedResources the shared resources, or null for none; the caller closes them
     * @return the options
     */
    public Memory sharedResources(@Nullable SharedResources sharedResources) {
      return new Memory(offHeapLimit, sharedResources, maxMappedTables);
    }

    /**
     * Returns these options with another {@link #maxMappedTables()}.
     *
     * @param maxMappedTables the number of tables, 0 for none, or -1 for the default
     * @return the options
     */
    public Memory maxMappedTables(int maxMappedTables) {
      return new Memory(offHeapLimit, sharedResources, maxMappedTables);
    }
  }

  /**
   * The options about compactions.
   *
   * @param filter the filter that compactions pass entries to, which may drop them or replace their
   *     values. Default: null, which means that compactions keep every entry that a reader can see
   * @param maxBackground how many compactions of disjoint ranges run at the same time, at least 1.
   *     With {@link Memory#sharedResources()}, there are at most as many as these have threads.
   *     Default: 2
   * @param bytesPerSecond the limit for what compactions write in a second, so that they leave the
   *     disk to reads and to the log. Flushes are never limited. Compactions are not limited while
   *     level 0 has so many tables that writes are slowed down, and while {@link
   *     DBAdmin#suspendCompactions} waits for them. It has no effect if there are {@link
   *     Memory#sharedResources()}. Default: 0, which means no limit
   * @param seekTriggered true if a table is compacted after many reads have searched it without
   *     finding their key. False suits a load that only reads. Default: true
   */
  public record Compaction(
      @Nullable CompactionFilter filter,
      int maxBackground,
      long bytesPerSecond,
      boolean seekTriggered) {
    private static final Compaction DEFAULT = new Compaction(null, 2, 0, true);

    /**
     * Returns these options with another {@link #filter()}.
     *
     * @param filter the filter, or null for none
     * @return the options
     */
    public Compaction filter(@Nullable CompactionFilter filter) {
      return new Compaction(filter, maxBackground, bytesPerSecond, seekTriggered);
    }

    /**
     * Returns these options with another {@link #maxBackground()}.
     *
     * @param maxBackground the number of compactions, at least 1
     * @return the options
     */
    public Compaction maxBackground(int maxBackground) {
      return new Compaction(filter, maxBackground, bytesPerSecond, seekTriggered);
    }

    /**
     * Returns these options with another {@link #bytesPerSecond()}.
     *
     * @param bytesPerSecond the limit, 0 for none
     * @return the options
     */
    public Compaction bytesPerSecond(long bytesPerSecond) {
      return new Compaction(filter, maxBackground, bytesPerSecond, seekTriggered);
    }

    /**
     * Returns these options with another {@link #seekTriggered()}.
     *
     * @param seekTriggered true if reads trigger compactions
     * @return the options
     */
    public Compaction seekTriggered(boolean seekTriggered) {
      return new Compaction(filter, maxBackground, bytesPerSecond, seekTriggered);
    }
  }

  /**
   * The options about table files.
   *
   * @param suffix how the files of new tables are named. Tables of either suffix are read, whatever
   *     this is. {@link TableSuffix#SST} keeps a directory readable for leveldbjni and iq80's port,
   *     if every open that writes uses it. Default: {@link TableSuffix#LDB}
   * @param nativeSnappy true if Snappy runs in snappy-java's native library. If false, or if the
   *     library does not load, kv's codec in Java is used. Default: true
   * @param readInPlace true if blocks that are not compressed are read where the file is mapped,
   *     without the block cache. A lookup searches such a block in the mapping and copies only the
   *     value; a cursor copies the block. Its checksum is verified once for each time that its
   *     table is opened, and not at each read. So bytes that change on disk after that may give a
   *     wrong answer, but a file that is cut short throws. It is made for a database with {@link
   *     CompressionType#NONE} whose files fit in the page cache of the system. It has no effect on
   *     compressed blocks, on tables that are not mapped (see {@link Memory#maxMappedTables()}),
   *     with a comparator other than {@link DBComparator#bytewise()}, and on reads with {@link
   *     ReadOptions#fillCache()} set to false. Default: false
   */
  public record Tables(TableSuffix suffix, boolean nativeSnappy, boolean readInPlace) {
    private static final Tables DEFAULT = new Tables(TableSuffix.LDB, true, false);

    /**
     * Creates the options.
     *
     * @param suffix the suffix of new tables
     * @param nativeSnappy true if the native library is used
     * @param readInPlace true if blocks are read in the mapping of their file
     */
    public Tables {
      Objects.requireNonNull(suffix, "suffix");
    }

    /**
     * Returns these options with another {@link #suffix()}.
     *
     * @param suffix the suffix of new tables
     * @return the options
     */
    public Tables suffix(TableSuffix suffix) {
      return new Tables(suffix, nativeSnappy, readInPlace);
    }

    /**
     * Returns these options with another {@link #nativeSnappy()}.
     *
     * @param nativeSnappy true if the native library is used
     * @return the options
     */
    public Tables nativeSnappy(boolean nativeSnappy) {
      return new Tables(suffix, nativeSnappy, readInPlace);
    }

    /**
     * Returns these options with another {@link #readInPlace()}.
     *
     * @param readInPlace true if uncompressed blocks of mapped tables are read in place
     * @return the options
     */
    public Tables readInPlace(boolean readInPlace) {
      return new Tables(suffix, nativeSnappy, readInPlace);
    }
  }

  /**
   * The options about events and logs.
   *
   * @param listener the listener that receives the database's events. Default: null, which means
   *     none
   * @param slowSyncMillis how many milliseconds a sync of the log may take before it is reported as
   *     a {@link dev.kv.event.SyncEvent}; 0 to report every sync. Default: 100
   * @param infoLog true if the database writes LevelDB's file LOG in its directory: a line for each
   *     event. An open renames the file of the open before to LOG.old, as C++ LevelDB does. A
   *     failure to write it is logged, and has no other effect. An open for reads only writes none.
   *     Default: false
   * @param trackIterators true if each iterator records where it was opened, for {@link
   *     DBStats.Views#oldestIterators()} and for the warning about iterators that were never
   *     closed. That makes opens of iterators several times slower. Default: the system property
   *     {@code kv.trackIterators}, which is false unless it is set
   */
  public record Monitoring(
      @Nullable DBListener listener, int slowSyncMillis, boolean infoLog, boolean trackIterators) {
    /**
     * Returns these options with another {@link #listener()}.
     *
     * @param listener the listener, or null for none
     * @return the options
     */
    public Monitoring listener(@Nullable DBListener listener) {
      return new Monitoring(listener, slowSyncMillis, infoLog, trackIterators);
    }

    /**
     * Returns these options with another {@link #slowSyncMillis()}.
     *
     * @param slowSyncMillis the time in milliseconds, 0 to report every sync
     * @return the options
     */
    public Monitoring slowSyncMillis(int slowSyncMillis) {
      return new Monitoring(listener, slowSyncMillis, infoLog, trackIterators);
    }

    /**
     * Returns these options with another {@link #infoLog()}.
     *
     * @param infoLog true to write LOG
     * @return the options
     */
    public Monitoring infoLog(boolean infoLog) {
      return new Monitoring(listener, slowSyncMillis, infoLog, trackIterators);
    }

    /**
     * Returns these options with another {@link #trackIterators()}.
     *
     * @param trackIterators true if iterators record where they were opened
     * @return the options
     */
    public Monitoring trackIterators(boolean trackIterators) {
      return new Monitoring(listener, slowSyncMillis, infoLog, trackIterators);
    }
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
  public static final class Builder implements Cloneable {
    private boolean createIfMissing;
    private boolean errorIfExists;
    private RecoveryMode recoveryMode = RecoveryMode.TORN_WRITES;
    private boolean reuseLogs;
    private DBComparator comparator = DBComparator.bytewise();
    private @Nullable Env env;
    private int writeBufferSize = 4 << 20;
    private int maxOpenFiles = 1000;
    private int maxFileSize = 2 << 20;
    private long blockCacheSize = 8L << 20;
    private int blockSize = 4096;
    private int blockRestartInterval = 16;
    private CompressionType compression = CompressionType.SNAPPY;
    private int zstdCompressionLevel = 1;
    private @Nullable FilterPolicy filterPolicy;
    private @Nullable LogRetention logRetention;
    private Memory memory = Memory.DEFAULT;
    private Compaction compaction = Compaction.DEFAULT;
    private Tables tables = Tables.DEFAULT;
    private Monitoring monitoring =
        new Monitoring(null, 100, false, Boolean.getBoolean("kv.trackIterators"));
    private Map<String, ClippedValue> clipped = new LinkedHashMap<>();

    private Builder() {}

    private Builder copy() {
      try {
        Builder copy = (Builder) super.clone();
        copy.clipped = new LinkedHashMap<>(clipped);
        return copy;
      } catch (CloneNotSupportedException e) {
        throw new AssertionError(e);
      }
    }

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
     * Sets {@link Options#blockCacheSize()}.
     *
     * @param blockCacheSize the capacity in bytes, 0 for no cache
     * @return this builder
     * @throws IllegalArgumentException if {@code blockCacheSize} is negative
     */
    public Builder blockCacheSize(long blockCacheSize) {
      atLeast("blockCacheSize", blockCacheSize, 0);
      this.blockCacheSize = blockCacheSize;
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
      atLeast("blockRestartInterval", blockRestartInterval, 1);
      this.blockRestartInterval = blockRestartInterval;
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
     * Changes {@link Options#memory()}, for example {@code memory(m -> m.offHeapLimit(64 << 20))}.
     *
     * @param change returns the group that takes the place of the one it is given
     * @return this builder
     * @throws IllegalArgumentException if a number is out of its range
     */
    public Builder memory(UnaryOperator<Memory> change) {
      Memory changed = Objects.requireNonNull(change.apply(memory), "memory");
      atLeast("offHeapLimit", changed.offHeapLimit, 0);
      atLeast("maxMappedTables", changed.maxMappedTables, -1);
      memory = changed;
      return this;
    }

    /**
     * Changes {@link Options#compaction()}, for example {@code compaction(c ->
     * c.maxBackground(4))}.
     *
     * @param change returns the group that takes the place of the one it is given
     * @return this builder
     * @throws IllegalArgumentException if a number is out of its range
     */
    public Builder compaction(UnaryOperator<Compaction> change) {
      Compaction changed = Objects.requireNonNull(change.apply(compaction), "compaction");
      atLeast("maxBackground", changed.maxBackground, 1);
      atLeast("bytesPerSecond", changed.bytesPerSecond, 0);
      compaction = changed;
      return this;
    }

    /**
     * Changes {@link Options#tables()}, for example {@code tables(t -> t.readInPlace(true))}.
     *
     * @param change returns the group that takes the place of the one it is given
     * @return this builder
     */
    public Builder tables(UnaryOperator<Tables> change) {
      tables = Objects.requireNonNull(change.apply(tables), "tables");
      return this;
    }

    /**
     * Changes {@link Options#monitoring()}, for example {@code monitoring(m -> m.infoLog(true))}.
     *
     * @param change returns the group that takes the place of the one it is given
     * @return this builder
     * @throws IllegalArgumentException if a number is out of its range
     */
    public Builder monitoring(UnaryOperator<Monitoring> change) {
      Monitoring changed = Objects.requireNonNull(change.apply(monitoring), "monitoring");
      atLeast("slowSyncMillis", changed.slowSyncMillis, 0);
      monitoring = changed;
      return this;
    }

    /**
     * Builds the options.
     *
     * @return options with the values of this builder, which may be used further
     * @throws IllegalArgumentException if both {@link Options#logRetention} and {@link
     *     Compaction#filter} are set
     */
    public Options build() {
      if (logRetention != null && compaction.filter != null) {
        throw new IllegalArgumentException(
            "logRetention and a compaction filter exclude each other: what a filter drops is not in"
                + " the log, so readers of changes would not see it");
      }
      return new Options(copy());
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

    private static void atLeast(String name, long value, long min) {
      if (value < min) {
        throw new IllegalArgumentException(name + " is " + value + ", must be at least " + min);
      }
    }
  }
}
