package dev.kv.streams;

import dev.kv.DBIterator;
import dev.kv.WriteBatch;
import dev.kv.env.Env;
import dev.kv.errors.DBException;
import dev.kv.streams.database.StoreDatabase;
import dev.kv.streams.database.StoreKind;
import java.nio.ByteBuffer;
import java.util.Collection;
import java.util.List;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.common.utils.Bytes;
import org.apache.kafka.streams.KeyValue;
import org.apache.kafka.streams.state.KeyValueIterator;
import org.apache.kafka.streams.state.VersionedBytesStore;
import org.apache.kafka.streams.state.VersionedKeyValueStore;
import org.apache.kafka.streams.state.VersionedRecord;
import org.apache.kafka.streams.state.VersionedRecordIterator;
import org.jspecify.annotations.Nullable;

/**
 * A versioned key-value store. Each version is an entry of its own, see {@link VersionFormat}.
 *
 * <p><b>Expiry.</b> Reads as of a time see versions down to the bound, which is the stream time
 * minus the history retention, and the latest version of a key in any case. Writes before the bound
 * are dropped. So of the versions of a key at or before the bound, the newest alone is needed, and
 * not even that one if it is a tombstone. The index tells which keys have versions in a segment. If
 * the bound has passed a segment, each write deletes what is not needed of some keys of the index.
 * The bound of that is kept, so that a store that is opened again, with any retention, does not
 * take a record that would be older than a tombstone that it deleted.
 */
final class KvVersionedStore extends KvStateStore implements VersionedBytesStore {
  static final StoreKind KIND =
      new StoreKind(StoreKind.Structure.VERSIONED, StoreKind.Values.PLAIN);

  /** The entries of the index that a written record expires. It adds one. */
  private static final int EXPIRED_PER_RECORD = 16;

  private static final byte[] FIRST_INDEX = {StoreDatabase.INDEX};

  private final long retention;
  private final long wantedInterval;
  private long interval;

  /**
   * The greatest time of a version that was written or restored. After an open, the least that
   * gives the bound of the last expiry.
   */
  private volatile long streamTime = -1;

  /** The segments before this one have no entries in the index. */
  private long expired = Long.MIN_VALUE;

  /** The entries of the index before this one were deleted. */
  private byte[] expiryBegin = FIRST_INDEX;

  /**
   * Creates a store, which is opened later.
   *
   * @param env the file system, or null for that of the machine
   */
  KvVersionedStore(VersionedSupplier supplier, @Nullable Env env) {
    super(supplier.name(), KIND, env);
    this.retention = supplier.historyRetentionMs();
    this.wantedInterval = supplier.segmentIntervalMs();
  }

  @Override
  void prepare(StoreDatabase opened) {
    interval = opened.segmentInterval(wantedInterval);
    Long expiryBound = opened.expiryBound();
    streamTime = expiryBound == null ? -1 : expiryBound + retention;
    expired = Long.MIN_VALUE;
    expiryBegin = FIRST_INDEX;
  }

  @Override
  void restore(Collection<ConsumerRecord<byte[], byte[]>> records) {
    StoreDatabase opened = open();
    opened.restore(
        records,
        (batch, record) -> {
          long time = record.timestamp();
          if (time >= bound()) {
            streamTime = Math.max(streamTime, time);
            add(batch, record.key(), record.value(), time);
          }
        });
    expire(opened, EXPIRED_PER_RECORD * records.size());
  }

  /** Returns the first time as of which old versions can be read. */
  private long bound() {
    return streamTime - retention;
  }

  private void add(WriteBatch batch, byte[] key, byte @Nullable [] value, long time) {
    batch.put(VersionFormat.version(key, time), VersionFormat.encodeValue(value));
    batch.put(VersionFormat.index(Math.floorDiv(time, interval), key), new byte[0]);
  }

  @Override
  public long put(Bytes key, byte @Nullable [] value, long timestamp) {
    StoreDatabase opened = open();
    if (!advance(opened, timestamp)) {
      return VersionedKeyValueStore.PUT_RETURN_CODE_NOT_PUT;
    }
    long validTo = VersionedKeyValueStore.PUT_RETURN_CODE_VALID_TO_UNDEFINED;
    byte[] version = VersionFormat.version(key.get(), timestamp);
    try (DBIterator newer = opened.cursor(VersionFormat.prefix(key.get()), version)) {
      newer.seekToLast();
      if (newer.isValid()) {
        validTo = VersionFormat.time(newer);
      }
    } catch (DBException e) {
      throw opened.failed("read", e);
    }
    write(opened, key, value, timestamp);
    return validTo;
  }

  /** Advances the stream time, or drops a record that is too late. */
  private boolean advance(StoreDatabase opened, long timestamp) {
    if (timestamp < bound()) {
      countDropped();
      opened.updatePosition();
      return false;
    }
    streamTime = Math.max(streamTime, timestamp);
    return true;
  }

  private void write(StoreDatabase opened, Bytes key, byte @Nullable [] value, long timestamp) {
    WriteBatch batch = WriteBatch.create();
    add(batch, key.get(), value, timestamp);
    opened.write(batch);
    expire(opened, EXPIRED_PER_RECORD);
  }

  @Override
  public byte @Nullable [] delete(Bytes key, long timestamp) {
    StoreDatabase opened = open();
    if (!advance(opened, timestamp)) {
      return null;
    }
    byte[] before = get(key, timestamp);
    write(opened, key, null, timestamp);
    return before;
  }

