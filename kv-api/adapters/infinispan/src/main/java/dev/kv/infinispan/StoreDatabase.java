package dev.kv.infinispan;

import dev.kv.DB;
import dev.kv.DBIterator;
import dev.kv.FilterPolicy;
import dev.kv.Options;
import dev.kv.ReadOptions;
import dev.kv.SharedResources;
import dev.kv.WriteBatch;
import dev.kv.WriteOptions;
import dev.kv.bytes.Slice;
import dev.kv.infinispan.configuration.KvStoreConfiguration;
import dev.kv.options.CompressionType;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.PrimitiveIterator;
import java.util.concurrent.atomic.AtomicBoolean;
import org.infinispan.commons.CacheConfigurationException;
import org.infinispan.configuration.global.GlobalConfiguration;
import org.jspecify.annotations.Nullable;

/**
 * The open database of one store. Tables without compression are read in place, where they are
 * mapped. Thread-safe.
 */
final class StoreDatabase {
  private static final int MAX_WRITE_BUFFER_SIZE = 16 << 20;

  /**
   * The part of the memory of all stores that one memtable may take. All memtables that are being
   * written have half together, so four that are written alike become full before their flush.
   */
  private static final int WRITE_BUFFER_SHARE = 8;

  /**
   * The part of a memtable that one piece of a batch may take: a memtable without room for it is
   * flushed before it is full.
   */
  private static final int PIECE_SHARE = 16;

  /**
   * The part of the memory of all stores that one batch may take. It is there twice, for the log
   * and in its memtable, and the memtables of other stores take half of the memory.
   */
  private static final int BATCH_SHARE = 4;

  /** The most memory of an operation in a memtable, besides its key and value. */
  private static final int OPERATION_BYTES = 80;

  private static final int BITS_PER_KEY = 10;

  /** So many keys are deleted one by one, which takes less time than a range delete. */
  private static final int FEW_KEYS = 1000;

  private static final ReadOptions SCAN =
      ReadOptions.UNCACHED.toBuilder()
          .lowerBound(EntryFormat.start())
          .upperBound(EntryFormat.end())
          .build();

  private final Path directory;
  private final DB db;
  private final ManagerResources resources;
  private final WriteOptions writeOptions;
  private final AtomicBoolean closed = new AtomicBoolean();

  private StoreDatabase(
      Path directory, DB db, ManagerResources resources, WriteOptions writeOptions) {
    this.directory = directory;
    this.db = db;
    this.resources = resources;
    this.writeOptions = writeOptions;
  }

  /**
   * Opens a database, or creates it.
   *
   * @param cache the name of the cache
   * @param segments the number of segments, or 0 if the store has none
   * @throws CacheConfigurationException if the database was written by another cache, or with
   *     another number of segments
   */
  static StoreDatabase open(
      Path directory,
      String cache,
      KvStoreConfiguration configuration,
      GlobalConfiguration manager,
      int segments) {
    ManagerResources resources = ManagerResources.acquire(manager, configuration.memory());
    DB db = null;
    try {
      db = DB.open(directory, options(configuration, resources.shared()));
      checkSegments(db, directory, segments);
      checkName(db, directory, cache);
      return new StoreDatabase(
          directory,
          db,
          resources,
          configuration.syncWrites() ? WriteOptions.SYNC : WriteOptions.DEFAULT);
    } catch (Throwable e) {
      abandon(db, resources, e);
      throw e;
    }
  }

  private static void checkSegments(DB db, Path directory, int segments) {
    byte[] found = db.get(EntryFormat.SEGMENTS);
    if (found == null) {
      db.put(EntryFormat.SEGMENTS, EntryFormat.encodeSegments(segments));
    } else if (EntryFormat.decodeSegments(found) != segments) {
      throw new CacheConfigurationException(
          "the store in "
              + directory
              + " has "
              + EntryFormat.decodeSegments(found)
              + " segments, and its cache has "
              + segments
              + " (0 is a store that is not segmented); use the number of the store, or delete"
              + " the directory");
    }
  }

  /** Infinispan gives names the same directory that differ in characters which it replaces. */
  private static void checkName(DB db, Path directory, String cache) {
    byte[] name = cache.getBytes(StandardCharsets.UTF_8);
    byte[] found = db.get(EntryFormat.NAME);
    if (found == null) {
      db.put(EntryFormat.NAME, name);
    } else if (!Arrays.equals(found, name)) {
      throw new CacheConfigurationException(
          "the store in "
              + directory
              + " is of cache "
              + new String(found, StandardCharsets.UTF_8)
              + ", and this one is "
              + cache
              + "; give one of them another name or path, or delete the directory");
    }
  }

