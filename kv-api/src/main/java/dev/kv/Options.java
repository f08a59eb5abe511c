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
import java.time.Duration;
import java.util.List;
import java.util.Objects;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * How a database is opened. The options that LevelDB has stand here, with LevelDB's names and
 * defaults; most others are in groups: {@link Memory}, {@link Compaction}, {@link Tables} and
 * {@link Monitoring}. Immutable and thread-safe; made by {@link #builder()}:
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
 * environments compare by their own {@code equals}; an environment that was set differs from none.
 */
public final class Options extends OptionGroup<Options> {
  private static final Declared OPTIONS = new Declared("Options");

  private static final Option<Boolean> CREATE_IF_MISSING = OPTIONS.option("createIfMissing", false);
  private static final Option<Boolean> ERROR_IF_EXISTS = OPTIONS.option("errorIfExists", false);
  private static final Option<RecoveryMode> RECOVERY_MODE =
      OPTIONS.option("recoveryMode", RecoveryMode.TORN_WRITES);
  private static final Option<Boolean> REUSE_LOGS = OPTIONS.option("reuseLogs", false);
  private static final Option<DBComparator> COMPARATOR =
      OPTIONS.option("comparator", DBComparator.bytewise());
  private static final Option<Env> ENV = OPTIONS.nullable("env");
  private static final Option<Long> WRITE_BUFFER_SIZE =
      OPTIONS.clipped("writeBufferSize", 4L << 20, 0, 64L << 10, 1L << 30);
  private static final Option<Integer> MAX_OPEN_FILES =
      OPTIONS.clipped("maxOpenFiles", 1000, 0, 74, 50_000);
  private static final Option<Long> MAX_FILE_SIZE =
      OPTIONS.clipped("maxFileSize", 2L << 20, 0, 1L << 20, 1L << 30);
  private static final Option<Long> BLOCK_CACHE_SIZE =
      OPTIONS.number("blockCacheSize", 8L << 20, 0);
  private static final Option<Long> BLOCK_SIZE =
      OPTIONS.clipped("blockSize", 4096L, 0, 1L << 10, 4L << 20);
  private static final Option<Integer> BLOCK_RESTART_INTERVAL =
      OPTIONS.number("blockRestartInterval", 16, 1);
  private static final Option<CompressionType> COMPRESSION =
      OPTIONS.option("compression", CompressionType.SNAPPY);
  private static final Option<Integer> ZSTD_COMPRESSION_LEVEL =
      OPTIONS.clipped("zstdCompressionLevel", 1, Integer.MIN_VALUE, -5, 22);
  private static final Option<FilterPolicy> FILTER_POLICY = OPTIONS.nullable("filterPolicy");
  private static final Option<LogRetention> LOG_RETENTION = OPTIONS.nullable("logRetention");
  private static final Option<SharedResources> SHARED_RESOURCES =
      OPTIONS.nullable("sharedResources");
  private static final Option<Memory> MEMORY = OPTIONS.option("memory", Memory.DEFAULT);
  private static final Option<Compaction> COMPACTION =
      OPTIONS.option("compaction", Compaction.DEFAULT);
  private static final Option<Tables> TABLES = OPTIONS.option("tables", Tables.DEFAULT);
  private static final Option<Monitoring> MONITORING =
      OPTIONS.option("monitoring", Monitoring.DEFAULT);

  /** The default of every option. */
  public static final Options DEFAULT = new Options(OPTIONS.defaults());

  private Options(@Nullable Object[] values) {
    super(OPTIONS, values);
  }

  @Override
  Options of(@Nullable Object[] values) {
    return new Options(values);
  }

  /**
   * Returns a builder whose values are the defaults.
   *
   * @return a new builder
   */
  public static Builder builder() {
    return new Builder(DEFAULT);
  }

  /**
   * Returns a builder whose values are those of these options.
   *
   * @return a new builder
   */
  public Builder toBuilder() {
    return new Builder(this);
  }

  /**
   * Returns true if an open creates the database if there is none, with its directory and all
   * missing parents. Default: false.
   *
   * @return true if the database is created
   */
  public boolean createIfMissing() {
    return get(CREATE_IF_MISSING);
  }

  /**
   * Returns true if an open fails if there is a database already. Default: false.
   *
   * @return true if the open throws {@link DatabaseExistsException}
   */
  public boolean errorIfExists() {
    return get(ERROR_IF_EXISTS);
  }

  /**
   * Returns how strictly damage in logs and tables is treated. It takes the place of LevelDB's
   * {@code paranoid_checks}, which is {@link RecoveryMode#PARANOID}. Default: {@link
   * RecoveryMode#TORN_WRITES}.
   *
   * @return the mode
   */
  public RecoveryMode recoveryMode() {
    return get(RECOVERY_MODE);
  }

  /**
   * Returns true if an open continues to append to the last log and MANIFEST, if they end at a
   * record boundary. If false, it writes the recovered entries to tables and begins new files.
   * After a failed sync, open without it: the operating system may take pages of the old files for
   * written that it could not write. Default: false.
   *
   * @return true if the files are reused
   */
  public boolean reuseLogs() {
    return get(REUSE_LOGS);
  }

  /**
   * Returns the order of the keys. Its name must be that of the comparator that the database was
   * created with. Default: {@link DBComparator#bytewise()}.
   *
   * @return the comparator
   */
  public DBComparator comparator() {
    return get(COMPARATOR);
  }

  /**
   * Returns the environment: the file system, clock and threads that the database uses. Default:
   * {@link Env#fileSystem()}.
   *
   * @return the environment
   */
  public Env env() {
    Env env = find(ENV);
    return env == null ? Env.fileSystem() : env;
  }

  /**
   * Returns the size at which a memtable is flushed to a table. Default: 4 MiB; clipped to 64 KiB
   * to 1 GiB.
   *
   * @return the size in bytes
   */
  public long writeBufferSize() {
    return get(WRITE_BUFFER_SIZE);
  }

  /**
   * Returns how many files the database keeps open. Default: 1,000; clipped to 74 to 50,000.
   *
   * @return the number of files
   */
  public int maxOpenFiles() {
    return get(MAX_OPEN_FILES);
  }

  /**
   * Returns the size of a table at which a compaction begins another one. Default: 2 MiB; clipped
   * to 1 MiB to 1 GiB.
   *
   * @return the size in bytes
   */
  public long maxFileSize() {
    return get(MAX_FILE_SIZE);
  }

  /**
   * Returns the capacity of the database's own block cache. It has no effect if there are {@link
   * #sharedResources()}. Default: 8 MiB.
   *
   * @return the capacity in bytes, 0 for no cache
   */
  public long blockCacheSize() {
    return get(BLOCK_CACHE_SIZE);
  }

  /**
   * Returns the size of a block of a table before compression. Default: 4 KiB; clipped to 1 KiB to
   * 4 MiB.
   *
   * @return the size in bytes
   */
  public long blockSize() {
    return get(BLOCK_SIZE);
  }

  /**
   * Returns the number of keys between two restart points of a block. A key at a restart point is
   * stored in full; other keys omit the prefix that they share with the key before. Default: 16.
   *
   * @return the number of keys, at least 1
   */
  public int blockRestartInterval() {
    return get(BLOCK_RESTART_INTERVAL);
  }

  /**
   * Returns how new blocks are compressed. Blocks of every type can be read, whatever this is.
   * Default: {@link CompressionType#SNAPPY}.
   *
   * @return the compression of new blocks
   */
  public CompressionType compression() {
    return get(COMPRESSION);
  }

  /**
   * Returns the level of {@link CompressionType#ZSTD}. Default: 1; clipped to -5 to 22.
   *
   * @return the level
   */
  public int zstdCompressionLevel() {
    return get(ZSTD_COMPRESSION_LEVEL);
  }

  /**
   * Returns the filter that new tables get and that lookups query. Default: null, which means no
   * filter.
   *
   * @return the filter policy, or null if there is none
   */
  public @Nullable FilterPolicy filterPolicy() {
    return find(FILTER_POLICY);
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
    return find(LOG_RETENTION);
  }

  /**
   * Returns the cache, memory limit and threads that the database shares with others. If there are
   * any, {@link #blockCacheSize()}, {@link Memory#offHeapLimit()} and {@link
   * Compaction#bytesPerSecond} have no effect. The database does not close them. Default: null,
   * which means that the database has its own.
   *
   * @return the shared resources, or null if there are none
   */
  public @Nullable SharedResources sharedResources() {
    return find(SHARED_RESOURCES);
  }

  /**
   * Returns the options about memory.
   *
   * @return the group
   */
  public Memory memory() {
    return get(MEMORY);
  }

  /**
   * Returns the options about compactions.
   *
   * @return the group
   */
  public Compaction compaction() {
    return get(COMPACTION);
  }

  /**
   * Returns the options about table files.
   *
   * @return the group
   */
  public Tables tables() {
    return get(TABLES);
  }

  /**
   * Returns the options about events and logs.
   *
   * @return the group
   */
  public Monitoring monitoring() {
    return get(MONITORING);
  }

  /**
   * Returns the values that the builder clipped to the range of their option, those of the groups
   * included. An open logs them.
   *
   * @return the clipped values; empty if there are none
   */
  public List<ClippedValue> clippedValues() {
    return clipped();
  }

  /** The options about memory. */
  public static final class Memory extends OptionGroup<Memory> {
    private static final Declared OPTIONS = new Declared("Memory");

    private static final Option<Long> OFF_HEAP_LIMIT = OPTIONS.number("offHeapLimit", 0L, 0);
    private static final Option<Integer> MAX_MAPPED_TABLES =
        OPTIONS.number("maxMappedTables", -1, -1);

    private static final Memory DEFAULT = new Memory(OPTIONS.defaults());

    private Memory(@Nullable Object[] values) {
      super(OPTIONS, values);
    }

    @Override
    Memory of(@Nullable Object[] values) {
      return new Memory(values);
    }

    /**
     * Returns the limit in bytes for the memory that the database holds off the heap, all kinds
     * together. If the limit is reached, a write waits for memory that flushes release. It throws
     * {@link OffHeapExhaustedException}, before it is logged, if there is nothing to flush, if no
     * flush ends for ten seconds, or if a flush itself has lacked memory for a second. Reads bypass
     * the cache. It has no effect if there are {@link Options#sharedResources()}. Default: 0, which
     * means that only the JVM's limit applies.
     *
     * @return the limit in bytes, 0 for none
     */
    public long offHeapLimit() {
      return get(OFF_HEAP_LIMIT);
    }

    /**
     * Returns how many tables are mapped into memory; the others are read by position. 0 for none.
     * Default: -1, which means a quarter of {@code vm.max_map_count}, but at most 1,000.
     *
     * @return the number of tables, 0 for none, or -1 for the default
     */
    public int maxMappedTables() {
      return get(MAX_MAPPED_TABLES);
    }

    /** Sets the options about memory. Not thread-safe. */
    public static final class Builder extends OptionGroup.Builder<Memory, Builder> {
      private Builder(Memory group) {
        super(group);
      }

      /**
       * Sets {@link Memory#offHeapLimit()}.
       *
       * @param offHeapLimit the limit in bytes, 0 for none; a long such as {@code 4L << 30},
       *     because the int {@code 4 << 30} is 0
       * @return this builder
       * @throws IllegalArgumentException if {@code offHeapLimit} is negative
       */
      public Builder offHeapLimit(long offHeapLimit) {
        return set(OFF_HEAP_LIMIT, offHeapLimit);
      }

      /**
       * Sets {@link Memory#maxMappedTables()}.
       *
       * @param maxMappedTables the number of tables, 0 for none, or -1 for the default
       * @return this builder
       * @throws IllegalArgumentException if {@code maxMappedTables} is less than -1
       */
      public Builder maxMappedTables(int maxMappedTables) {
        return set(MAX_MAPPED_TABLES, maxMappedTables);
      }
    }
  }

  /** The options about compactions. */
  public static final class Compaction extends OptionGroup<Compaction> {
    private static final Declared OPTIONS = new Declared("Compaction");

    private static final Option<CompactionFilter> FILTER = OPTIONS.nullable("filter");
    private static final Option<Integer> MAX_BACKGROUND =
        OPTIONS.clipped("maxBackground", 2, 1, 1, 64);
    private static final Option<Long> BYTES_PER_SECOND = OPTIONS.number("bytesPerSecond", 0L, 0);
    private static final Option<Boolean> SEEK_TRIGGERED = OPTIONS.option("seekTriggered", true);

    private static final Compaction DEFAULT = new Compaction(OPTIONS.defaults());

    private Compaction(@Nullable Object[] values) {
      super(OPTIONS, values);
    }

    @Override
    Compaction of(@Nullable Object[] values) {
      return new Compaction(values);
    }

    /**
     * Returns the filter that compactions pass entries to, which may drop them or replace their
     * values. Default: null, which means that compactions keep every entry that a reader can see.
     *
     * @return the filter, or null if there is none
     */
    public @Nullable CompactionFilter filter() {
      return find(FILTER);
    }

    /**
     * Returns how many compactions of disjoint ranges run at the same time. With {@link
     * Options#sharedResources()}, there are at most as many as these have threads. Default: 2;
     * clipped to 64.
     *
     * @return the number of compactions
     */
    public int maxBackground() {
      return get(MAX_BACKGROUND);
    }

    /**
     * Returns the limit for what compactions write in a second, so that they leave the disk to
     * reads and to the log. Flushes are never limited. Compactions are not limited while level 0
     * has so many tables that writes are slowed down, and while {@link DBAdmin#suspendCompactions}
     * waits for them. It has no effect if there are {@link Options#sharedResources()}. Default: 0,
     * which means no limit.
     *
     * @return the limit in bytes, 0 for none
     */
    public long bytesPerSecond() {
      return get(BYTES_PER_SECOND);
    }

    /**
     * Returns true if a table is compacted after many reads have searched it without finding their
     * key. False suits a load that only reads. Default: true.
     *
     * @return true if reads trigger compactions
     */
    public boolean seekTriggered() {
      return get(SEEK_TRIGGERED);
    }

    /** Sets the options about compactions. Not thread-safe. */
    public static final class Builder extends OptionGroup.Builder<Compaction, Builder> {
      private Builder(Compaction group) {
        super(group);
      }

      /**
       * Sets {@link Compaction#filter()}.
       *
       * @param filter the filter, or null for none
       * @return this builder
       */
      public Builder filter(@Nullable CompactionFilter filter) {
        return set(FILTER, filter);
      }

      /**
       * Sets {@link Compaction#maxBackground()}.
       *
       * @param maxBackground the number of compactions, at least 1
       * @return this builder
       * @throws IllegalArgumentException if {@code maxBackground} is less than 1
       */
      public Builder maxBackground(int maxBackground) {
        return set(MAX_BACKGROUND, maxBackground);
      }

      /**
       * Sets {@link Compaction#bytesPerSecond()}.
       *
       * @param bytesPerSecond the limit, 0 for none
       * @return this builder
       * @throws IllegalArgumentException if {@code bytesPerSecond} is negative
       */
      public Builder bytesPerSecond(long bytesPerSecond) {
        return set(BYTES_PER_SECOND, bytesPerSecond);
      }

      /**
       * Sets {@link Compaction#seekTriggered()}.
       *
       * @param seekTriggered true if reads trigger compactions
       * @return this builder
       */
      public Builder seekTriggered(boolean seekTriggered) {
        return set(SEEK_TRIGGERED, seekTriggered);
      }
    }
  }

  /** The options about table files. */
  public static final class Tables extends OptionGroup<Tables> {
    private static final Declared OPTIONS = new Declared("Tables");

    private static final Option<TableSuffix> SUFFIX = OPTIONS.option("suffix", TableSuffix.LDB);
    private static final Option<Boolean> NATIVE_SNAPPY = OPTIONS.option("nativeSnappy", true);
    private static final Option<Boolean> READ_IN_PLACE = OPTIONS.option("readInPlace", false);

    private static final Tables DEFAULT = new Tables(OPTIONS.defaults());

    private Tables(@Nullable Object[] values) {
      super(OPTIONS, values);
    }

    @Override
    Tables of(@Nullable Object[] values) {
      return new Tables(values);
    }

    /**
     * Returns how the files of new tables are named. Tables of either suffix are read, whatever
     * this is. {@link TableSuffix#SST} keeps a directory readable for leveldbjni and iq80's port,
     * if every open that writes uses it. Default: {@link TableSuffix#LDB}.
     *
     * @return the suffix of new tables
     */
    public TableSuffix suffix() {
      return get(SUFFIX);
    }

    /**
     * Returns true if snappy-java's native library compresses blocks, and decompresses those of
     * more than 48 KiB. Otherwise, and if the library does not load, kv's codec in Java does.
     * Default: true.
     *
     * @return true if the native library is used
     */
    public boolean nativeSnappy() {
      return get(NATIVE_SNAPPY);
    }

    /**
     * Returns true if blocks that are not compressed are read where the file is mapped, without the
     * block cache. A lookup searches such a block in the mapping and copies only the value; a
     * cursor copies the block. Its checksum is verified once for each time that its table is
     * opened, and not at each read. So bytes that change on disk after that may give a wrong
     * answer, but a file that is cut short throws. It is made for a database with {@link
     * CompressionType#NONE} whose files fit in the page cache of the system. It has no effect on
     * compressed blocks, on tables that are not mapped (see {@link Memory#maxMappedTables()}), with
     * a comparator other than {@link DBComparator#bytewise()}, and on reads with {@link
     * ReadOptions#fillCache()} set to false. Default: false.
     *
     * @return true if uncompressed blocks of mapped tables are read in place
     */
    public boolean readInPlace() {
      return get(READ_IN_PLACE);
    }

    /** Sets the options about table files. Not thread-safe. */
    public static final class Builder extends OptionGroup.Builder<Tables, Builder> {
      private Builder(Tables group) {
        super(group);
      }

      /**
       * Sets {@link Tables#suffix()}.
       *
       * @param suffix the suffix of new tables
       * @return this builder
       */
      public Builder suffix(TableSuffix suffix) {
        return set(SUFFIX, suffix);
      }

      /**
       * Sets {@link Tables#nativeSnappy()}.
       *
       * @param nativeSnappy true if the native library is used
       * @return this builder
       */
      public Builder nativeSnappy(boolean nativeSnappy) {
        return set(NATIVE_SNAPPY, nativeSnappy);
      }

      /**
       * Sets {@link Tables#readInPlace()}.
       *
       * @param readInPlace true if uncompressed blocks of mapped tables are read in place
       * @return this builder
       */
      public Builder readInPlace(boolean readInPlace) {
        return set(READ_IN_PLACE, readInPlace);
      }
    }
  }

  /** The options about events and logs. */
  public static final class Monitoring extends OptionGroup<Monitoring> {
    private static final Declared OPTIONS = new Declared("Monitoring");

    private static final Option<DBListener> LISTENER = OPTIONS.nullable("listener");
    private static final Option<Duration> SLOW_SYNC =
        OPTIONS.option("slowSync", Duration.ofMillis(100));
    private static final Option<Boolean> INFO_LOG = OPTIONS.option("infoLog", false);
    private static final Option<Boolean> TRACK_ITERATORS =
        OPTIONS.option("trackIterators", Boolean.getBoolean("kv.trackIterators"));

    private static final Monitoring DEFAULT = new Monitoring(OPTIONS.defaults());

    private Monitoring(@Nullable Object[] values) {
      super(OPTIONS, values);
    }

    @Override
    Monitoring of(@Nullable Object[] values) {
      return new Monitoring(values);
    }

    /**
     * Returns the listener that receives the database's events. Default: null, which means none.
     *
     * @return the listener, or null if there is none
     */
    public @Nullable DBListener listener() {
      return find(LISTENER);
    }

    /**
     * Returns how long a sync of the log may take before it is reported as a {@link
     * dev.kv.event.SyncEvent}; zero to report every sync. Default: 100 milliseconds.
     *
     * @return the time
     */
    public Duration slowSync() {
      return get(SLOW_SYNC);
    }

    /**
     * Returns true if the database writes LevelDB's file LOG in its directory: a line for each
     * event. An open renames the file of the open before to LOG.old, as C++ LevelDB does. A failure
     * to write it is logged, and has no other effect. An open for reads only writes none. Default:
     * false.
     *
     * @return true if LOG is written
     */
    public boolean infoLog() {
      return get(INFO_LOG);
    }

    /**
     * Returns true if each iterator records where it was opened, for {@link
     * DBStats.Views#oldestIterators()} and for the warning about iterators that were never closed.
     * That makes opens of iterators several times slower. Default: the system property {@code
     * kv.trackIterators}, which is false unless it is set.
     *
     * @return true if iterators record where they were opened
     */
    public boolean trackIterators() {
      return get(TRACK_ITERATORS);
    }

    /** Sets the options about events and logs. Not thread-safe. */
    public static final class Builder extends OptionGroup.Builder<Monitoring, Builder> {
      private Builder(Monitoring group) {
        super(group);
      }

      /**
       * Sets {@link Monitoring#listener()}.
       *
       * @param listener the listener, or null for none
       * @return this builder
       */
      public Builder listener(@Nullable DBListener listener) {
        return set(LISTENER, listener);
      }

      /**
       * Sets {@link Monitoring#slowSync()}.
       *
       * @param slowSync the time, at most 290 years; zero to report every sync
       * @return this builder
       * @throws IllegalArgumentException if the time is negative, or above 290 years
       */
      public Builder slowSync(Duration slowSync) {
        Objects.requireNonNull(slowSync, "slowSync");
        if (slowSync.isNegative() || slowSync.compareTo(LONGEST_TIME) > 0) {
          throw new IllegalArgumentException(
              "slowSync must be from zero to 290 years: " + slowSync);
        }
        return set(SLOW_SYNC, slowSync);
      }

      /**
       * Sets {@link Monitoring#infoLog()}.
       *
       * @param infoLog true to write LOG
       * @return this builder
       */
      public Builder infoLog(boolean infoLog) {
        return set(INFO_LOG, infoLog);
      }

      /**
       * Sets {@link Monitoring#trackIterators()}.
       *
       * @param trackIterators true if iterators record where they were opened
       * @return this builder
       */
      public Builder trackIterators(boolean trackIterators) {
        return set(TRACK_ITERATORS, trackIterators);
      }
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
  public static final class Builder extends OptionGroup.Builder<Options, Builder> {
    private Builder(Options options) {
      super(options);
    }

    private <G extends OptionGroup<G>, B extends OptionGroup.Builder<G, B>> Builder change(
        Option<G> option, B builder, Consumer<? super B> change) {
      Objects.requireNonNull(change, "change").accept(builder);
      return set(option, builder.options());
    }

    /**
     * Sets {@link Options#createIfMissing()}.
     *
     * @param createIfMissing whether to create the database
     * @return this builder
     */
    public Builder createIfMissing(boolean createIfMissing) {
      return set(CREATE_IF_MISSING, createIfMissing);
    }

    /**
     * Sets {@link Options#errorIfExists()}.
     *
     * @param errorIfExists whether to refuse a database that exists
     * @return this builder
     */
    public Builder errorIfExists(boolean errorIfExists) {
      return set(ERROR_IF_EXISTS, errorIfExists);
    }

    /**
     * Sets {@link Options#recoveryMode()}.
     *
     * @param recoveryMode the mode
     * @return this builder
     */
    public Builder recoveryMode(RecoveryMode recoveryMode) {
      return set(RECOVERY_MODE, recoveryMode);
    }

    /**
     * Sets {@link Options#reuseLogs()}.
     *
     * @param reuseLogs whether to reuse the files
     * @return this builder
     */
    public Builder reuseLogs(boolean reuseLogs) {
      return set(REUSE_LOGS, reuseLogs);
    }

    /**
     * Sets {@link Options#comparator()}.
     *
     * @param comparator the comparator
     * @return this builder
     */
    public Builder comparator(DBComparator comparator) {
      return set(COMPARATOR, comparator);
    }

    /**
     * Sets {@link Options#env()}.
     *
     * @param env the environment, or null for the default
     * @return this builder
     */
    public Builder env(@Nullable Env env) {
      return set(ENV, env);
    }

    /**
     * Sets {@link Options#writeBufferSize()}.
     *
     * @param writeBufferSize the size in bytes
     * @return this builder
     * @throws IllegalArgumentException if {@code writeBufferSize} is negative
     */
    public Builder writeBufferSize(long writeBufferSize) {
      return set(WRITE_BUFFER_SIZE, writeBufferSize);
    }

    /**
     * Sets {@link Options#maxOpenFiles()}.
     *
     * @param maxOpenFiles the number of files
     * @return this builder
     * @throws IllegalArgumentException if {@code maxOpenFiles} is negative
     */
    public Builder maxOpenFiles(int maxOpenFiles) {
      return set(MAX_OPEN_FILES, maxOpenFiles);
    }

    /**
     * Sets {@link Options#maxFileSize()}.
     *
     * @param maxFileSize the size in bytes
     * @return this builder
     * @throws IllegalArgumentException if {@code maxFileSize} is negative
     */
    public Builder maxFileSize(long maxFileSize) {
      return set(MAX_FILE_SIZE, maxFileSize);
    }

    /**
     * Sets {@link Options#blockCacheSize()}.
     *
     * @param blockCacheSize the capacity in bytes, 0 for no cache
     * @return this builder
     * @throws IllegalArgumentException if {@code blockCacheSize} is negative
     */
    public Builder blockCacheSize(long blockCacheSize) {
      return set(BLOCK_CACHE_SIZE, blockCacheSize);
    }

    /**
     * Sets {@link Options#blockSize()}.
     *
     * @param blockSize the size in bytes
     * @return this builder
     * @throws IllegalArgumentException if {@code blockSize} is negative
     */
    public Builder blockSize(long blockSize) {
      return set(BLOCK_SIZE, blockSize);
    }

    /**
     * Sets {@link Options#blockRestartInterval()}.
     *
     * @param blockRestartInterval the number of keys, at least 1
     * @return this builder
     * @throws IllegalArgumentException if {@code blockRestartInterval} is less than 1
     */
    public Builder blockRestartInterval(int blockRestartInterval) {
      return set(BLOCK_RESTART_INTERVAL, blockRestartInterval);
    }

    /**
     * Sets {@link Options#compression()}.
     *
     * @param compression the compression of new blocks
     * @return this builder
     */
    public Builder compression(CompressionType compression) {
      return set(COMPRESSION, compression);
    }

    /**
     * Sets {@link Options#zstdCompressionLevel()}.
     *
     * @param zstdCompressionLevel the level; higher levels are slower and compress better
     * @return this builder
     */
    public Builder zstdCompressionLevel(int zstdCompressionLevel) {
      return set(ZSTD_COMPRESSION_LEVEL, zstdCompressionLevel);
    }

    /**
     * Sets {@link Options#filterPolicy()}.
     *
     * @param filterPolicy the filter policy, or null for none
     * @return this builder
     */
    public Builder filterPolicy(@Nullable FilterPolicy filterPolicy) {
      return set(FILTER_POLICY, filterPolicy);
    }

    /**
     * Sets {@link Options#logRetention()}.
     *
     * @param logRetention the bounds, or null to keep no logs
     * @return this builder
     */
    public Builder logRetention(@Nullable LogRetention logRetention) {
      return set(LOG_RETENTION, logRetention);
    }

    /**
     * Sets {@link Options#sharedResources()}.
     *
     * @param sharedResources the shared resources, or null for none; the caller closes them
     * @return this builder
     */
    public Builder sharedResources(@Nullable SharedResources sharedResources) {
      return set(SHARED_RESOURCES, sharedResources);
    }

    /**
     * Changes {@link Options#memory()}, for example {@code memory(m -> m.offHeapLimit(64L << 20))}.
     *
     * @param change sets options of the group; those that it does not set keep their values
     * @return this builder
     * @throws IllegalArgumentException if a number is out of its range
     */
    public Builder memory(Consumer<? super Memory.Builder> change) {
      return change(MEMORY, new Memory.Builder(options().memory()), change);
    }

    /**
     * Changes {@link Options#compaction()}, for example {@code compaction(c ->
     * c.maxBackground(4))}.
     *
     * @param change sets options of the group; those that it does not set keep their values
     * @return this builder
     * @throws IllegalArgumentException if a number is out of its range
     */
    public Builder compaction(Consumer<? super Compaction.Builder> change) {
      return change(COMPACTION, new Compaction.Builder(options().compaction()), change);
    }

    /**
     * Changes {@link Options#tables()}, for example {@code tables(t -> t.readInPlace(true))}.
     *
     * @param change sets options of the group; those that it does not set keep their values
     * @return this builder
     */
    public Builder tables(Consumer<? super Tables.Builder> change) {
      return change(TABLES, new Tables.Builder(options().tables()), change);
    }

    /**
     * Changes {@link Options#monitoring()}, for example {@code monitoring(m -> m.infoLog(true))}.
     *
     * @param change sets options of the group; those that it does not set keep their values
     * @return this builder
     * @throws IllegalArgumentException if a number is out of its range
     */
    public Builder monitoring(Consumer<? super Monitoring.Builder> change) {
      return change(MONITORING, new Monitoring.Builder(options().monitoring()), change);
    }

    /**
     * Builds the options.
     *
     * @return options with the values of this builder, which may be used further
     * @throws IllegalArgumentException if both {@link Options#logRetention} and {@link
     *     Compaction#filter} are set
     */
    public Options build() {
      Options options = options();
      if (options.logRetention() != null && options.compaction().filter() != null) {
        throw new IllegalArgumentException(
            "logRetention and a compaction filter exclude each other: what a filter drops is not in"
                + " the log, so readers of changes would not see it");
      }
      return options;
    }
  }
}
