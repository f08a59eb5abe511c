package dev.kv;

import dev.kv.errors.OffHeapExhaustedException;
import org.jspecify.annotations.Nullable;

/**
 * Resources that several databases of a process share: a cache of uncompressed blocks, one limit
 * for off-heap memory, and the threads for flushes and compactions. A database uses them if they
 * are in its {@linkplain Options#sharedResources() options}; otherwise it has its own.
 *
 * <pre>{@code
 * try (SharedResources shared =
 *     SharedResources.builder().blockCacheSize(64L << 20).offHeapLimit(256L << 20).build()) {
 *   Options options = Options.builder().createIfMissing(true).sharedResources(shared).build();
 *   try (DB users = DB.open(usersDirectory, options);
 *       DB orders = DB.open(ordersDirectory, options)) {
 *     // ...
 *   }
 * }
 * }</pre>
 *
 * <p><b>Threads.</b> One thread serves flushes only, one does small maintenance work, and {@link
 * Settings#compactionThreads} threads run compactions, whatever the number of databases is. Each
 * thread is started when it first has work. Databases take turns: after one flush or compaction, a
 * database lets the others that have work go first. A database never uses more than {@link
 * Options.Compaction#maxBackground()} of the threads at a time.
 *
 * <p><b>Failures.</b> A database that fails or is closed affects no other: only its own writes
 * throw, and the threads go on with the work of the others.
 *
 * <p><b>Ownership.</b> The creator closes this object. Databases that are open then keep using it,
 * and the last one to be closed frees it; a database cannot be opened with it any more.
 * Thread-safe.
 */
public interface SharedResources extends AutoCloseable {

  /**
   * Returns a builder whose values are the defaults.
   *
   * @return a new builder
   */
  static Builder builder() {
    return new Builder();
  }

  /**
   * Returns the settings that this object was created with.
   *
   * @return the settings
   */
  Settings settings();

  /**
   * Returns the off-heap memory that is in use by all databases together. This includes cached
   * blocks, and memory that is kept for reuse.
   *
   * @return the size in bytes
   */
  long offHeapUsed();

  /**
   * Returns the number of databases and stand-alone tables that are open with this object.
   *
   * @return the number of open databases and tables
   */
  int openDatabases();

  /**
   * Drops the cached blocks that are not in use, and the memory that is only kept for reuse. The
   * blocks of a database that was closed stay in the cache until they are evicted or this is
   * called.
   */
  void prune();

  /**
   * Frees this object, or lets the last open database free it. Waits for the threads to end if no
   * database is open. Closing it twice does nothing.
   */
  @Override
  void close();

  /** The sizes of shared resources. Immutable and thread-safe; made by {@link Builder}. */
  final class Settings extends OptionGroup<Settings> {
    private static final Declared OPTIONS = new Declared("Settings");

    private static final Option<Long> BLOCK_CACHE_SIZE =
        OPTIONS.number("blockCacheSize", Options.DEFAULT.blockCacheSize(), 0);
    private static final Option<Long> OFF_HEAP_LIMIT =
        OPTIONS.number("offHeapLimit", Options.DEFAULT.memory().offHeapLimit(), 0);
    private static final Option<Long> WRITE_BUFFER_LIMIT =
        OPTIONS.number("writeBufferLimit", 0L, 0);
    private static final Option<Integer> COMPACTION_THREADS =
        OPTIONS.number("compactionThreads", Options.DEFAULT.compaction().maxBackground(), 1);
    private static final Option<Long> COMPACTION_BYTES_PER_SECOND =
        OPTIONS.number("compactionBytesPerSecond", 0L, 0);

    private static final Settings DEFAULT = new Settings(OPTIONS.defaults());

    private static final int MOST_THREADS = 1024;

    private Settings(@Nullable Object[] values) {
      super(OPTIONS, values);
    }

    @Override
    Settings of(@Nullable Object[] values) {
      return new Settings(values);
    }

    /**
     * Returns the capacity of the block cache; 0 caches nothing. Default: 8 MiB.
     *
     * @return the capacity in bytes
     */
    public long blockCacheSize() {
      return get(BLOCK_CACHE_SIZE);
    }

