package dev.kv.streams;

import dev.kv.WriteBatch;
import dev.kv.env.Env;
import java.util.Arrays;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.serialization.Serializer;
import org.apache.kafka.common.utils.Bytes;
import org.apache.kafka.streams.KeyValue;
import org.apache.kafka.streams.processor.StateStore;
import org.apache.kafka.streams.processor.StateStoreContext;
import org.apache.kafka.streams.processor.internals.RecordBatchingStateRestoreCallback;
import org.apache.kafka.streams.query.Position;
import org.apache.kafka.streams.query.PositionBound;
import org.apache.kafka.streams.query.Query;
import org.apache.kafka.streams.query.QueryConfig;
import org.apache.kafka.streams.query.QueryResult;
import org.apache.kafka.streams.state.HeadersBytesStore;
import org.apache.kafka.streams.state.KeyValueIterator;
import org.apache.kafka.streams.state.KeyValueStore;
import org.apache.kafka.streams.state.TimestampedBytesStore;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** A key-value store. Its keys are stored after the byte {@link StoreDatabase#DATA}. */
class KvKeyValueStore implements KeyValueStore<Bytes, byte[]> {
  private static final Logger log = LoggerFactory.getLogger(KvKeyValueStore.class);

  private static final byte[] FIRST = {StoreDatabase.DATA};
  private static final byte[] END = {StoreDatabase.DATA + 1};

  private final String name;
  private final StoreKind kind;
  private final @Nullable Env env;
  private volatile @Nullable StoreDatabase database;
  private int partition;

  /**
   * Creates a store, which is opened later.
   *
   * @param env the file system, or null for that of the machine
   */
  KvKeyValueStore(String name, StoreKind.Values values, @Nullable Env env) {
    this.name = Objects.requireNonNull(name, "name");
    this.kind = new StoreKind(StoreKind.Structure.KEY_VALUE, values);
    this.env = env;
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
  public String name() {
    return name;
  }

  @Override
  public void init(StateStoreContext context, StateStore root) {
    partition = context.taskId().partition();
    database = StoreDatabase.open(name, kind, context, env);
    context.register(root, (RecordBatchingStateRestoreCallback) this::restore);
  }

  private void restore(Collection<ConsumerRecord<byte[], byte[]>> records) {
    open()
        .restore(
            records,
            (batch, record) -> StoreDatabase.add(batch, stored(record.key()), record.value()));
  }

  private StoreDatabase open() {
    StoreDatabase found = database;
    if (found == null) {
      throw StoreDatabase.closed(name);
    }
    return found;
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
    return new EntryIterator(name, open().cursor(first, end), forward);
  }

  @Override
  public long approximateNumEntries() {
    return open().estimatedKeys();
  }

  @Override
  public <R> QueryResult<R> query(Query<R> query, PositionBound bound, QueryConfig config) {
    StoreDatabase found = database;
    Position position = found == null ? null : found.position();
    return StoreQueries.answer(query, bound, config, this, position, partition);
  }

  @Override
  public Position getPosition() {
    return open().position();
  }

  @Override
  public void commit(Map<TopicPartition, Long> changelogOffsets) {
    open().commit(changelogOffsets);
  }

  @Override
  public @Nullable Long committedOffset(TopicPartition changelog) {
    return open().committedOffset(changelog);
  }

  @Override
  @Deprecated
  public boolean managesOffsets() {
    return true;
  }

  @Override
  public boolean persistent() {
    return true;
  }

  @Override
  public boolean isOpen() {
    StoreDatabase found = database;
    return found != null && found.isOpen();
  }

  @Override
  public void close() {
    StoreDatabase found = database;
    if (found != null) {
      found.close();
    }
  }
}