  /** Releases what an open has acquired before it failed. A second failure is added to its own. */
  private static void abandon(@Nullable DB db, ManagerResources resources, Throwable failure) {
    try {
      if (db != null) {
        db.close();
      }
    } catch (Throwable e) {
      failure.addSuppressed(e);
    } finally {
      resources.release();
    }
  }

  private static Options options(KvStoreConfiguration configuration, SharedResources shared) {
    long writeBufferSize = writeBufferSize(shared);
    CompressionType compression = configuration.compression();
    return Options.builder()
        .createIfMissing(true)
        .sharedResources(shared)
        .writeBufferSize(writeBufferSize)
        .maxFileSize(writeBufferSize)
        .filterPolicy(FilterPolicy.bloom(BITS_PER_KEY))
        .compression(compression)
        .tables(t -> t.readInPlace(compression == CompressionType.NONE))
        .build();
  }

  private static long writeBufferSize(SharedResources shared) {
    return Math.min(MAX_WRITE_BUFFER_SIZE, shared.settings().offHeapLimit() / WRITE_BUFFER_SHARE);
  }

  /** Returns the most memory that a batch takes in a memtable. */
  static long bytes(WriteBatch batch) {
    return batch.approximateSize() + (long) batch.count() * OPERATION_BYTES;
  }

  /** Returns the size in {@link #bytes} of the pieces in which a large batch is written. */
  long pieceBytes() {
    return writeBufferSize(resources.shared()) / PIECE_SHARE;
  }

  /** Returns the size in {@link #bytes} up to which there is memory for a batch. */
  long maxBatchBytes() {
    return resources.shared().settings().offHeapLimit() / BATCH_SHARE;
  }

  DB db() {
    return db;
  }

  void write(WriteBatch batch) {
    db.write(writeOptions, batch);
  }

  boolean tryWrite(WriteBatch batch) {
    return db.tryWrite(writeOptions, batch);
  }

  void delete(byte[] key) {
    db.delete(writeOptions, key);
  }

  /** Returns a cursor over all segments, without a position. */
  DBIterator cursor() {
    return db.iterator(SCAN);
  }

  /**
   * Returns an estimate of the number of keys of all segments, with those of the index, or -1 if it
   * is not known.
   */
  long estimatedKeys() {
    String estimate = db.admin().property("kv.estimate-num-keys");
    // Without the keys of the name and of the number of segments
    return estimate == null ? -1 : Math.max(0, Long.parseLong(estimate) - 2);
  }

  /**
   * Deletes segments. Those that are next to each other are deleted at once, with a range delete if
   * they have more than a few keys. No other thread writes to them meanwhile.
   *
   * @param removed the segments, ascending
   */
  void removeSegments(PrimitiveIterator.OfInt removed) {
    try (DBIterator cursor = cursor()) {
      int from = removed.hasNext() ? removed.nextInt() : -1;
      while (from >= 0) {
        int to = from + 1;
        int next = -1;
        while (removed.hasNext()) {
          next = removed.nextInt();
          if (next != to) {
            break;
          }
          to++;
          next = -1;
        }
        removeSegments(cursor, from, to);
        from = next;
      }
    }
  }

  private void removeSegments(DBIterator cursor, int from, int to) {
    WriteBatch batch = WriteBatch.create();
    cursor.seek(EntryFormat.segmentStart(from));
    while (cursor.isValid()) {
      byte[] key = cursor.key();
      if (EntryFormat.segment(Slice.of(key)) >= to) {
        break;
      }
      if (batch.count() == FEW_KEYS) {
        db.deleteRange(EntryFormat.segmentStart(from), EntryFormat.segmentStart(to));
        return;
      }
      batch.delete(key);
      cursor.next();
    }
    if (batch.count() > 0) {
      write(batch);
    }
  }

  /** Closes the database. Closing it twice does nothing. */
  void close() {
    if (closed.getAndSet(true)) {
      return;
    }
    try {
      db.close();
    } finally {
      resources.release();
    }
  }

  /** Closes the database and deletes its files, also if the close fails. */
  void destroy() {
    try {
      close();
    } finally {
      DB.destroy(directory, Options.DEFAULT);
    }
  }
}
