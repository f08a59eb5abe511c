package dev.kv.jmh.adapter;

import dev.kv.jmh.store.ByteSum;
import dev.kv.jmh.store.Cursor;
import dev.kv.jmh.store.OpMeter;
import dev.kv.jmh.store.Reader;
import dev.kv.jmh.store.Store;
import dev.kv.jmh.store.StoreDirectory;
import dev.kv.jmh.store.StoreSettings;
import dev.kv.jmh.store.Writer;
import java.nio.file.Path;
import java.util.Arrays;
import org.h2.mvstore.MVMap;
import org.h2.mvstore.MVStore;
import org.h2.mvstore.type.ByteArrayDataType;

/**
 * H2's MVStore. A background thread writes a put within a second. Until then the put does not
 * survive the death of the process.
 */
final class MvStore implements Store {
  private final MVStore store;
  private final MVMap<byte[], byte[]> map;
  private final Path directory;

  private MvStore(MVStore store, MVMap<byte[], byte[]> map, Path directory) {
    this.store = store;
    this.map = map;
    this.directory = directory;
  }

  static Store open(Path directory, StoreSettings settings) {
    MVStore.Builder builder =
        new MVStore.Builder()
            .fileName(directory.resolve("data.mv").toString())
            .cacheSize((int) Math.max(1, settings.cacheBytes() >> 20));
    if (settings.compression()) {
      builder.compress();
    }
    MVStore store = builder.open();
    MVMap<byte[], byte[]> map =
        store.openMap(
            "kv",
            new MVMap.Builder<byte[], byte[]>()
                .keyType(ByteArrayDataType.INSTANCE)
                .valueType(ByteArrayDataType.INSTANCE));
    return new MvStore(store, map, directory);
  }

  @Override
  public Writer writer(boolean sync) {
    return new MapWriter(sync);
  }

  @Override
  public Writer batchWriter(boolean sync) {
    return new MapWriter(false) {
      @Override
      public void commit() {
        store.commit();
        if (sync) {
          store.sync();
        }
      }
    };
  }

  private class MapWriter implements Writer {
    private final boolean sync;

    MapWriter(boolean sync) {
      this.sync = sync;
    }

    @Override
    public void put(byte[] key, byte[] value) {
      map.put(key.clone(), value.clone());
      sync();
    }

    @Override
    public void delete(byte[] key) {
      map.remove(key);
      sync();
    }

    private void sync() {
      if (sync) {
        store.commit();
        store.sync();
      }
    }
  }

  @Override
  public Reader reader() {
    return new MapReader(map);
  }

  @Override
  public Cursor cursor() {
    return new MapCursor(map);
  }

  @Override
  public void compact() {
    store.commit();
    store.compactFile(60_000);
  }

  @Override
  public long diskBytes() {
    return StoreDirectory.bytes(directory);
  }

  @Override
  public void close() {
    store.close(0);
  }

  private static final class MapReader extends SummingReader {
    private final MVMap<byte[], byte[]> map;

    MapReader(MVMap<byte[], byte[]> map) {
      this.map = map;
    }

    @Override
    public int get(byte[] key) {
      byte[] value = map.get(key);
      if (value == null) {
        return MISSING;
      }
      consume(ByteSum.of(value, value.length));
      return value.length;
    }
  }

  private record MapCursor(MVMap<byte[], byte[]> map) implements Cursor {

    @Override
    public void scanForward(long limit, OpMeter meter) {
      scan(map.cursor(null, null, false), limit, meter);
    }

    @Override
    public void scanBackward(long limit, OpMeter meter) {
      scan(map.cursor(null, null, true), limit, meter);
    }

    private static void scan(
        org.h2.mvstore.Cursor<byte[], byte[]> cursor, long limit, OpMeter meter) {
      for (long i = 0; i < limit && cursor.hasNext(); i++) {
        readNext(cursor, meter);
        meter.tick();
      }
    }

    private static void readNext(org.h2.mvstore.Cursor<byte[], byte[]> cursor, OpMeter meter) {
      byte[] key = cursor.next();
      byte[] value = cursor.getValue();
      meter.consumeEntry(key, value);
    }

    @Override
    public int read(byte[] key, int limit, OpMeter meter) {
      org.h2.mvstore.Cursor<byte[], byte[]> cursor = map.cursor(key.clone());
      int count = 0;
      while (count < limit && cursor.hasNext()) {
        readNext(cursor, meter);
        count++;
      }
      return count;
    }

    @Override
    public boolean seek(byte[] key) {
      org.h2.mvstore.Cursor<byte[], byte[]> cursor = map.cursor(key);
      return cursor.hasNext() && Arrays.equals(cursor.next(), key);
    }

    @Override
    public void close() {}
  }
}
