package dev.kv.jmh.adapter;

import dev.kv.jmh.store.ByteSum;
import dev.kv.jmh.store.Cursor;
import dev.kv.jmh.store.Cursors;
import dev.kv.jmh.store.OpMeter;
import dev.kv.jmh.store.Reader;
import dev.kv.jmh.store.Store;
import dev.kv.jmh.store.StoreDirectory;
import dev.kv.jmh.store.StoreSettings;
import dev.kv.jmh.store.StoreStats;
import dev.kv.jmh.store.Writer;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.file.Path;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.rocksdb.BlockBasedTableConfig;
import org.rocksdb.BloomFilter;
import org.rocksdb.Cache;
import org.rocksdb.CompressionType;
import org.rocksdb.LRUCache;
import org.rocksdb.Options;
import org.rocksdb.ReadOptions;
import org.rocksdb.RocksDB;
import org.rocksdb.RocksDBException;
import org.rocksdb.RocksIterator;
import org.rocksdb.WriteBatch;
import org.rocksdb.WriteOptions;

/** RocksDB through its own JNI, with the sizes of LevelDB and otherwise its defaults. */
final class RocksDbStore implements Store {
  private static final int BUFFER_BYTES = 1 << 20;

  private final RocksDB db;
  private final Options options;
  private final Cache cache;
  private final ReadOptions readOptions = new ReadOptions();
  private final Path directory;

  private RocksDbStore(RocksDB db, Options options, Cache cache, Path directory) {
    this.db = db;
    this.options = options;
    this.cache = cache;
    this.directory = directory;
  }

  static Store open(Path directory, StoreSettings settings) {
    RocksDB.loadLibrary();
    Cache cache = new LRUCache(settings.cacheBytes());
    BlockBasedTableConfig table =
        new BlockBasedTableConfig().setBlockCache(cache).setBlockSize(settings.blockBytes());
    if (settings.bloomBits() > 0) {
      table.setFilterPolicy(new BloomFilter(settings.bloomBits()));
    }
    Options options =
        new Options()
            .setCreateIfMissing(true)
            .setTableFormatConfig(table)
            .setWriteBufferSize(settings.writeBufferBytes())
            .setTargetFileSizeBase(settings.maxFileBytes())
            .setMaxBytesForLevelBase(10L << 20)
            .setMaxOpenFiles(settings.maxOpenFiles())
            .setCompressionType(
                settings.compression()
                    ? CompressionType.SNAPPY_COMPRESSION
                    : CompressionType.NO_COMPRESSION);
    try {
      return new RocksDbStore(
          RocksDB.open(options, directory.toString()), options, cache, directory);
    } catch (RocksDBException e) {
      throw failed(e);
    }
  }

  private static IllegalStateException failed(RocksDBException e) {
    return new IllegalStateException(e);
  }

  @Override
  public Writer writer(boolean sync) {
    WriteOptions how = new WriteOptions().setSync(sync);
    return new Writer() {
      @Override
      public void put(byte[] key, byte[] value) {
        try {
          db.put(how, key, value);
        } catch (RocksDBException e) {
          throw failed(e);
        }
      }

      @Override
      public void delete(byte[] key) {
        try {
          db.delete(how, key);
        } catch (RocksDBException e) {
          throw failed(e);
        }
      }

      @Override
      public void close() {
        how.close();
      }
    };
  }

  @Override
  public Writer batchWriter(boolean sync) {
    return new BatchWriter(db, new WriteOptions().setSync(sync));
  }

  @Override
  public Reader reader() {
    byte[] value = new byte[BUFFER_BYTES];
    return key -> {
      try {
        int length = db.get(readOptions, key, value);
        return length == RocksDB.NOT_FOUND ? Reader.MISSING : length;
      } catch (RocksDBException e) {
        throw failed(e);
      }
    };
  }

  @Override
  public boolean deleteRange(byte[] from, byte[] to) {
    try {
      db.deleteRange(from, to);
      return true;
    } catch (RocksDBException e) {
      throw failed(e);
    }
  }

  @Override
  public Cursor cursor() {
    RocksIterator iterator = db.newIterator(readOptions);
    return new RocksDbCursor(iterator, iterator::close);
  }

  @Override
  public Cursors cursors() {
    return new RocksDbCursors(db.newIterator(readOptions));
  }

  /** One iterator, which each open moves to the newest state. */
  private static final class RocksDbCursors implements Cursors {
    private final RocksIterator iterator;
    private final Cursor entries;

    RocksDbCursors(RocksIterator iterator) {
      this.iterator = iterator;
      entries = new RocksDbCursor(iterator, () -> {});
    }