    /**
     * Returns the limit for the off-heap memory of all databases together, all kinds, with the
     * block cache; 0 for none. If it is reached, a write waits for memory or throws {@link
     * OffHeapExhaustedException}, as {@link Options.Memory#offHeapLimit()} says. Default: 0.
     *
     * @return the limit in bytes
     */
    public long offHeapLimit() {
      return get(OFF_HEAP_LIMIT);
    }

    /**
     * Returns the limit for the memtables that all databases are writing to. If they take more
     * together, some are flushed before they reach {@link Options#writeBufferSize()}: the largest
     * and oldest first. Memtables whose flush has begun count no more. Default: 0, which means half
     * of what the block cache leaves of {@link #offHeapLimit()} and at least an eighth of that, or
     * no limit if there is no {@code offHeapLimit}.
     *
     * @return the limit in bytes
     */
    public long writeBufferLimit() {
      return get(WRITE_BUFFER_LIMIT);
    }

    /**
     * Returns the number of threads for compactions, 1 to 1,024. Default: 2.
     *
     * @return the number of threads
     */
    public int compactionThreads() {
      return get(COMPACTION_THREADS);
    }

    /**
     * Returns the limit for what the compactions of all databases together write in a second; 0 for
     * none. See {@link Options.Compaction#bytesPerSecond()}. Default: 0.
     *
     * @return the limit in bytes
     */
    public long compactionBytesPerSecond() {
      return get(COMPACTION_BYTES_PER_SECOND);
    }
  }

  /** Builds {@link SharedResources}. Not thread-safe. */
  final class Builder extends OptionGroup.Builder<Settings, Builder> {
    private Builder() {
      super(Settings.DEFAULT);
    }

    /**
     * Sets {@link Settings#blockCacheSize()}.
     *
     * @param blockCacheSize the capacity in bytes, 0 for no cache
     * @return this builder
     * @throws IllegalArgumentException if {@code blockCacheSize} is negative
     */
    public Builder blockCacheSize(long blockCacheSize) {
      return set(Settings.BLOCK_CACHE_SIZE, blockCacheSize);
    }

    /**
     * Sets {@link Settings#offHeapLimit()}.
     *
     * @param offHeapLimit the limit in bytes, 0 for none; a long such as {@code 4L << 30}, because
     *     the int {@code 4 << 30} is 0
     * @return this builder
     * @throws IllegalArgumentException if {@code offHeapLimit} is negative
     */
    public Builder offHeapLimit(long offHeapLimit) {
      return set(Settings.OFF_HEAP_LIMIT, offHeapLimit);
    }

    /**
     * Sets {@link Settings#writeBufferLimit()}.
     *
     * @param writeBufferLimit the limit in bytes, 0 for the default
     * @return this builder
     * @throws IllegalArgumentException if {@code writeBufferLimit} is negative
     */
    public Builder writeBufferLimit(long writeBufferLimit) {
      return set(Settings.WRITE_BUFFER_LIMIT, writeBufferLimit);
    }

    /**
     * Sets {@link Settings#compactionThreads()}.
     *
     * @param compactionThreads the number of threads, 1 to 1,024
     * @return this builder
     * @throws IllegalArgumentException if there are too few or too many threads
     */
    public Builder compactionThreads(int compactionThreads) {
      if (compactionThreads > Settings.MOST_THREADS) {
        throw new IllegalArgumentException(
            "compactionThreads is "
                + compactionThreads
                + ", must be at most "
                + Settings.MOST_THREADS);
      }
      return set(Settings.COMPACTION_THREADS, compactionThreads);
    }

    /**
     * Sets {@link Settings#compactionBytesPerSecond()}.
     *
     * @param compactionBytesPerSecond the limit in bytes, 0 for none
     * @return this builder
     * @throws IllegalArgumentException if {@code compactionBytesPerSecond} is negative
     */
    public Builder compactionBytesPerSecond(long compactionBytesPerSecond) {
      return set(Settings.COMPACTION_BYTES_PER_SECOND, compactionBytesPerSecond);
    }

    /**
     * Returns the values of this builder.
     *
     * @return the settings
     */
    public Settings settings() {
      return options();
    }

    /**
     * Creates the resources. Starts no thread.
     *
     * @return new resources, which the caller closes
     */
    public SharedResources build() {
      return DBFactory.instance().newSharedResources(settings());
    }
  }
}