  @Override
  public byte @Nullable [] get(Bytes key) {
    return encode(find(key, Long.MAX_VALUE, false));
  }

  @Override
  public byte @Nullable [] get(Bytes key, long asOfTimestamp) {
    boolean old = asOfTimestamp < bound();
    return encode(old ? version(key, asOfTimestamp) : find(key, asOfTimestamp, false));
  }

  /** Returns the time of a version and its value, as Streams wants both in one. */
  private static byte @Nullable [] encode(@Nullable VersionedRecord<byte[]> version) {
    return version == null
        ? null
        : ByteBuffer.allocate(Long.BYTES + version.value().length)
            .putLong(version.timestamp())
            .put(version.value())
            .array();
  }

  /** Returns the latest version of a key, or null if there is none or it is a tombstone. */
  @Nullable VersionedRecord<byte[]> version(Bytes key) {
    return find(key, Long.MAX_VALUE, false);
  }

  /** Returns the version of a key as of a time, or null if there is none or it expired. */
  @Nullable VersionedRecord<byte[]> version(Bytes key, long asOf) {
    VersionedRecord<byte[]> found = find(key, asOf, true);
    boolean readable = found != null && (found.validTo().isEmpty() || asOf >= bound());
    return readable ? found : null;
  }

  /**
   * Finds the version of a key as of a time, whether it has expired or not.
   *
   * @param until true if the time is wanted until which the version is valid
   */
  private @Nullable VersionedRecord<byte[]> find(Bytes key, long asOf, boolean until) {
    StoreDatabase opened = open();
    byte[] version = VersionFormat.version(key.get(), asOf);
    try (DBIterator cursor = versionsOf(opened, key.get())) {
      Long newer = null;
      if (until) {
        newer = VersionIterator.seekWithNewer(cursor, version);
      } else {
        cursor.seek(version);
      }
      byte[] value = cursor.isValid() ? VersionFormat.value(cursor) : null;
      return value == null
          ? null
          : VersionIterator.record(value, VersionFormat.time(cursor), newer);
    } catch (DBException e) {
      throw opened.failed("read", e);
    }
  }

  private static DBIterator versionsOf(StoreDatabase opened, byte[] key) {
    byte[] prefix = VersionFormat.prefix(key);
    return opened.cursor(prefix, KeyBytes.endOfPrefix(prefix));
  }

  /**
   * Returns the versions of a key that are valid at some time of a range and have not expired. If
   * the range ends before the bound, these are the latest version or none.
   */
  VersionedRecordIterator<byte[]> versions(Bytes key, long from, long to, boolean ascending) {
    StoreDatabase opened = open();
    long bound = bound();
    long first = to < bound ? Long.MAX_VALUE : Math.max(from, bound);
    DBIterator cursor = versionsOf(opened, key.get());
    return new VersionIterator(opened, cursor, key.get(), first, to, ascending);
  }

  /** Deletes what is not needed of some keys with versions in segments before the bound. */
  private void expire(StoreDatabase opened, int limit) {
    long live = Math.floorDiv(bound(), interval);
    if (live <= expired) {
      return;
    }
    byte[] end = VersionFormat.index(live, new byte[0]);
    WriteBatch deletes = WriteBatch.create();
    try (DBIterator cursor = opened.cursor(expiryBegin, end)) {
      int keys = 0;
      for (cursor.seekToFirst(); cursor.isValid() && keys < limit; cursor.next()) {
        byte[] index = cursor.key();
        expireKey(opened, VersionFormat.indexedKey(index), deletes);
        deletes.delete(index);
        keys++;
      }
      if (cursor.isValid()) {
        expiryBegin = cursor.key();
      } else {
        expiryBegin = end;
        expired = live;
      }
    } catch (DBException e) {
      throw opened.failed("read", e);
    }
    if (deletes.count() > 0) {
      opened.expire(deletes, bound());
    }
  }

  private void expireKey(StoreDatabase opened, byte[] key, WriteBatch deletes) {
    byte[] end = KeyBytes.endOfPrefix(VersionFormat.prefix(key));
    try (DBIterator cursor = opened.cursor(VersionFormat.version(key, bound()), end)) {
      cursor.seekToFirst();
      if (cursor.isValid() && VersionFormat.value(cursor) != null) {
        cursor.next();
      }
      for (; cursor.isValid(); cursor.next()) {
        deletes.delete(cursor.key());
      }
    }
  }

  @Override
  public void put(Bytes key, byte @Nullable [] value) {
    throw unsupported("put without a time");
  }

  @Override
  public byte @Nullable [] putIfAbsent(Bytes key, byte @Nullable [] value) {
    throw unsupported("putIfAbsent");
  }

  @Override
  public void putAll(List<KeyValue<Bytes, byte[]>> entries) {
    throw unsupported("putAll");
  }

  @Override
  public byte @Nullable [] delete(Bytes key) {
    throw unsupported("delete without a time");
  }

  @Override
  public KeyValueIterator<Bytes, byte[]> range(@Nullable Bytes from, @Nullable Bytes to) {
    throw unsupported("range");
  }

  @Override
  public KeyValueIterator<Bytes, byte[]> all() {
    throw unsupported("all");
  }

  @Override
  public long approximateNumEntries() {
    throw unsupported("approximateNumEntries");
  }

  private UnsupportedOperationException unsupported(String call) {
    return new UnsupportedOperationException(
        "versioned store " + name() + " does not have: " + call);
  }
}
