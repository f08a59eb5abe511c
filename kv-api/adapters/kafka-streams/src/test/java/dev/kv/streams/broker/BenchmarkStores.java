package dev.kv.streams.broker;

import dev.kv.streams.KvStores;
import java.lang.management.ManagementFactory;
import java.lang.management.ThreadMXBean;
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

/**
 * The stores of the benchmark. They time all commits, and one of {@value #SAMPLED} other calls by
 * the processor time of their thread: the clock itself takes about as long as a call.
 */
final class BenchmarkStores {
  /** A store that keeps nothing: what a topology takes without a store. */
  static final String NONE = "none";

  private static final int SAMPLED = 16;
  private static final ThreadMXBean THREADS = ManagementFactory.getThreadMXBean();

  /** The time of each commit of a store, in nanoseconds. */
  static final ConcurrentLinkedQueue<Long> COMMITS = new ConcurrentLinkedQueue<>();

  /** The processor time of the sampled calls. Used by the one thread of Streams, except at ends. */
  static final Sample GETS = new Sample();

  static final Sample PUTS = new Sample();

  private BenchmarkStores() {}

  /** The sum of the processor times of sampled calls. */
  static final class Sample {
    private long calls;
    private long samples;
    private long nanos;

    /** Returns the time of the begin of a call, or 0 if it is not sampled. */
    long begin() {
      return calls++ % SAMPLED == 0 ? THREADS.getCurrentThreadCpuTime() : 0;
    }

    void end(long begin) {
      if (begin != 0) {
        nanos += THREADS.getCurrentThreadCpuTime() - begin;
        samples++;
      }
    }

    void clear() {
      calls = 0;
      samples = 0;
      nanos = 0;
    }

    /** Returns the mean time of a call in nanoseconds, without that of the clock. */
    long mean() {
      Sample empty = new Sample();
      for (int i = 0; i < 20_000 * SAMPLED; i++) {
        empty.end(empty.begin());
      }
      return samples == 0 ? 0 : Math.max(0, nanos / samples - empty.nanos / empty.samples);
    }
  }

  /** Returns a supplier of stores: those of kv, the built-in ones, or ones that keep nothing. */
  static KeyValueBytesStoreSupplier supplier(String store, String name) {
    KeyValueBytesStoreSupplier stores =
        switch (store) {
          case "kv" -> KvStores.timestampedKeyValue(name);
          case NONE -> Stores.inMemoryKeyValueStore(name);
          default -> Stores.persistentTimestampedKeyValueStore(name);
        };
    return new KeyValueBytesStoreSupplier() {
      @Override
      public String name() {
        return name;
      }

      @Override
      public KeyValueStore<Bytes, byte[]> get() {
        return new Timed(stores.get(), !store.equals(NONE));
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
    private final boolean keeps;

    Timed(KeyValueStore<Bytes, byte[]> store, boolean keeps) {
      super(store);
      this.keeps = keeps;
    }

    @Override
    public void commit(Map<TopicPartition, Long> offsets) {
      long begin = System.nanoTime();
      super.commit(offsets);
      COMMITS.add(System.nanoTime() - begin);
    }

    @Override
    public void put(Bytes key, byte[] value) {
      long begin = PUTS.begin();
      if (keeps) {
        wrapped().put(key, value);
      }
      PUTS.end(begin);
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
      long begin = GETS.begin();
      byte[] value = keeps ? wrapped().get(key) : null;
      GETS.end(begin);
      return value;
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