    @Override
    public Cursor open() {
      try {
        iterator.refresh();
        return entries;
      } catch (RocksDBException e) {
        throw failed(e);
      }
    }

    @Override
    public void close() {
      iterator.close();
    }
  }

  @Override
  public void compact() {
    try {
      db.compactRange();
    } catch (RocksDBException e) {
      throw failed(e);
    }
  }

  @Override
  public @Nullable String property(String name) {
    try {
      return db.getProperty(name.replace("leveldb.", "rocksdb."));
    } catch (RocksDBException e) {
      return null;
    }
  }

  @Override
  public StoreStats figures() {
    try {
      Map<String, String> stats = db.getMapProperty("rocksdb.cfstats");
      return new StoreStats(
          gibibytes(stats, "compaction.Sum.ReadGB"),
          gibibytes(stats, "compaction.Sum.WriteGB"),
          -1);
    } catch (RocksDBException e) {
      throw failed(e);
    }
  }

  private static long gibibytes(Map<String, String> stats, String name) {
    String figure = stats.get(name);
    return figure == null ? -1 : Math.round(Double.parseDouble(figure) * (1 << 30));
  }

  @Override
  public long diskBytes() {
    return StoreDirectory.bytes(directory);
  }

  @Override
  public void close() {
    db.close();
    readOptions.close();
    options.close();
    cache.close();
  }

  /** Collects operations in a native batch. */
  private record BatchWriter(RocksDB db, WriteOptions options, WriteBatch batch) implements Writer {

    BatchWriter(RocksDB db, WriteOptions options) {
      this(db, options, new WriteBatch());
    }

    @Override
    public void put(byte[] key, byte[] value) {
      try {
        batch.put(key, value);
      } catch (RocksDBException e) {
        throw failed(e);
      }
    }

    @Override
    public void delete(byte[] key) {
      try {
        batch.delete(key);
      } catch (RocksDBException e) {
        throw failed(e);
      }
    }

    @Override
    public void commit() {
      try {
        db.write(options, batch);
        batch.clear();
      } catch (RocksDBException e) {
        throw failed(e);
      }
    }

    @Override
    public void close() {
      batch.close();
      options.close();
    }
  }

  /** The direct buffers for the key and the value of an entry, which grow as needed. */
  private static final class EntryBuffers {
    private ByteBuffer key = allocate(64);
    private ByteBuffer value = allocate(512);

    private static ByteBuffer allocate(int bytes) {
      return ByteBuffer.allocateDirect(bytes).order(ByteOrder.LITTLE_ENDIAN);
    }

    int readKey(RocksIterator iterator) {
      int length = iterator.key(key.clear());
      if (length > key.capacity()) {
        key = allocate(length);
        iterator.key(key);
      }
      return length;
    }

    int readValue(RocksIterator iterator) {
      int length = iterator.value(value.clear());
      if (length > value.capacity()) {
        value = allocate(length);
        iterator.value(value);
      }
      return length;
    }
  }

  /** Copies keys and values to direct buffers, the cheapest way that the iterator has. */
  private static final class RocksDbCursor implements Cursor {
    private final RocksIterator iterator;
    private final EntryBuffers buffers = new EntryBuffers();
    private final Runnable onClose;

    RocksDbCursor(RocksIterator iterator, Runnable onClose) {
      this.iterator = iterator;
      this.onClose = onClose;
    }

    @Override
    public void scanForward(long limit, OpMeter meter) {
      iterator.seekToFirst();
      for (long i = 0; i < limit && iterator.isValid(); i++) {
        readEntry(meter);
        meter.tick();
        iterator.next();
      }
    }

    @Override
    public int read(byte[] from, int limit, OpMeter meter) {
      iterator.seek(from);
      int count = 0;
      while (count < limit && iterator.isValid()) {
        readEntry(meter);
        iterator.next();
        count++;
      }
      return count;
    }

    @Override
    public void scanBackward(long limit, OpMeter meter) {
      iterator.seekToLast();
      for (long i = 0; i < limit && iterator.isValid(); i++) {
        readEntry(meter);
        meter.tick();
        iterator.prev();
      }
    }

    private void readEntry(OpMeter meter) {
      int keyLength = buffers.readKey(iterator);
      int valueLength = buffers.readValue(iterator);
      meter.consume(ByteSum.of(buffers.key) + ByteSum.of(buffers.value));
      meter.addBytes(keyLength + (long) valueLength);
    }

    @Override
    public boolean seek(byte[] target) {
      iterator.seek(target);
      if (!iterator.isValid()) {
        return false;
      }
      int length = buffers.readKey(iterator);
      return buffers.key.limit(length).position(0).equals(ByteBuffer.wrap(target));
    }

    @Override
    public void close() {
      onClose.run();
    }
  }
}
