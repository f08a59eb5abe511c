package dev.kv.jmh.adapter;

import dev.kv.jmh.store.Cursor;
import dev.kv.jmh.store.Reader;
import dev.kv.jmh.store.Store;
import dev.kv.jmh.store.StoreDirectory;
import dev.kv.jmh.store.StoreSettings;
import dev.kv.jmh.store.StoreStats;
import dev.kv.jmh.store.Writer;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Path;
import org.fusesource.leveldbjni.JniDBFactory;
import org.iq80.leveldb.DB;
import org.iq80.leveldb.WriteBatch;
import org.iq80.leveldb.WriteOptions;
import org.jspecify.annotations.Nullable;

/** C++ LevelDB through JNI. It has no bloom filter, and no option for the size of tables. */
final class LeveldbJniStore implements Store {
  private final DB db;
  private final Path directory;

  private LeveldbJniStore(DB db, Path directory) {
    this.db = db;
    this.directory = directory;
  }

  static Store open(Path directory, StoreSettings settings) throws IOException {
    return new LeveldbJniStore(
        JniDBFactory.factory.open(directory.toFile(), LeveldbApi.options(settings)), directory);
  }

  @Override
  public Writer writer(boolean sync) {
    WriteOptions options = new WriteOptions().sync(sync);
    return new Writer() {
      @Override
      public void put(byte[] key, byte[] value) {
        db.put(key, value, options);
      }

      @Override
      public void delete(byte[] key) {
        db.delete(key, options);
      }
    };
  }

  @Override
  public Writer batchWriter(boolean sync) {
    return new LeveldbJniBatchWriter(db, new WriteOptions().sync(sync));
  }

  @Override
  public Reader reader() {
    return new Reader() {
      @Override
      public int get(byte[] key) {
        byte[] value = db.get(key);
        return value == null ? MISSING : value.length;
      }
    };
  }

  @Override
  public Cursor cursor() {
    return new LeveldbJniCursor(db.iterator());
  }

  @Override
  public void compact() {
    db.compactRange(null, null);
  }

  @Override
  public @Nullable String property(String name) {
    return db.getProperty(name);
  }

  @Override
  public StoreStats figures() {
    String stats = property("leveldb.stats");
    return stats == null ? StoreStats.UNKNOWN : LevelStats.parse(stats);
  }

  @Override
  public long diskBytes() {
    return StoreDirectory.bytes(directory);
  }

  @Override
  public void close() {
    LeveldbApi.close(db);
  }

  /**
   * Collects operations in a native batch. A batch cannot be cleared, so each commit needs a new
   * one.
   */
  private static final class LeveldbJniBatchWriter implements Writer {
    private final DB db;
    private final WriteOptions options;
    private WriteBatch batch;

    LeveldbJniBatchWriter(DB db, WriteOptions options) {
      this.db = db;
      this.options = options;
      batch = db.createWriteBatch();
    }

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
      db.write(batch, options);
      close();
      batch = db.createWriteBatch();
    }

    @Override
    public void close() {
      try {
        batch.close();
      } catch (IOException e) {
        throw new UncheckedIOException(e);
      }
    }
  }
}
