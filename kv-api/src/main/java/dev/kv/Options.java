package dev.kv;

import dev.kv.env.Env;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * How a database is opened: LevelDB's options and defaults. Immutable; made by {@link #builder()}.
 *
 * <p>Numbers outside a range are clipped as LevelDB does, and the open logs it; nonsense (null,
 * negative sizes) is an {@link IllegalArgumentException} or {@link NullPointerException} at the
 * builder.
 */
public final class Options {
  /** LevelDB's defaults. */
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
  private final @Nullable BlockCache blockCache;
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
  private final int maxBackgroundCompactions;
  private final long offHeapLimit;

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
    blockCache = builder.blockCache;
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
    maxBackgroundCompactions = builder.maxBackgroundCompactions;
    offHeapLimit = builder.offHeapLimit;
  }

  /** Returns a builder with the defaults. */
  public static Builder builder() {
    return new Builder();
  }

  /** Returns a builder with these values. */
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
    builder.blockCache = blockCache;
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
    builder.maxBackgroundCompactions = maxBackgroundCompactions;
    builder.offHeapLimit = offHeapLimit;
    return builder;
  }

  /** Returns whether a database is created where there is none. */
  public boolean createIfMissing() {
    return createIfMissing;
  }

  /** Returns whether the open fails where there is a database already. */
  public boolean errorIfExists() {
    return errorIfExists;
  }

  /**
   * Returns whether anything but a torn last log record fails the open ({@link
   * RecoveryMode#STRICT}), and a compaction that meets a damaged table makes the database read-only
   * rather than leave that table where it is.
   */
  public boolean paranoidChecks() {
    return paranoidChecks;
  }

  /**
   * Returns whether the database is opened without LOCK and without writing anything: logs are
   * replayed into memory. Works beside a live writer, on the state at the open.
   */
  public boolean readOnly() {
    return readOnly;
  }

  /**
   * Returns whether an open goes on appending to the last log and MANIFEST where they end on a
   * record boundary.
   */
  public boolean reuseLogs() {
    return reuseLogs;
  }

  /** Returns what an open does with damage in a log. */
  public RecoveryMode recoveryMode() {
    return recoveryMode;
  }

  /** Returns the order of the keys; its name must be the one that the database was created with. */
  public DBComparator comparator() {
    return comparator;
  }

  /**
   * Returns the operating system as the database sees it; null in the builder means {@link
   * Env#fileSystem()}.
   */
  public Env env() {
    return env == null ? Env.fileSystem() : env;
  }

  /** Returns the bytes of a memtable before it is flushed; clipped to 64 KiB..1 GiB. */
  public int writeBufferSize() {
    return writeBufferSize;
  }

  /** Returns how many files may be open at once; clipped to 74..50000. */
  public int maxOpenFiles() {
    return maxOpenFiles;
  }

  /**
   * Returns how many tables are mapped, the others being read by position; -1: a quarter of
   * vm.max_map_count, at most 1000; 0 maps none.
   */
  public int maxMappedTables() {
    return maxMappedTables;
  }

  /**
   * Returns the cache to use, for databases that share one; null: the database makes its own of
   * {@link #blockCacheSize()}.
   */
  public @Nullable BlockCache blockCache() {
    return blockCache;
  }

  /**
   * Returns the capacity in bytes of the database's own cache; 0 caches nothing. Without effect
   * with {@link #blockCache()}.
   */
  public long blockCacheSize() {
    return blockCacheSize;
  }

  /** Returns the bytes of a block before compression; clipped to 1 KiB..4 MiB. */
  public int blockSize() {
    return blockSize;
  }

  /** Returns how many keys share prefixes between restart points; at least 1. */
  public int blockRestartInterval() {
    return blockRestartInterval;
  }

  /** Returns the bytes after which a compaction begins another table; clipped to 1 MiB..1 GiB. */
  public int maxFileSize() {
    return maxFileSize;
  }

  /** Returns how new blocks are compressed; blocks of any kind are read. */
  public CompressionType compression() {
    return compression;
  }

  /** Returns the level for {@link CompressionType#ZSTD}; clipped to -5..22. */
  public int zstdCompressionLevel() {
    return zstdCompressionLevel;
  }

  /**
   * Returns how the files of new tables are named.
   *
   * @return the suffix of new tables; tables of either suffix are read
   */
  public TableSuffix tableSuffix() {
    return tableSuffix;
  }

  /**
   * Returns whether snappy-java is used where its library loads; false, or where it does not, a
   * codec in Java.
   */
  public boolean nativeSnappy() {
    return nativeSnappy;
  }

  /** Returns the filter that new tables get and that reads probe, or null for none. */
  public @Nullable FilterPolicy filterPolicy() {
    return filterPolicy;
  }

  /**
   * Returns whether a table that many reads touch in vain is compacted; false suits loads that only
   * read.
   */
  public boolean seekCompaction() {
    return seekCompaction;
  }

  /** Returns how many compactions of disjoint ranges run at once; at least 1. */
  public int maxBackgroundCompactions() {
    return maxBackgroundCompactions;
  }

  /**
   * Returns the most bytes the database may hold off the heap, all kinds together; 0: no limit but
   * the JVM's. When it is spent, a write throws {@link OffHeapExhaustedException} before it is
   * logged, and reads bypass the cache.
   */
  public long offHeapLimit() {
    return offHeapLimit;
  }

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
    private @Nullable BlockCache blockCache;
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
    private int maxBackgroundCompactions = 2;
    private long offHeapLimit = 0;

    private Builder() {}

    /** Sets whether a database is created where there is none. Default {@code false}. */
    public Builder createIfMissing(boolean createIfMissing) {
      this.createIfMissing = createIfMissing;
      return this;
    }

    /** Sets whether the open fails where there is a database already. Default {@code false}. */
    public Builder errorIfExists(boolean errorIfExists) {
      this.errorIfExists = errorIfExists;
      return this;
    }

    /**
     * Sets whether anything but a torn last log record fails the open ({@link
     * RecoveryMode#STRICT}), and a compaction that meets a damaged table makes the database
     * read-only rather than leave that table where it is. Default {@code false}.
     */
    public Builder paranoidChecks(boolean paranoidChecks) {
      this.paranoidChecks = paranoidChecks;
      return this;
    }

    /**
     * Sets whether the database is opened without LOCK and without writing anything: logs are
     * replayed into memory. Works beside a live writer, on the state at the open. Default {@code
     * false}.
     */
    public Builder readOnly(boolean readOnly) {
      this.readOnly = readOnly;
      return this;
    }

    /**
     * Sets whether an open goes on appending to the last log and MANIFEST where they end on a
     * record boundary. Default {@code false}.
     */
    public Builder reuseLogs(boolean reuseLogs) {
      this.reuseLogs = reuseLogs;
      return this;
    }

    /** Sets what an open does with damage in a log. Default {@code RecoveryMode.TORN_WRITES}. */
    public Builder recoveryMode(RecoveryMode recoveryMode) {
      this.recoveryMode = Objects.requireNonNull(recoveryMode, "recoveryMode");
      return this;
    }

    /**
     * Sets the order of the keys; its name must be the one that the database was created with.
     * Default {@code DBComparator.bytewise()}.
     */
    public Builder comparator(DBComparator comparator) {
      this.comparator = Objects.requireNonNull(comparator, "comparator");
      return this;
    }

    /**
     * Sets the operating system as the database sees it; null in the builder means {@link
     * Env#fileSystem()}. Default none.
     */
    public Builder env(@Nullable Env env) {
      this.env = env;
      return this;
    }

    /**
     * Sets the bytes of a memtable before it is flushed; clipped to 64 KiB..1 GiB. Default {@code 4
     * << 20}.
     */
    public Builder writeBufferSize(int writeBufferSize) {
      this.writeBufferSize =
          clip(atLeast("writeBufferSize", writeBufferSize, 0), 65536, 1073741824);
      return this;
    }

    /** Sets how many files may be open at once; clipped to 74..50000. Default {@code 1000}. */
    public Builder maxOpenFiles(int maxOpenFiles) {
      this.maxOpenFiles = clip(atLeast("maxOpenFiles", maxOpenFiles, 0), 74, 50000);
      return this;
    }

    /**
     * Sets how many tables are mapped, the others being read by position; -1: a quarter of
     * vm.max_map_count, at most 1000; 0 maps none. Default {@code -1}.
     */
    public Builder maxMappedTables(int maxMappedTables) {
      this.maxMappedTables = atLeast("maxMappedTables", maxMappedTables, -1);
      return this;
    }

    /**
     * Sets the cache to use, for databases that share one; null: the database makes its own of
     * {@link #blockCacheSize()}. Default none.
     */
    public Builder blockCache(@Nullable BlockCache blockCache) {
      this.blockCache = blockCache;
      return this;
    }

    /**
     * Sets the capacity in bytes of the database's own cache; 0 caches nothing. Without effect with
     * {@link #blockCache()}. Default {@code 8L << 20}.
     */
    public Builder blockCacheSize(long blockCacheSize) {
      this.blockCacheSize = atLeast("blockCacheSize", blockCacheSize, 0);
      return this;
    }

    /**
     * Sets the bytes of a block before compression; clipped to 1 KiB..4 MiB. Default {@code 4096}.
     */
    public Builder blockSize(int blockSize) {
      this.blockSize = clip(atLeast("blockSize", blockSize, 0), 1024, 4194304);
      return this;
    }

    /** Sets how many keys share prefixes between restart points; at least 1. Default {@code 16}. */
    public Builder blockRestartInterval(int blockRestartInterval) {
      this.blockRestartInterval = atLeast("blockRestartInterval", blockRestartInterval, 1);
      return this;
    }

    /**
     * Sets the bytes after which a compaction begins another table; clipped to 1 MiB..1 GiB.
     * Default {@code 2 << 20}.
     */
    public Builder maxFileSize(int maxFileSize) {
      this.maxFileSize = clip(atLeast("maxFileSize", maxFileSize, 0), 1048576, 1073741824);
      return this;
    }

    /**
     * Sets how new blocks are compressed; blocks of any kind are read. Default {@code
     * CompressionType.SNAPPY}.
     */
    public Builder compression(CompressionType compression) {
      this.compression = Objects.requireNonNull(compression, "compression");
      return this;
    }

    /** Sets the level for {@link CompressionType#ZSTD}; clipped to -5..22. Default {@code 1}. */
    public Builder zstdCompressionLevel(int zstdCompressionLevel) {
      this.zstdCompressionLevel = clip(zstdCompressionLevel, -5, 22);
      return this;
    }

    /**
     * Sets how the files of new tables are named. {@link TableSuffix#SST} keeps a directory
     * readable for leveldbjni and iq80's port, if it holds for every open that writes. Default
     * {@code TableSuffix.LDB}.
     *
     * @param tableSuffix the suffix of new tables
     * @return this builder
     */
    public Builder tableSuffix(TableSuffix tableSuffix) {
      this.tableSuffix = Objects.requireNonNull(tableSuffix, "tableSuffix");
      return this;
    }

    /**
     * Sets whether snappy-java is used where its library loads; false, or where it does not, a
     * codec in Java. Default {@code true}.
     */
    public Builder nativeSnappy(boolean nativeSnappy) {
      this.nativeSnappy = nativeSnappy;
      return this;
    }

    /** Sets the filter that new tables get and that reads probe, or null for none. Default none. */
    public Builder filterPolicy(@Nullable FilterPolicy filterPolicy) {
      this.filterPolicy = filterPolicy;
      return this;
    }

    /**
     * Sets whether a table that many reads touch in vain is compacted; false suits loads that only
     * read. Default {@code true}.
     */
    public Builder seekCompaction(boolean seekCompaction) {
      this.seekCompaction = seekCompaction;
      return this;
    }

    /** Sets how many compactions of disjoint ranges run at once; at least 1. Default {@code 2}. */
    public Builder maxBackgroundCompactions(int maxBackgroundCompactions) {
      this.maxBackgroundCompactions =
          atLeast("maxBackgroundCompactions", maxBackgroundCompactions, 1);
      return this;
    }

    /**
     * Sets the most bytes the database may hold off the heap, all kinds together; 0: no limit but
     * the JVM's. When it is spent, a write throws {@link OffHeapExhaustedException} before it is
     * logged, and reads bypass the cache. Default {@code 0}.
     */
    public Builder offHeapLimit(long offHeapLimit) {
      this.offHeapLimit = atLeast("offHeapLimit", offHeapLimit, 0);
      return this;
    }

    /** Returns the options. */
    public Options build() {
      return new Options(this);
    }

    private static int clip(int value, int min, int max) {
      return Math.max(min, Math.min(max, value));
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
