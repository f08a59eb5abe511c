package dev.kv.streams.broker;

import dev.kv.streams.KvStores;
import java.util.Map;
import java.util.concurrent.ConcurrentLinkedQueue;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.serialization.Serializer;
import org.apache.kafka.common.utils.Bytes;
import org.apache.kafka.streams.KeyValue;
import org.apache.kafka.streams.state.KeyValueBytesStoreSupplier;
import org.apache.kafka.streams.state.KeyValueIterator;
import org.apache.kafka.streams.state.KeyValueStore;
import org.apache.kafka.streams.state.RocksDBConfigSetter;
import org.apache.kafka.streams.state.Stores;
import org.apache.kafka.streams.state.TimestampedBytesStore;
import org.apache.kafka.streams.state.internals.WrappedStateStore;
import org.rocksdb.BlockBasedTableConfig;
import org.rocksdb.Cache;
import org.rocksdb.LRUCache;
import org.rocksdb.Options;
import org.rocksdb.RocksDB;
import org.rocksdb.WriteBufferManager;

/** The stores of the benchmark, which time their commits. */
final class BenchmarkStores {
  /** The time of each commit of a store, in nanoseconds. */
  static final ConcurrentLinkedQueue<Long> COMMITS = new ConcurrentLinkedQueue<>();

  private BenchmarkStores() {}

  /** Returns a supplier of stores of kv, or of the built-in ones. */
  static KeyValueBytesStoreSupplier supplier(boolean kv, String name) {
    KeyValueBytesStoreSupplier stores =
        kv ? KvStores.timestampedKeyValue(name) : Stores.persistentTimestampedKeyValueStore(name);
    return new KeyValueBytesStoreSupplier() {
      @Override
      public String name() {
        return name;
      }

      @Override
      public KeyValueStore<Bytes, byte[]> get() {
        return new Timed(stores.get());
      }

      @Override
      public String metricsScope() {
        return stores.metricsScope();
      }
    };
  }

  /** Limits the memory of all built-in stores of the process, as the manual of Streams says. */
  public static final class Bounded implements RocksDBConfigSetter {
    private static final long BYTES = Long.getLong("benchmark.memory", 64 << 20);

    static {
      RocksDB.loadLibrary();
    }

    private static final Cache CACHE = new LRUCache(BYTES, -1, false, 0);
    private static final WriteBufferManager BUFFERS = new WriteBufferManager(BYTES / 2, CACHE);

    @Override
    public void setConfig(String store, Options options, Map<String, Object> configs) {
      BlockBasedTableConfig table = (BlockBasedTableConfig) options.tableFormatConfig();
      table.setBlockCache(CACHE);
      table.setCacheIndexAndFilterBlocks(true);
      options.setWriteBufferManager(BUFFERS);
    }

    @Override
    public void close(String store, Options options) {
      // The cache is that of all stores
    }
  }

  private static final class Timed
      extends WrappedStateStore<KeyValueStore<Bytes, byte[]>, Bytes, byte[]>
      implements KeyValueStore<Bytes, byte[]>, TimestampedBytesStore {
    Timed(KeyValueStore<Bytes, byte[]> store) {
      super(store);
    }

    @Override
    public void commit(Map<TopicPartition, Long> offsets) {
      long begin = System.nanoTime();
      super.commit(offsets);
      COMMITS.add(System.nanoTime() - begin);
    }

    @Override
    public void put(Bytes key, byte[] value) {
      wrapped().put(key, value);
    }

    @Override
    public byte[] putIfAbsent(Bytes key, byte[] value) {
      return wrapped().putIfAbsent(key, value);
    }

    @Override
    public void putAll(java.util.List<KeyValue<Bytes, byte[]>> entries) {
      wrapped().putAll(entries);
    }

    @Override
    public byte[] delete(Bytes key) {
      return wrapped().delete(key);
    }

    @Override
    public byte[] get(Bytes key) {
      return wrapped().get(key);
    }

    @Override
    public KeyValueIterator<Bytes, byte[]> range(Bytes from, Bytes to) {
      return wrapped().range(from, to);
    }

    @Override
    public KeyValueIterator<Bytes, byte[]> reverseRange(Bytes from, Bytes to) {
      return wrapped().reverseRange(from, to);
    }

    @Override
    public KeyValueIterator<Bytes, byte[]> all() {
      return wrapped().all();
    }

    @Override
    public KeyValueIterator<Bytes, byte[]> reverseAll() {
      return wrapped().reverseAll();
    }

    @Override
    public <S extends Serializer<P>, P> KeyValueIterator<Bytes, byte[]> prefixScan(
        P prefix, S serializer) {
      return wrapped().prefixScan(prefix, serializer);
    }

    @Override
    public long approximateNumEntries() {
      return wrapped().approximateNumEntries();
    }
  }
}
