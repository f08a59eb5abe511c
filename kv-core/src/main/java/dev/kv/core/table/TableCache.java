package dev.kv.core.table;

import dev.kv.DBClosedException;
import dev.kv.DBIOException;
import dev.kv.Escape;
import dev.kv.Options;
import dev.kv.TableSuffix;
import dev.kv.core.cache.CacheHandle;
import dev.kv.core.cache.Loader;
import dev.kv.core.cache.LruCache;
import dev.kv.core.env.FileNames;
import dev.kv.core.key.InternalKeyComparator;
import dev.kv.core.key.LookupKey;
import dev.kv.core.memory.BlockAllocator;
import dev.kv.core.memory.OffHeapBudget;
import dev.kv.core.memory.ValueRef;
import dev.kv.core.table.cache.BlockCacheImpl;
import dev.kv.core.table.cache.BlockProvider;
import dev.kv.core.table.cache.MappingQuota;
import dev.kv.core.table.cache.ReadFlags;
import dev.kv.core.table.cache.TableFile;
import dev.kv.core.version.FileMetadata;
import dev.kv.env.Env;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;

/**
 * The open tables of a database: at most {@link Options#maxOpenFiles} less {@value #OTHER_FILES} at
 * a time, and those pinned. Thread-safe.
 *
 * <p>A file's metadata remembers the handle of its open table without a pin; a read takes the pin
 * with one compare-and-set, and looks into the cache only if that fails.
 */
public final class TableCache implements AutoCloseable {
  /** Files that are open besides tables: logs, MANIFEST, LOCK and some to spare. */
  private static final int OTHER_FILES = 10;

  /** The number of the cache's only name space. */
  private static final long TABLES = 1;

  /** Table numbers below 2^this make their own name in the block cache; see {@link #blockId}. */
  private static final int NUMBER_BITS = 40;

  private final Path directory;
  private final Env env;
  private final Options options;
  private final InternalKeyComparator comparator;
  private final LruCache<TableReader> tables;
  private final BlockProvider blocks;
  private final MappingQuota quota;
  private final OffHeapBudget budget;

  /** The suffix of new tables. Tables with the other suffix are looked for second. */
  private final TableSuffix suffix;

  private final long databaseId;
  private volatile boolean closed;

  /**
   * Creates the cache of the tables in {@code directory}.
   *
   * @param blockCache where data blocks are cached; its owner closes it, after this cache
   * @param allocator where indexes, filters and uncached blocks get memory
   */
  public TableCache(
      Path directory,
      Options options,
      InternalKeyComparator comparator,
      BlockCacheImpl blockCache,
      BlockAllocator allocator,
      OffHeapBudget budget) {
    this.directory = directory;
    this.options = options;
    this.env = options.env();
    this.comparator = comparator;
    this.budget = budget;
    this.suffix = options.tableSuffix();
    this.tables = new LruCache<>(options.maxOpenFiles() - OTHER_FILES, 0);
    this.blocks = new BlockProvider(blockCache, allocator, budget, options.nativeSnappy());
    this.quota = new MappingQuota(options.maxMappedTables());
    this.databaseId = blockCache.blocks().newId();
  }

  /** Returns the pin of a file's open table; the caller closes it. */
  @SuppressWarnings("unchecked")
  public CacheHandle<TableReader> acquire(FileMetadata file) {
    CacheHandle<?> remembered = file.tableHandle();
    if (remembered != null) {
      CacheHandle<TableReader> handle = (CacheHandle<TableReader>) remembered;
      if (handle.tryPin()) {
        return handle;
      }
    }
    return acquireSlowly(file);
  }

  private CacheHandle<TableReader> acquireSlowly(FileMetadata file) {
    if (closed) {
      throw new DBClosedException("the database is closed");
    }
    CacheHandle<TableReader> handle = tables.acquire(TABLES, file.number(), new TableLoader(file));
    file.setTableHandle(handle);
    return handle;
  }

  /** Looks a key up in a file; see {@link TableReader#get}. */
  public int get(
      FileMetadata file,
      LookupKey key,
      boolean verify,
      boolean fill,
      PointRead context,
      ValueRef out) {
    CacheHandle<TableReader> table = acquire(file);
    try {
      return table.value().get(key, ReadFlags.of(verify, fill), context, out);
    } finally {
      table.close();
    }
  }

  /** Returns a new cursor over a file's entries, which pins the table until it is closed. */
  public TableIterator iterator(FileMetadata file, boolean verify, boolean fill) {
    CacheHandle<TableReader> table = acquire(file);
    return table.value().iterator(ReadFlags.of(verify, fill), table);
  }

  /** Returns the approximate offset in the file at which the data before {@code key} end. */
  public long approximateOffsetOf(FileMetadata file, ByteBuffer key, int offset, int length) {
    CacheHandle<TableReader> table = acquire(file);
    try {
      return table.value().approximateOffsetOf(key, offset, length);
    } finally {
      table.close();
    }
  }

  /** Returns a new context for {@link #get}; the caller closes it. */
  public PointRead newPointRead() {
    return new PointRead(comparator, budget);
  }

  /** Drops an obsolete table and its blocks. What is pinned is freed after its last pin. */
  public void evict(long fileNumber) {
    tables.erase(TABLES, fileNumber);
    blocks.cache().blocks().eraseAll(blockId(fileNumber));
  }

  /** Returns how many tables are open, or about to be closed. */
  public long openTables() {
    return tables.totalCharge();
  }

  /** Returns how many bytes of open tables are mapped into memory. */
  public long mappedBytes() {
    return quota.bytes();
  }

  /**
   * Closes every table that is not pinned, the others with their last pin. From now on no table is
   * opened: reads throw {@link DBClosedException}.
   */
  @Override
  public void close() {
    closed = true;
    tables.close();
    blocks.close();
  }

  /**
   * Returns the name space of a table's blocks in the block cache. It is the table's for good, so
   * that they outlast a closing of the file; the database's own part keeps those of databases that
   * share a cache apart. A number too large for that, which only a forged MANIFEST holds, gets a
   * new one.
   */
  private long blockId(long fileNumber) {
    return fileNumber >>> NUMBER_BITS == 0
        ? databaseId << NUMBER_BITS | fileNumber
        : blocks.cache().blocks().newId();
  }

  private TableReader open(FileMetadata file) {
    TableFile opened;
    try {
      opened = openFile(file.number());
    } catch (NoSuchFileException e) {
      throw new DBIOException("a table is missing: " + name(file.number()), e);
    } catch (IOException e) {
      throw new DBIOException("cannot open table " + name(file.number()) + ": " + e, e);
    }
    TableFile sized = opened;
    boolean done = false;
    try {
      sized = opened.ofSize(file.size());
      done = true;
    } finally {
      if (!done) {
        opened.close();
      }
    }
    return TableReader.open(
        sized, blockId(file.number()), comparator, options.filterPolicy(), blocks, file);
  }

  private TableFile openFile(long number) throws IOException {
    try {
      return TableFile.open(env, FileNames.table(directory, number, suffix), quota);
    } catch (NoSuchFileException e) {
      return TableFile.open(env, FileNames.table(directory, number, suffix.other()), quota);
    }
  }

  private String name(long number) {
    return Escape.text(FileNames.table(directory, number, suffix).toString());
  }

  /** Opens one table. */
  private final class TableLoader implements Loader<TableReader> {
    private final FileMetadata file;

    TableLoader(FileMetadata file) {
      this.file = file;
    }

    @Override
    public TableReader load(long id, long key) {
      return open(file);
    }
  }
}
