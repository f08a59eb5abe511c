package dev.kv.map;

import dev.kv.BatchOperations;
import dev.kv.DBIterator;
import dev.kv.DBReader;
import dev.kv.DBWriter;
import dev.kv.KeyValueStore;
import dev.kv.ReadOptions;
import dev.kv.Transaction;
import dev.kv.WriteBatch;
import dev.kv.WriteOptions;
import dev.kv.bytes.Entry;
import dev.kv.bytes.Escape;
import dev.kv.bytes.Slice;
import dev.kv.errors.DBException;
import java.util.AbstractMap.SimpleImmutableEntry;
import java.util.Map;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * What a map and its views share: the database, the codecs, and reads and writes by encoded keys.
 * Immutable.
 *
 * @param reader reads the entries
 * @param writer writes them; null if the map refuses writes
 */
record MapStore<K, V>(
    DBReader reader,
    @Nullable DBWriter writer,
    KeyCodec<K> keys,
    Codec<V> values,
    ReadOptions reads,
    WriteOptions writes) {
  private static final byte[] NONE = {};

  /** A {@link #clear} of fewer keys is a batch. */
  private static final int FEW_KEYS = 1000;

  @SuppressWarnings("unchecked") // as in all maps, an object of another class fails in the codec
  byte[] encodeKey(Object key) {
    return encode(keys, (K) Objects.requireNonNull(key, "key"), "a key");
  }

  /** Returns the bytes of an object that may be a key, or null if the codec refuses it. */
  byte @Nullable [] encodeKeyOrNull(Object key) {
    try {
      return encodeKey(key);
    } catch (IllegalArgumentException notAKey) {
      return null;
    }
  }

  byte[] encodeValue(V value) {
    return encode(values, Objects.requireNonNull(value, "value"), "a value");
  }

  /** Returns the bytes of an object that may be a value, or null if it is not one. */
  @SuppressWarnings("unchecked") // an object of another class fails in the codec
  byte @Nullable [] encodeOrNull(@Nullable Object value) {
    try {
      return value == null ? null : encodeValue((V) value);
    } catch (DBException e) { // of a database that the codec reads
      throw e;
    } catch (RuntimeException notAValue) {
      return null;
    }
  }

  private <T> byte[] encode(Codec<T> codec, T object, String what) {
    byte[] bytes;
    try {
      bytes = codec.encode(object);
    } catch (IllegalArgumentException e) {
      throw new IllegalArgumentException(this + ": " + what + ": " + e.getMessage(), e);
    }
    return Objects.requireNonNull(bytes, () -> this + ": the codec returned null for " + what);
  }

  K decodeKey(byte[] key) {
    return decode(keys, Slice.of(key), "", key);
  }

  V decodeValue(byte[] key, byte[] value) {
    return decodeValue(key, Slice.of(value));
  }

  @Nullable V decodeOrNull(byte[] key, byte @Nullable [] value) {
    return value == null ? null : decodeValue(key, value);
  }

  private V decodeValue(byte[] key, Slice value) {
    return decode(values, value, "the value of ", key);
  }

  /** Decodes, and names the map and the entry if the codec cannot. */
  private <T> T decode(Codec<T> codec, Slice bytes, String what, byte[] key) {
    T object;
    try {
      object = codec.decode(bytes);
    } catch (DBException e) { // of a database that the codec reads
      throw e;
    } catch (RuntimeException e) {
      throw new IllegalArgumentException(place(what, key) + ": " + e.getMessage(), e);
    }
    return Objects.requireNonNull(object, () -> place(what, key) + ": the codec returned null");
  }

  private String place(String what, byte[] key) {
    return this + ": " + what + "key '" + Escape.shown(key) + "'";
  }

  /** Names the map, for messages. */
  @Override
  public String toString() {
    return "map of " + reader;
  }

  Map.Entry<K, V> decode(Entry entry) {
    return new SimpleImmutableEntry<>(
        decodeKey(entry.key()), decodeValue(entry.key(), entry.value()));
  }

  @Nullable V get(byte[] key) {
    return reader.read(reads, key, value -> decodeValue(key, value));
  }

  byte @Nullable [] bytes(byte[] key) {
    return reader.get(reads, key);
  }

  boolean contains(byte[] key) {
    return reader.containsKey(reads, key);
  }

  void put(byte[] key, byte[] value) {
    requireWritable().put(writes, key, value);
  }

  void delete(byte[] key) {
    requireWritable().delete(writes, key);
  }

  void write(WriteBatch batch) {
    requireWritable().write(writes, batch);
  }

  /**
   * Sets or deletes a key if its value is still the expected one.
   *
   * @param expected the expected value, or null if the key is expected not to exist
   * @param next the new value, or null to delete the key
   * @return false if the value is another one, and nothing was written
   */
  boolean swap(byte[] key, byte @Nullable [] expected, byte @Nullable [] next) {
    return requireWritable().compareAndSet(writes, key, expected, next);
  }

  /** Returns the batch, or the view of it that is the map's part of its database. */
  BatchOperations within(BatchOperations batch) {
    Objects.requireNonNull(batch, "batch");
    return reader instanceof KeyValueStore store ? store.within(batch) : batch;
  }

  /** Returns the transaction, or the view of it that is the map's part of its database. */
  Transaction within(Transaction transaction) {
    Objects.requireNonNull(transaction, "transaction");
    return reader instanceof KeyValueStore store ? store.within(transaction) : transaction;
  }

  /** Returns what writes, or throws if the map cannot be changed. */
  DBWriter requireWritable() {
    if (writer == null) {
      throw new UnsupportedOperationException(
          "a map that shows a snapshot or another reader cannot be changed");
    }
    return writer;
  }

  /** Returns a cursor over a range that is not empty, which the caller closes. */
  DBIterator cursor(KeyRange range) {
    return reader.iterator(
        reads.toBuilder()
            .lowerBound(range.lower().length == 0 ? null : range.lower())
            .upperBound(range.upper())
            .build());
  }

  /**
   * Returns the first or the last entry of a range in its direction, or null if there is none.
   *
   * @param withValue false to return an empty array in the place of the value
   */
  @Nullable Entry end(KeyRange range, boolean last, boolean withValue) {
    if (range.isEmpty()) {
      return null;
    }
    try (DBIterator cursor = cursor(range)) {
      if (last != range.descending()) {
        cursor.seekToLast();
      } else {
        cursor.seekToFirst();
      }
      return cursor.isValid() ? entry(cursor, withValue) : null;
    }
  }

  boolean isEmpty(KeyRange range) {
    return end(range, false, false) == null;
  }

  Map.@Nullable Entry<K, V> endEntry(KeyRange range, boolean last) {
    Entry entry = end(range, last, true);
    return entry == null ? null : decode(entry);
  }

  @Nullable K endKey(KeyRange range, boolean last) {
    Entry entry = end(range, last, false);
    return entry == null ? null : decodeKey(entry.key());
  }

  static Entry entry(DBIterator cursor, boolean withValue) {
    return new Entry(cursor.key(), withValue ? cursor.value() : NONE);
  }

  /** Returns the number of entries in a range. */
  long count(KeyRange range) {
    if (range.isEmpty()) {
      return 0;
    }
    long count = 0;
    try (DBIterator cursor = cursor(range)) {
      for (cursor.seekToFirst(); cursor.isValid(); cursor.next()) {
        count++;
      }
    }
    return count;
  }

  /**
   * Deletes the keys of a range, as one atomic write. A few keys are deleted one by one, because a
   * deletion of the range writes and syncs tables.
   */
  void clear(KeyRange range) {
    DBWriter target = requireWritable();
    if (range.isEmpty()) {
      return;
    }
    WriteBatch batch = WriteBatch.create();
    boolean few;
    try (DBIterator cursor = cursor(range)) {
      cursor.seekToFirst();
      while (cursor.isValid() && batch.count() < FEW_KEYS) {
        batch.delete(cursor.key());
        cursor.next();
      }
      few = !cursor.isValid();
    }
    if (few) {
      target.write(writes, batch);
    } else {
      target.deleteRange(range.lower(), range.upper());
    }
  }
}
