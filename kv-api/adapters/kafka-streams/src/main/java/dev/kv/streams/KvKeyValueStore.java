package dev.kv.streams;

import dev.kv.WriteBatch;
import dev.kv.env.Env;
import dev.kv.streams.database.StoreDatabase;
import dev.kv.streams.database.StoreKind;
import dev.kv.streams.scan.EmptyIterator;
import dev.kv.streams.scan.EntryIterator;
import java.util.Arrays;
import java.util.Collection;
import java.util.List;
import java.util.Objects;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.common.serialization.Serializer;
import org.apache.kafka.common.utils.Bytes;
import org.apache.kafka.streams.KeyValue;
import org.apache.kafka.streams.state.HeadersBytesStore;
import org.apache.kafka.streams.state.KeyValueIterator;
import org.apache.kafka.streams.state.KeyValueStore;
import org.apache.kafka.streams.state.TimestampedBytesStore;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** A key-value store. Its keys are stored after the byte {@link StoreDatabase#DATA}. */
class KvKeyValueStore extends KvStateStore implements KeyValueStore<Bytes, byte[]> {
  private static final Logger log = LoggerFactory.getLogger(KvKeyValueStore.class);

  private static final byte[] FIRST = {StoreDatabase.DATA};
  private static final byte[] END = {StoreDatabase.DATA + 1};

  /**
   * Creates a store, which is opened later.
   *
   * @param env the file system, or null for that of the machine
   */
  KvKeyValueStore(String name, StoreKind.Values values, @Nullable Env env) {
    super(
        Objects.requireNonNull(name, "name"),
        new StoreKind(StoreKind.Structure.KEY_VALUE, values),
        env);
  }

  /** A store whose values have timestamps. */
  static final class Timestamped extends KvKeyValueStore implements TimestampedBytesStore {
    Timestamped(String name) {
      super(name, StoreKind.Values.TIMESTAMPED, null);
    }
  }

  /** A store whose values have timestamps and headers. */
  static final class WithHeaders extends KvKeyValueStore
      implements TimestampedBytesStore, HeadersBytesStore {
    WithHeaders(String name) {
      super(name, StoreKind.Values.HEADERS, null);
    }
  }

  @Override
  void restore(Collection<ConsumerRecord<byte[], byte[]>> records) {
    open()
        .restore(
            records,
            (batch, record) -> StoreDatabase.add(batch, stored(record.key()), record.value()));
  }

  private static byte[] stored(byte[] key) {
    byte[] stored = new byte[key.length + 1];
    stored[0] = StoreDatabase.DATA;
    System.arraycopy(key, 0, stored, 1, key.length);
    return stored;
  }

  @Override
  public byte @Nullable [] get(Bytes key) {
    return open().get(stored(key.get()));
  }

  @Override
  public void put(Bytes key, byte @Nullable [] value) {
    open().put(stored(key.get()), value);
  }

  @Override
  public byte @Nullable [] putIfAbsent(Bytes key, byte @Nullable [] value) {
    byte[] before = get(key);
    if (before == null && value != null) {
      put(key, value);
    }
    return before;
  }

  @Override
  public void putAll(List<KeyValue<Bytes, byte[]>> entries) {
    WriteBatch batch = WriteBatch.create();
    for (KeyValue<Bytes, byte[]> entry : entries) {
      StoreDatabase.add(batch, stored(entry.key.get()), entry.value);
    }
    if (batch.count() > 0) {
      open().write(batch);
    }
  }

  @Override
  public byte @Nullable [] delete(Bytes key) {
    byte[] before = get(key);
    put(key, null);
    return before;
  }

  @Override
  public KeyValueIterator<Bytes, byte[]> range(@Nullable Bytes from, @Nullable Bytes to) {
    return range(from, to, true);
  }

  @Override
  public KeyValueIterator<Bytes, byte[]> reverseRange(@Nullable Bytes from, @Nullable Bytes to) {
    return range(from, to, false);
  }

  private KeyValueIterator<Bytes, byte[]> range(
      @Nullable Bytes from, @Nullable Bytes to, boolean forward) {
    if (from != null && to != null && from.compareTo(to) > 0) {
      log.warn(KeyBytes.INVALID_RANGE);
      return new EmptyIterator<>();
    }
    byte[] first = from == null ? FIRST : stored(from.get());
    byte[] end = END;
    if (to != null) {
      // The smallest key after the last one has one more byte, of zero.
      byte[] last = stored(to.get());
      end = Arrays.copyOf(last, last.length + 1);
    }
    return entries(first, end, forward);
  }

  @Override
  public KeyValueIterator<Bytes, byte[]> all() {
    return entries(FIRST, END, true);
  }

  @Override
  public KeyValueIterator<Bytes, byte[]> reverseAll() {
    return entries(FIRST, END, false);
  }

  @Override
  public <S extends Serializer<P>, P> KeyValueIterator<Bytes, byte[]> prefixScan(
      P prefix, S serializer) {
    Objects.requireNonNull(prefix, "prefix");
    byte[] first = stored(serializer.serialize(null, prefix));
    return entries(first, KeyBytes.endOfPrefix(first), true);
  }

  private KeyValueIterator<Bytes, byte[]> entries(byte[] first, byte[] end, boolean forward) {
    StoreDatabase opened = open();
    return new EntryIterator(opened, opened.cursor(first, end), forward);
  }

  @Override
  public long approximateNumEntries() {
    return open().estimatedKeys();
  }
}
