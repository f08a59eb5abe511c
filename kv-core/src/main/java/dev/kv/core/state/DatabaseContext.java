package dev.kv.core.state;

import dev.kv.Options;
import dev.kv.SharedResources;
import dev.kv.core.cache.LruCache;
import dev.kv.core.compaction.OutputContext;
import dev.kv.core.env.StickySyncEnv;
import dev.kv.core.event.Events;
import dev.kv.core.key.InternalKeyComparator;
import dev.kv.core.manifest.ManifestContext;
import dev.kv.core.memory.NativeArena;
import dev.kv.core.memory.OffHeapBudget;
import dev.kv.core.memtable.MemTable;
import dev.kv.core.shared.SharedResourcesImpl;
import dev.kv.core.table.TableCache;
import dev.kv.core.table.cache.BlockProvider;
import dev.kv.core.table.cache.CachedBlock;
import dev.kv.core.table.format.TableFormat;
import dev.kv.core.version.FileMetadata;
import dev.kv.env.Env;
import dev.kv.errors.OffHeapExhaustedException;
import java.nio.file.Path;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import java.util.function.LongSupplier;

/**
 * The directory and options of one database, its share of the memory and caches, and its open
 * tables. Thread-safe.
 */
public final class DatabaseContext implements AutoCloseable {
  /** Two memtables may wait for their flush if they are together not larger than this. */
  private static final long LARGEST_TWO_WAITING = 16 << 20;

  private final Path directory;
  private final Options options;
  private final Env env;
  private final Events events;
  private final InternalKeyComparator comparator;
  private final SharedResourcesImpl shared;
  private final TableCache tables;

  /** Creates the context of the database in {@code directory}. The caller closes them. */
  public DatabaseContext(Path directory, Options options) {
    this.directory = directory;
    this.options = options;
    env = new StickySyncEnv(options.env(), directory);
    events = new Events(directory.toString(), options.monitoring().listener());
    comparator = new InternalKeyComparator(options.comparator());
    shared = SharedResourcesImpl.acquire(options);
    tables = new TableCache(directory, options, comparator, shared.tableMemory());
  }

  /** Returns the cache, memory and threads, which other databases may share. */
  public SharedResourcesImpl shared() {
    return shared;
  }

  /** Returns the database's directory. */
  public Path directory() {
    return directory;
  }

  /** Returns the options that the database was opened with. */
  public Options options() {
    return options;
  }

  /** Returns the environment of the options, with syncs of the directory that stay failed. */
  public Env env() {
    return env;
  }

  /** Returns the events of the database. */
  public Events events() {
    return events;
  }

  /** Returns the order of internal keys. */
  public InternalKeyComparator comparator() {
    return comparator;
  }

  /** Returns the budget that counts all off-heap memory. */
  public OffHeapBudget budget() {
    return shared.budget();
  }

  /** Returns a new provider of blocks for tables that the cache does not open. */
  public BlockProvider newBlocks() {
    return shared.tableMemory().newBlocks(options.tables().nativeSnappy());
  }

  /** Returns the block cache, which other databases may share. */
  public LruCache<CachedBlock> blockCache() {
    return shared.blockCache();
  }

  /** Returns the cache of open tables. */
  public TableCache tables() {
    return tables;
  }

  /** Returns the context of the version set. */
  public ManifestContext manifestContext() {
    return new ManifestContext(
        env(), directory, comparator, budget(), options.maxFileSize(), options.reuseLogs());
  }

  /**
   * Returns the context with which jobs write tables.
   *
   * @param env creates the files
   * @param target the directory of the files
   * @param fileNumbers returns numbers for new tables
   * @param verifier opens a table that was just written; throws if it cannot be read
   */
  public OutputContext outputContext(
      Env env, Path target, LongSupplier fileNumbers, Consumer<FileMetadata> verifier) {
    return new OutputContext(
        new OutputContext.Target(env, target, options.tables().suffix(), fileNumbers),
        TableFormat.of(options),
        comparator,
        budget(),
        shared.buildBuffers(),
        () -> TimeUnit.MILLISECONDS.toSeconds(System.currentTimeMillis()),
        verifier);
  }

  /**
   * Returns an empty memtable with room for {@code count} entries with {@code bytes} bytes of keys
   * and values in total. It can grow to at least the write buffer size. If the budget is used up,
   * the cache first drops the entries that are not in use.
   *
   * @param full true if the memtable before it became full, so that this one will probably, too
   */
  public MemTable newMemTable(long bytes, int count, boolean full) {
    long capacity = Math.max(options.writeBufferSize(), MemTable.arenaBytesFor(bytes, count));
    if (capacity > Integer.MAX_VALUE - 8) {
      throw new OffHeapExhaustedException(
          "a batch of " + bytes + " bytes fits no memtable; write it in smaller batches");
    }
    int needed = (int) MemTable.arenaBytesFor(bytes, count);
    return memTable(shared.arenas().acquire(needed, (int) options.writeBufferSize(), full));
  }

  /** Returns a memtable without room for any entry, which uses almost no memory. */
  public MemTable emptyMemTable() {
    return memTable(shared.arenas().acquire(MemTable.EMPTY_ARENA_BYTES));
  }

  /**
   * Returns the maximum number of memtables that may wait for their flush, one or two. With two,
   * writers do not wait for the syncs at the end of a flush, and the flush thread does not wait for
   * the next memtable. Large memtables are flushed too rarely to gain from this. If off-heap memory
   * is limited, two are allowed only if the limit leaves room for a third memtable besides the
   * cache and the jobs.
   */
  int maxWaitingMemTables() {
    SharedResources.Settings settings = shared.settings();
    long size = options.writeBufferSize();
    long jobs = (1 + options.compaction().maxBackground()) * SharedResourcesImpl.JOB_BYTES;
    long limit = settings.offHeapLimit();
    boolean roomForAThird = limit == 0 || 3 * size + settings.blockCacheSize() + jobs <= limit;
    return 2 * size <= LARGEST_TWO_WAITING && roomForAThird ? 2 : 1;
  }

  private MemTable memTable(NativeArena arena) {
    try {
      return new MemTable(comparator, arena, shared.arenas());
    } catch (Throwable e) {
      shared.arenas().release(arena);
      throw e;
    }
  }

  /**
   * Delivers the last events, and frees everything that is not in use; the last user of each
   * remaining resource frees it.
   */
  @Override
  public void close() {
    try (tables;
        events) {
      // closes the events first
    } finally {
      shared.release();
    }
  }
}
