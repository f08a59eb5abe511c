package dev.kv;

import dev.kv.errors.OffHeapExhaustedException;

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

  /**
   * The sizes of shared resources.
   *
   * @param blockCacheSize the capacity of the block cache in bytes; 0 caches nothing. Default: 8
   *     MiB
   * @param offHeapLimit the limit in bytes for the off-heap memory of all databases together, all
   *     kinds, with the block cache; 0 for none. If it is reached, writes throw {@link
   *     OffHeapExhaustedException} before they are logged, and reads bypass the cache. Default: 0
   * @param writeBufferLimit the limit in bytes for the memtables that all databases are writing to.
   *     If they take more together, some are flushed before they reach {@link
   *     Options#writeBufferSize()}: the largest and oldest first. Memtables whose flush has begun
   *     count no more. Default: 0, which means half of what the block cache leaves of {@code
   *     offHeapLimit} and at least an eighth of that, or no limit if there is no {@code
   *     offHeapLimit}
   * @param compactionThreads the number of threads for compactions, 1 to 1,024. Default: 2
   * @param compactionBytesPerSecond the limit in bytes for what the compactions of all databases
   *     together write in a second; 0 for none. See {@link Options.Compaction#bytesPerSecond()}.
   *     Default: 0
   */
  record Settings(
      long blockCacheSize,
      long offHeapLimit,
      long writeBufferLimit,
      int compactionThreads,
      long compactionBytesPerSecond) {
    /**
     * Creates settings.
     *
     * @param blockCacheSize the capacity of the block cache in bytes
     * @param offHeapLimit the limit in bytes for the off-heap memory; 0 for none
     * @param writeBufferLimit the limit in bytes for the memtables that are being written; 0 for
     *     the default
     * @param compactionThreads the number of threads for compactions, 1 to 1,024
     * @param compactionBytesPerSecond the limit in bytes for what compactions write in a second; 0
     *     for none
     * @throws IllegalArgumentException if a value is too small, or there are too many threads
     */
    public Settings {
      atLeast("blockCacheSize", blockCacheSize, 0);
      atLeast("offHeapLimit", offHeapLimit, 0);
      atLeast("writeBufferLimit", writeBufferLimit, 0);
      atLeast("compactionThreads", compactionThreads, 1);
      if (compactionThreads > MOST_THREADS) {
        throw new IllegalArgumentException(
            "compactionThreads is " + compactionThreads + ", must be at most " + MOST_THREADS);
      }
      atLeast("compactionBytesPerSecond", compactionBytesPerSecond, 0);
    }

    private static final int MOST_THREADS = 1024;

    private static void atLeast(String name, long value, long min) {
      if (value < min) {
        throw new IllegalArgumentException(name + " is " + value + ", must be at least " + min);
      }
    }
  }

  /** Builds {@link SharedResources}. Not thread-safe. */
  final class Builder {
    private long blockCacheSize = Options.DEFAULT.blockCacheSize();
    private long offHeapLimit = Options.DEFAULT.memory().offHeapLimit();
    private long writeBufferLimit;
    private int compactionThreads = Options.DEFAULT.compaction().maxBackground();
    private long compactionBytesPerSecond;

    private Builder() {}

    /**
     * Sets {@link Settings#blockCacheSize()}.
     *
     * @param blockCacheSize the capacity in bytes, 0 for no cache
     * @return this builder
     */
    public Builder blockCacheSize(long blockCacheSize) {
      this.blockCacheSize = blockCacheSize;
      return this;
    }

    /**
     * Sets {@link Settings#offHeapLimit()}.
     *
     * @param offHeapLimit the limit in bytes, 0 for none; a long such as {@code 4L << 30}, because
     *     the int {@code 4 << 30} is 0
     * @return this builder
     */
    public Builder offHeapLimit(long offHeapLimit) {
      this.offHeapLimit = offHeapLimit;
      return this;
    }

    /**
     * Sets {@link Settings#writeBufferLimit()}.
     *
     * @param writeBufferLimit the limit in bytes, 0 for the default
     * @return this builder
     */
    public Builder writeBufferLimit(long writeBufferLimit) {
      this.writeBufferLimit = writeBufferLimit;
      return this;
    }

    /**
     * Sets {@link Settings#compactionThreads()}.
     *
     * @param compactionThreads the number of threads, 1 to 1,024
     * @return this builder
     */
    public Builder compactionThreads(int compactionThreads) {
      this.compactionThreads = compactionThreads;
      return this;
    }

    /**
     * Sets {@link Settings#compactionBytesPerSecond()}.
     *
     * @param compactionBytesPerSecond the limit in bytes, 0 for none
     * @return this builder
     */
    public Builder compactionBytesPerSecond(long compactionBytesPerSecond) {
      this.compactionBytesPerSecond = compactionBytesPerSecond;
      return this;
    }

    /**
     * Creates the resources. Starts no thread.
     *
     * @return new resources, which the caller closes
     * @throws IllegalArgumentException if a value is too small, or there are too many threads
     */
    public SharedResources build() {
      return DBFactory.instance()
          .newSharedResources(
              new Settings(
                  blockCacheSize,
                  offHeapLimit,
                  writeBufferLimit,
                  compactionThreads,
                  compactionBytesPerSecond));
    }
  }
}
