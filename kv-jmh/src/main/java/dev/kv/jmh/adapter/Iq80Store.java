package dev.kv.jmh.adapter;

import dev.kv.jmh.store.Cursor;
import dev.kv.jmh.store.OpMeter;
import dev.kv.jmh.store.Reader;
import dev.kv.jmh.store.Store;
import dev.kv.jmh.store.StoreDirectory;
import dev.kv.jmh.store.StoreSettings;
import dev.kv.jmh.store.Writer;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.Map;
import org.iq80.leveldb.DB;
import org.iq80.leveldb.DBIterator;
import org.iq80.leveldb.WriteBatch;
import org.iq80.leveldb.WriteOptions;
import org.iq80.leveldb.impl.DbConstants;
import org.iq80.leveldb.impl.DbImpl;
import org.iq80.leveldb.impl.Iq80DBFactory;
import org.iq80.leveldb.util.Slices;

/**
 * The port of LevelDB by iq80. Its memtable keeps the arrays of the caller. It has no bloom filter
 * and no backward iteration.
 */
final class Iq80Store implements Store {
  private static final byte[] LAST_KEY = {-1, -1, -1, -1};

  private final DB db;
  private final Path directory;

  private Iq80Store(DB db, Path directory) {
    this.db = db;
    this.directory = directory;
  }

  static Store open(Path directory, StoreSettings settings) throws IOException {
    return new Iq80Store(
        Iq80DBFactory.factory.open(directory.toFile(), LeveldbApi.options(settings)), directory);
  }

  @Override
  public Writer writer(boolean sync) {
    WriteOptions options = new WriteOptions().sync(sync);
    return new Writer() {
      @Override
      public void put(byte[] key, byte[] value) {
        db.put(key.clone(), value.clone(), options);
      }

      @Override
      public void delete(byte[] key) {
        db.delete(key.clone(), options);
      }
    };
  }

  @Override
  public Writer batchWriter(boolean sync) {
    WriteOptions options = new WriteOptions().sync(sync);
    return new Writer() {
      private WriteBatch batch = db.createWriteBatch();

      @Override
      public void put(byte[] key, byte[] value) {
        batch.put(key.clone(), value.clone());
      }

      @Override
      public void delete(byte[] key) {
        batch.delete(key.clone());
      }

      @Override
      public void commit() {
        db.write(batch, options);
        batch = db.createWriteBatch();
      }
    };
  }

  @Override
  public Reader reader() {
    return key -> {
      byte[] value = db.get(key);
      return value == null ? Reader.MISSING : value.length;
    };
  }

  @Override
  public Cursor cursor() {
    return new Iq80Cursor(db.iterator());
  }

  /** Compacts level by level, since the method of the interface does nothing. */
  @Override
  public void compact() {
    DbImpl impl = (DbImpl) db;
    impl.flushMemTable();
    for (int level = 0; level + 1 < DbConstants.NUM_LEVELS; level++) {
      impl.compactRange(level, Slices.EMPTY_SLICE, Slices.wrappedBuffer(LAST_KEY));
    }
  }

  @Override
  public long diskBytes() {
    return StoreDirectory.bytes(directory);
  }

  @Override
  public void close() {
    LeveldbApi.close(db);
  }

  private record Iq80Cursor(DBIterator iterator) implements Cursor {

    @Override
    public void scanForward(long limit, OpMeter meter) {
      iterator.seekToFirst();
      for (long i = 0; i < limit && iterator.hasNext(); i++) {
        readEntry(iterator.next(), meter);
      }
    }

    @Override
    public void scanBackward(long limit, OpMeter meter) {
      throw new UnsupportedOperationException("it has no backward iteration");
    }

    private static void readEntry(Map.Entry<byte[], byte[]> entry, OpMeter meter) {
      byte[] key = entry.getKey();
      byte[] value = entry.getValue();
      meter.consumeEntry(key, value);
      meter.tick();
    }

    @Override
    public boolean seek(byte[] key) {
      iterator.seek(key);
      return iterator.hasNext() && Arrays.equals(iterator.peekNext().getKey(), key);
    }

    @Override
    public void close() {
      try {
        iterator.close();
      } catch (IOException e) {
        throw new UncheckedIOException(e);
      }
    }
  }
}
