package dev.kv.core.shared;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import dev.kv.Options;
import dev.kv.SharedResources;
import dev.kv.core.cache.LruCache;
import dev.kv.core.memory.ArenaPool;
import dev.kv.core.memory.BlockAllocator;
import dev.kv.core.memory.OffHeapBudget;
import dev.kv.core.table.TableMemory;
import dev.kv.core.table.cache.CachedBlock;
import dev.kv.core.table.cache.MappingQuota;
import dev.kv.core.table.format.BuildBufferPool;
import dev.kv.core.table.mapped.EntryIndexMemory;

/**
 * The block cache, off-heap memory and background threads of one database or of several. Freed when
 * it is closed and its last user has released it. Thread-safe.
 */
public final class SharedResourcesImpl implements SharedResources, OffHeapBudget.Reclaimer {
  /** The usual memory of one flush or compaction: its buffers and the blocks that it reads. */
  public static final long JOB_BYTES = 512 << 10;

  /** Jobs get at most this part of a small limit. */
  private static final int LEAST_SHARE_OF_JOBS = 8;

  private final Settings settings;
  private final OffHeapBudget budget;
  private final BlockAllocator allocator;
  private final ArenaPool arenas;
  private final WriteBuffers writeBuffers;
  private final LruCache<CachedBlock> blockCache;
  private final TableMemory tableMemory;
  private final BuildBufferPool buildBuffers;
  private final RateLimiter compactionRate;
  private final WorkerThreads flushThread = new WorkerThreads("kv-flush", 1);
  private final WorkerThreads maintenanceThread = new WorkerThreads("kv-maintenance", 1);
  private final WorkerThreads compactionThreads;

  @GuardedBy("this")
  private int users;

  @GuardedBy("this")
  private boolean closed;

  /** Creates the resources. The caller closes them. */
  public SharedResourcesImpl(Settings settings) {
    this.settings = settings;
    budget = new OffHeapBudget(settings.offHeapLimit(), memoryForJobs(settings));
    allocator = new BlockAllocator(budget);
    long memtables = limitOfWriteBuffers(settings);
    writeBuffers = new WriteBuffers(memtables);
    arenas = new ArenaPool(budget, memtables, writeBuffers::acquired);
    blockCache = CachedBlock.newCache(allocator, settings.blockCacheSize());
    tableMemory =
        new TableMemory(
            blockCache,
            allocator,
            budget,
            new EntryIndexMemory(budget, settings.blockCacheSize()),
            MappingQuota.ofTheProcess());
    buildBuffers = new BuildBufferPool(budget, 1 + settings.compactionThreads());
    budget.onShortage(this);
    compactionRate = new RateLimiter(settings.compactionBytesPerSecond(), System.nanoTime());
    compactionThreads = new WorkerThreads("kv-compact", settings.compactionThreads());
  }

  private static long memoryForJobs(Settings settings) {
    long jobs = (1 + settings.compactionThreads()) * JOB_BYTES;
    return Math.min(settings.offHeapLimit() / LEAST_SHARE_OF_JOBS, jobs);
  }

  /** Returns the limit of the settings, or else half of what the block cache leaves. */
  private static long limitOfWriteBuffers(Settings settings) {
    long total = settings.offHeapLimit();
    if (settings.writeBufferLimit() != 0) {
      return settings.writeBufferLimit();
    }
    return total == 0 ? Long.MAX_VALUE : Math.max(total - settings.blockCacheSize(), total / 4) / 2;
  }

  /**
   * Returns the resources that {@code options} name, or else new ones that have no other user. The
   * caller releases them.
   *
   * @throws IllegalStateException if they are closed
   */
  public static SharedResourcesImpl acquire(Options options) {
    SharedResources given = options.sharedResources();
    if (given == null) {
      SharedResourcesImpl own =
          new SharedResourcesImpl(
              SharedResources.builder()
                  .blockCacheSize(options.blockCacheSize())
                  .offHeapLimit(options.memory().offHeapLimit())
                  .writeBufferLimit(Long.MAX_VALUE)
                  .compactionThreads(options.compaction().maxBackground())
                  .compactionBytesPerSecond(options.compaction().bytesPerSecond())
                  .settings());
      own.retain();
      own.close();
      return own;
    }
    if (!(given instanceof SharedResourcesImpl shared)) {
      throw new IllegalArgumentException(
          "the shared resources were not created by SharedResources.builder: "
              + given.getClass().getName());
    }
    shared.retain();
    return shared;
  }

  private synchronized void retain() {
    if (closed) {
      throw new IllegalStateException(
          "the shared resources in the options are closed; open databases before you close them");
    }
    users++;
  }

  /** Ends the use by one user. The last one frees the resources if they are closed. */
  public void release() {
    boolean last;
    synchronized (this) {
      if (users-- <= 0) {
        throw new AssertionError("the shared resources were released twice");
      }
      last = closed && users == 0;
    }
    if (last) {
      free();
    }
  }

  @Override
  public void close() {
    boolean unused;
    synchronized (this) {
      unused = !closed && users == 0;
      closed = true;
    }
    if (unused) {
      free();
    }
  }

  /**
   * Ends the threads, and frees everything that is not in use; the last user of each remaining
   * piece frees it. No failure of a step keeps the later ones from running.
   */
  private void free() {
    try (allocator;
        arenas;
        blockCache;
        buildBuffers;
        maintenanceThread;
        compactionThreads) {
      flushThread.close();
    }
  }

  @Override
  public Settings settings() {
    return settings;
  }

  @Override
  public long offHeapUsed() {
    return budget.used();
  }

  @Override
  public synchronized int openDatabases() {
    return users;
  }

  @Override
  public void prune() {
    budget.reclaim();
  }

  /** Frees memory of the budget: the cache drops the entries that are not in use. */
  @Override
  public void trim() {
    blockCache.prune();
    allocator.trim();
  }

  /** Returns the settings for log messages. */
  @Override
  public String toString() {
    return "SharedResources" + settings;
  }

  /** Returns the budget that counts all off-heap memory. */
  public OffHeapBudget budget() {
    return budget;
  }

  /** Returns the arenas of memtables. */
  public ArenaPool arenas() {
    return arenas;
  }

  /** Returns the memtables that are being written. */
  public WriteBuffers writeBuffers() {
    return writeBuffers;
  }

  /** Returns the cache of data blocks. */
  public LruCache<CachedBlock> blockCache() {
    return blockCache;
  }

  /** Returns the memory of open tables. */
  public TableMemory tableMemory() {
    return tableMemory;
  }

  /** Returns the buffers for building tables. */
  public BuildBufferPool buildBuffers() {
    return buildBuffers;
  }

  /** Returns the thread that runs flushes only. */
  public WorkerThreads flushThread() {
    return flushThread;
  }

  /** Returns the rate limit of all compactions together. */
  public RateLimiter compactionRate() {
    return compactionRate;
  }

  /** Returns the threads that run compactions. */
  public WorkerThreads compactionThreads() {
    return compactionThreads;
  }

  /** Returns the thread that does small work. */
  public WorkerThreads maintenanceThread() {
    return maintenanceThread;
  }
}
