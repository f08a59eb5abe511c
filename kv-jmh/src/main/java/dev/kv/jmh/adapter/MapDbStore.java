package dev.kv.jmh.adapter;

import dev.kv.jmh.store.Cursor;
import dev.kv.jmh.store.OpMeter;
import dev.kv.jmh.store.Reader;
import dev.kv.jmh.store.Store;
import dev.kv.jmh.store.StoreDirectory;
import dev.kv.jmh.store.StoreSettings;
import dev.kv.jmh.store.Writer;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.Iterator;
import java.util.Map;
import org.mapdb.BTreeMap;
import org.mapdb.DB;
import org.mapdb.DBMaker;
import org.mapdb.Serializer;

/**
 * MapDB's tree in a mapped file, without a log. This is its fastest mode; a database that is not
 * closed is lost. It does not compress.
 */
final class MapDbStore implements Store {
  private final DB db;
  private final BTreeMap<byte[], byte[]> map;
  private final Path directory;

  private MapDbStore(DB db, Path directory) {
    this.db = db;
    this.directory = directory;
    map = db.treeMap("kv", Serializer.BYTE_ARRAY, Serializer.BYTE_ARRAY).createOrOpen();
  }

  static Store open(Path directory, StoreSettings settings) {
    DB db =
        DBMaker.fileDB(directory.resolve("data.mapdb").toFile())
            .fileMmapEnableIfSupported()
            .fileMmapPreclearDisable()
            .cleanerHackEnable()
            .allocateIncrement(16L << 20)
            .make();
    return new MapDbStore(db, directory);
  }

  @Override
  public Writer writer(boolean sync) {
    return new Writer() {
      @Override
      public void put(byte[] key, byte[] value) {
        map.put(key.clone(), value.clone());
        finish(sync);
      }

      @Override
      public void delete(byte[] key) {
        map.remove(key);
        finish(sync);
      }
    };
  }

  @Override
  public Writer batchWriter(boolean sync) {
    return new Writer() {
      @Override
      public void put(byte[] key, byte[] value) {
        map.put(key.clone(), value.clone());
      }

      @Override
      public void delete(byte[] key) {
        map.remove(key);
      }

      @Override
      public void commit() {
        finish(sync);
      }
    };
  }

  private void finish(boolean sync) {
    if (sync) {
      db.commit();
    }
  }

  @Override
  public Reader reader() {
    return key -> {
      byte[] value = map.get(key);
      return value == null ? Reader.MISSING : value.length;
    };
  }

  @Override
  public Cursor cursor() {
    return new MapCursor(map);
  }

  @Override
  public void compact() {
    db.getStore().compact();
  }

  @Override
  public long diskBytes() {
    return StoreDirectory.bytes(directory);
  }

  @Override
  public void close() {
    db.close();
  }

  private record MapCursor(BTreeMap<byte[], byte[]> map) implements Cursor {

    @Override
    public void scanForward(long limit, OpMeter meter) {
      scan(map.entryIterator(), limit, meter);
    }

    @Override
    public void scanBackward(long limit, OpMeter meter) {
      scan(map.descendingEntryIterator(), limit, meter);
    }

    private static void scan(
        Iterator<Map.Entry<byte[], byte[]>> entries, long limit, OpMeter meter) {
      for (long i = 0; i < limit && entries.hasNext(); i++) {
        Map.Entry<byte[], byte[]> entry = entries.next();
        byte[] key = entry.getKey();
        byte[] value = entry.getValue();
        meter.consumeEntry(key, value);
        meter.tick();
      }
    }

    @Override
    public boolean seek(byte[] key) {
      Iterator<byte[]> keys = map.keyIterator(key, true, null, false);
      return keys.hasNext() && Arrays.equals(keys.next(), key);
    }

    @Override
    public void close() {}
  }
}
