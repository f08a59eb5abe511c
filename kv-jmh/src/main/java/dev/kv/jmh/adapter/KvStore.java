package dev.kv.jmh.adapter;

import dev.kv.DB;
import dev.kv.DBIterator;
import dev.kv.FilterPolicy;
import dev.kv.Options;
import dev.kv.ReadOptions;
import dev.kv.WriteBatch;
import dev.kv.WriteOptions;
import dev.kv.admin.DBStats;
import dev.kv.bytes.Slice;
import dev.kv.jmh.store.ByteSum;
import dev.kv.jmh.store.Cursor;
import dev.kv.jmh.store.OpMeter;
import dev.kv.jmh.store.Reader;
import dev.kv.jmh.store.Store;
import dev.kv.jmh.store.StoreDirectory;
import dev.kv.jmh.store.StoreSettings;
import dev.kv.jmh.store.StoreStats;
import dev.kv.jmh.store.Writer;
import dev.kv.load.BulkLoader;
import dev.kv.options.CompressionType;
import java.nio.file.Path;
import java.util.zip.CRC32;
import org.jspecify.annotations.Nullable;

/** kv. */
final class KvStore implements Store {
  private final DB db;
  private final Path directory;
  private final StoreSettings settings;

  private KvStore(DB db, Path directory, StoreSettings settings) {
    this.db = db;
    this.directory = directory;
    this.settings = settings;
  }

  static Store open(Path directory, StoreSettings settings) {
    Options.Builder options =
        Options.builder()
            .createIfMissing(true)
            .blockCacheSize(settings.cacheBytes())
            .writeBufferSize(settings.writeBufferBytes())
            .maxFileSize(settings.maxFileBytes())
            .blockSize(settings.blockBytes())
            .maxOpenFiles(settings.maxOpenFiles())
            .reuseLogs(settings.reuseLogs())
            .tables(t -> t.readInPlace(settings.readInPlace()))
            .compression(settings.compression() ? CompressionType.SNAPPY : CompressionType.NONE);
    if (settings.bloomBits() > 0) {
      options.filterPolicy(FilterPolicy.bloom(settings.bloomBits()));
    }
    return new KvStore(DB.open(directory, options.build()), directory, settings);
  }

  @Override
  public Writer writer(boolean sync) {
    WriteOptions options = sync ? WriteOptions.SYNC : WriteOptions.DEFAULT;
    return new Writer() {
      @Override
      public void put(byte[] key, byte[] value) {
        db.put(options, key, value);
      }

      @Override
      public void delete(byte[] key) {
        db.delete(options, key);
      }
    };
  }

  @Override
  public Writer batchWriter(boolean sync) {
    WriteOptions options = sync ? WriteOptions.SYNC : WriteOptions.DEFAULT;
    WriteBatch batch = WriteBatch.create();
    return new Writer() {
      @Override
      public void put(byte[] key, byte[] value) {
        batch.put(key, value);
      }

      @Override
      public void delete(byte[] key) {
        batch.delete(key);
      }

      @Override
      public void commit() {
        db.write(options, batch);
        batch.clear();
      }
    };
  }

  @Override
  public Writer bulkWriter() {
    BulkLoader loader = db.loads().bulkLoader();
    return new Writer() {
      @Override
      public void put(byte[] key, byte[] value) {
        loader.put(key, value);
      }

      @Override
      public void delete(byte[] key) {
        throw new UnsupportedOperationException("a bulk load only adds entries");
      }

      @Override
      public void close() {
        loader.finish();
        loader.close();
      }
    };
  }

  @Override
  public Reader reader() {
    return KvReaders.of(db, settings.readAccess());
  }

  @Override
  public Cursor cursor() {
    DBIterator iterator = db.iterator();
    return new Cursor() {
      @Override
      public void scanForward(long limit, OpMeter meter) {
        iterator.seekToFirst();
        for (long i = 0; i < limit && iterator.isValid(); i++) {
          readEntry(iterator, meter);
          iterator.next();
        }
      }

      @Override
      public void scanBackward(long limit, OpMeter meter) {
        iterator.seekToLast();
        for (long i = 0; i < limit && iterator.isValid(); i++) {
          readEntry(iterator, meter);
          iterator.prev();
        }
      }

      @Override
      public void checksum(long limit, CRC32 checksum, OpMeter meter) {
        byte[] copy = new byte[512];
        iterator.seekToFirst();
        for (long i = 0; i < limit && iterator.isValid(); i++) {
          copy = update(checksum, iterator.keySlice(), copy);
          copy = update(checksum, iterator.valueSlice(), copy);
          meter.tick();
          iterator.next();
        }
      }

      @Override
      public int read(byte[] key, int limit, OpMeter meter) {
        iterator.seek(key);
        int count = 0;
        while (count < limit && iterator.isValid()) {
          consume(iterator.keySlice(), iterator.valueSlice(), meter);
          iterator.next();
          count++;
        }
        return count;
      }

      @Override
      public boolean seek(byte[] key) {
        iterator.seek(key);
        return iterator.isValid() && equal(iterator, key);
      }

      @Override
      public void close() {
        iterator.close();
      }
    };
  }

  @Override
  public void scan(OpMeter meter) {
    db.forEach(ReadOptions.DEFAULT, (key, value) -> readEntry(key, value, meter));
  }

  private static void readEntry(DBIterator iterator, OpMeter meter) {
    readEntry(iterator.keySlice(), iterator.valueSlice(), meter);
  }

  private static void readEntry(Slice key, Slice value, OpMeter meter) {
    consume(key, value, meter);
    meter.tick();
  }

  private static void consume(Slice key, Slice value, OpMeter meter) {
    meter.consume(ByteSum.of(key) + ByteSum.of(value));
    meter.addBytes(key.length() + (long) value.length());
  }

  private static byte[] update(CRC32 checksum, Slice bytes, byte[] copy) {
    int length = bytes.length();
    byte[] target = length <= copy.length ? copy : new byte[length];
    bytes.copyTo(0, target, 0, length);
    checksum.update(target, 0, length);
    return target;
  }

  private static boolean equal(DBIterator iterator, byte[] key) {
    var slice = iterator.keySlice();
    if (slice.length() != key.length) {
      return false;
    }
    for (int i = 0; i < key.length; i++) {
      if (slice.byteAt(i) != key[i]) {
        return false;
      }
    }
    return true;
  }

  @Override
  public boolean deleteRange(byte[] from, byte[] to) {
    db.deleteRange(from, to);
    return true;
  }

  @Override
  public void compact() {
    db.admin().compactRange(null, null);
  }

  @Override
  public @Nullable String property(String name) {
    return db.admin().property(name);
  }

  @Override
  public StoreStats figures() {
    long read = 0;
    long written = 0;
    DBStats stats = db.admin().stats();
    for (DBStats.Level level : stats.levels()) {
      read += level.compactionBytesRead();
      written += level.compactionBytesWritten();
    }
    return new StoreStats(read, written, stats.writes().stalls().micros());
  }

  @Override
  public long diskBytes() {
    return StoreDirectory.bytes(directory);
  }

  @Override
  public void close() {
    db.close();
  }
}
