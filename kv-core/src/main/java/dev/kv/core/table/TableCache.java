package dev.kv.core.table;

import dev.kv.Options;
import dev.kv.bytes.Escape;
import dev.kv.core.cache.CacheHandle;
import dev.kv.core.cache.LruCache;
import dev.kv.core.env.FileNames;
import dev.kv.core.key.InternalKeyComparator;
import dev.kv.core.key.LookupKey;
import dev.kv.core.memory.OffHeapBudget;
import dev.kv.core.memory.Pinned;
import dev.kv.core.memory.ValueRef;
import dev.kv.core.table.cache.BlockProvider;
import dev.kv.core.table.cache.LookupCounts;
import dev.kv.core.table.cache.MappingQuota;
import dev.kv.core.table.cache.ReadFlags;
import dev.kv.core.table.cache.TableFile;
import dev.kv.core.table.cache.TableLookup;
import dev.kv.core.table.cache.TablePath;
import dev.kv.core.table.cache.UncachedBlock;
import dev.kv.core.table.format.TableProperties;
import dev.kv.core.table.mapped.EntryIndexMemory;
import dev.kv.core.version.FileMetadata;
import dev.kv.core.version.Version;
import dev.kv.env.Env;
import dev.kv.env.RandomAccessFile;
import dev.kv.errors.DBClosedException;
import dev.kv.errors.DBIOException;
import dev.kv.options.TableSuffix;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The cache of open tables of a database: at most {@link Options#maxOpenFiles} minus {@value
 * #OTHER_FILES} tables, plus those that are pinned. Thread-safe.
 *
 * <p>A read of a version needs no pin of its own, and so writes to nothing that other readers use,
 * if the limit suffices for all tables of the version. Then the version keeps a pin of each table
 * that was read, until the version is freed, see {@link Version#keepPin}. No table is closed under
 * a reader, because the reader has a pin of its read state, which is an owner of the version.
 */
public final class TableCache implements AutoCloseable {
  /**
   * The number of files reserved for others than tables: logs, MANIFEST, LOCK and some spare ones.
   */
  private static final int OTHER_FILES = 10;

  /** The number of the cache's only name space. */
  private static final long TABLES = 1;

  /**
   * Table numbers below 2 to the power of this get a fixed id in the block cache; see {@link
   * #blockId}.
   */
  private static final int NUMBER_BITS = 40;

  private final Path directory;
  private final Env env;
  private final Options options;
  private final InternalKeyComparator comparator;
  private final LruCache<Table> tables;
  private final BlockProvider blocks;
  private final MappingQuota quota;
  private final @Nullable EntryIndexMemory entryIndexes;
  private final OffHeapBudget budget;

  /** The suffix of new tables. A table is searched with this suffix first, then with the other. */
  private final TableSuffix suffix;

  private final long databaseId;
  private volatile boolean closed;

  /**
   * Creates the cache of the tables in {@code directory}.
   *
   * @param memory the memory of the tables; its owner closes it, after this cache
   */
  public TableCache(
      Path directory, Options options, InternalKeyComparator comparator, TableMemory memory) {
    this.directory = directory;
    this.options = options;
    this.env = options.env();
    this.comparator = comparator;
    this.budget = memory.budget();
    this.suffix = options.tables().suffix();
    this.tables = new LruCache<>(options.maxOpenFiles() - OTHER_FILES, 0);
    this.blocks = memory.newBlocks(options.tables().nativeSnappy());
    this.quota = new MappingQuota(options.memory().maxMappedTables(), memory.mappings());
    this.entryIndexes = options.tables().readInPlace() ? memory.entryIndexes() : null;
    this.databaseId = memory.blocks().newId();
  }

  /** Returns the order of the internal keys. */
  public InternalKeyComparator comparator() {
    return comparator;
  }

  /**
   * Returns the open table of a file, pinned; the caller closes the pin. Opens the table if it is
   * not in the cache.
   */
  public CacheHandle<Table> acquire(FileMetadata file) {
    if (closed) {
      throw new DBClosedException("the database is closed");
    }
    return tables.acquire(TABLES, file.number(), (id, number) -> open(file));
  }

  /**
   * Returns a table that stays open as long as the caller has an owner of the version; null if the
   * limit does not suffice for that.
   */
  private @Nullable Table tableOf(Version version, int level, int index) {
    Pinned pin = version.pin(level, index);
    if (pin == null) {
      if (version.fileCount() > tables.capacity() || tables.totalCharge() > tables.capacity()) {
        return null;
      }
      pin = version.keepPin(level, index, acquire(version.file(level, index)));
    }
    return (Table) ((CacheHandle<?>) pin).value();
  }

  /** Looks a key up in a table of a version, of which the caller has an owner. */
  public int get(Version version, int level, int index, TableLookup lookup) {
    Table open = tableOf(version, level, index);
    if (open != null) {
      return open.get(lookup);
    }
    try (CacheHandle<Table> table = acquire(version.file(level, index))) {
      return table.value().get(lookup);
    }
  }

  /** Moves a value that has no pin of its own into memory that has one. */
  public void copy(ValueRef value) {
    UncachedBlock copy = blocks.copyOf(value.buffer, value.offset, value.length);
    value.set(copy.bytes(), 0, value.length, copy);
  }

  /** Returns a cursor for a merge: it verifies checksums, and leaves the cache as it is. */
  public TableIterator mergeIterator(FileMetadata file) {
    return iterator(file, true, false);
  }

  /** Returns a new cursor over a file's entries, which pins the table until it is closed. */
  public TableIterator iterator(FileMetadata file, boolean verify, boolean fill) {
    CacheHandle<Table> table = acquire(file);
    try {
      return table.value().iterator(ReadFlags.of(verify, fill), table);
    } catch (Throwable e) { // without an Undo, for which there may be no memory either
      table.close();
      throw e;
    }
  }

  /**
   * Returns a new cursor over the entries of a table of a version. The caller has an owner of the
   * version until the cursor is closed.
   */
  public TableIterator iterator(
      Version version, int level, int index, boolean verify, boolean fill) {
    Table open = tableOf(version, level, index);
    return open != null
        ? open.iterator(ReadFlags.of(verify, fill), () -> {})
        : iterator(version.file(level, index), verify, fill);
  }

  /** Returns the bytes of a table, which the file pins until it is closed. */
  public RandomAccessFile openRaw(FileMetadata file) {
    return new RawTable(acquire(file));
  }

  /** Returns the approximate offset of {@code key} in the file. */
  public long approximateOffsetOf(FileMetadata file, ByteBuffer key, int offset, int length) {
    try (CacheHandle<Table> table = acquire(file)) {
      return table.value().approximateOffsetOf(key, offset, length);
    }
  }

  /**
   * Returns what a table says about its entries, or null if it has no properties that can be read.
   */
  public @Nullable TableProperties properties(FileMetadata file) {
    try (CacheHandle<Table> table = acquire(file)) {
      return table.value().properties();
    }
  }

  /**
   * Returns the time for the properties of tables that replace others, in seconds since 1970: that
   * of the oldest one with tombstones, so that the age of a delete does not begin again.
   *
   * @param now the time if none has tombstones
   * @return the time; 0 if it is unknown
   */
  public long writtenAt(List<FileMetadata> replaced, long now) {
    long oldest = now;
    for (FileMetadata file : replaced) {
      TableProperties properties = properties(file);
      if (properties == null) {
        return 0;
      } else if (properties.tombstones() > 0) {
        oldest = Math.min(oldest, properties.writtenAt());
      }
    }
    return oldest;
  }

  /**
   * Returns an object for calls of {@link #get}; the caller closes it.
   *
   * @param key is set before each call
   * @param value receives the value found
   * @param counts counts what the lookups do
   */
  public TableLookup newLookup(LookupKey key, ValueRef value, LookupCounts counts) {
    return new TableLookup(comparator, budget, key, value, counts);
  }

  /**
   * Opens a table as a merge does, and evicts it again, to see whether its footer and its index are
   * whole.
   *
   * @throws dev.kv.errors.CorruptionException if they are not
   * @throws DBIOException if the table cannot be read
   */
  public void tryOpen(long fileNumber, long size) {
    try {
      mergeIterator(FileMetadata.ofUnknownKeys(fileNumber, size)).close();
    } finally {
      evict(fileNumber);
    }
  }

  /**
   * Removes an obsolete table and its blocks from the caches. Pinned objects are freed after their
   * last pin.
   */
  public void evict(long fileNumber) {
    CacheHandle<Table> open = tables.acquire(TABLES, fileNumber);
    tables.erase(TABLES, fileNumber);
    if (open == null) {
      blocks.cache().eraseAll(blockId(fileNumber));
      return;
    }
    try (open) {
      open.value().eraseBlocks(); // each by its offset: the cache may be much larger than the table
    }
  }

  /** Returns what keeps the block cache warm during a compaction, or null if no block is cached. */
  public @Nullable WarmSuccession succession() {
    return blocks.cache().totalCharge() == 0 ? null : new WarmSuccession(this);
  }

  /** Returns what provides the blocks. */
  BlockProvider blocks() {
    return blocks;
  }

  /** Returns the number of tables that are open or about to be closed. */
  public long openTables() {
    return tables.totalCharge();
  }

  /** Returns the number of bytes of open tables that are mapped into memory. */
  public long mappedBytes() {
    return quota.bytes();
  }

  /**
   * Closes every table that is not pinned; the last release of a pin closes each of the others.
   * Opens no table from now on: reads throw {@link DBClosedException}.
   */
  @Override
  public void close() {
    closed = true;
    tables.close();
    blocks.close();
  }

  /**
   * Returns the id of a table's blocks in the block cache. The id never changes, so that the blocks
   * stay usable after the file is closed and opened again. It includes an id of the database, so
   * that databases can share a cache. If one of the two has no room in it, the table gets a new id
   * each time, and its blocks are loaded again: only a forged MANIFEST has such a number, and only
   * 16 million databases and tables that were opened on the same resources lead to such an id.
   */
  long blockId(long fileNumber) {
    boolean fits = fileNumber >>> NUMBER_BITS == 0 && databaseId <= -1L >>> NUMBER_BITS;
    return fits ? databaseId << NUMBER_BITS | fileNumber : blocks.cache().newId();
  }

  private Table open(FileMetadata file) {
    TableFile opened;
    try {
      opened = openFile(file);
    } catch (NoSuchFileException e) {
      throw new DBIOException("a table is missing: " + name(file.number()), e);
    } catch (IOException e) {
      throw new DBIOException("cannot open table " + name(file.number()) + ": " + e, e);
    }
    TableFile sized;
    try {
      sized = opened.ofSize(file.size());
    } catch (Throwable e) {
      opened.close();
      throw e;
    }
    return Table.open(
        sized,
        blockId(file.number()),
        comparator,
        options.filterPolicy(),
        blocks,
        file,
        entryIndexes);
  }

  /** Opens the file that {@link TablePath#find} finds, mostly without a search. */
  private TableFile openFile(FileMetadata file) throws IOException {
    TableFile opened;
    try {
      opened = TableFile.open(env, FileNames.table(directory, file.number(), suffix), quota);
    } catch (NoSuchFileException e) {
      return TableFile.open(env, FileNames.otherTable(directory, file.number(), suffix), quota);
    }
    if (opened.size() == file.size()) {
      return opened;
    }
    opened.close();
    return TableFile.open(env, TablePath.find(env, directory, file, suffix).path(), quota);
  }

  private String name(long number) {
    return Escape.text(FileNames.table(directory, number, suffix).toString());
  }
}
