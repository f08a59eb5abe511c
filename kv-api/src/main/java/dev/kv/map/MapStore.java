package dev.kv.map;

import dev.kv.DBIterator;
import dev.kv.DBReader;
import dev.kv.DBWriter;
import dev.kv.KeyValueStore;
import dev.kv.ReadOptions;
import dev.kv.Transaction;
import dev.kv.WriteBatch;
import dev.kv.WriteOptions;
import dev.kv.bytes.Entry;
import dev.kv.bytes.Slice;
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
    return encoded(keys.encode((K) Objects.requireNonNull(key, "key")), "key");
  }

  byte[] encodeValue(V value) {
    return encoded(values.encode(Objects.requireNonNull(value, "value")), "value");
  }

  private static byte[] encoded(byte @Nullable [] bytes, String what) {
    return Objects.requireNonNull(bytes, () -> "the codec returned null for a " + what);
  }

  K decodeKey(byte[] key) {
    return Objects.requireNonNull(keys.decode(Slice.of(key)), "the codec returned a null key");
  }

  V decodeValue(byte[] value) {
    return decodeValue(Slice.of(value));
  }

  @Nullable V decodeOrNull(byte @Nullable [] value) {
    return value == null ? null : decodeValue(value);
  }

  private V decodeValue(Slice value) {
    return Objects.requireNonNull(values.decode(value), "the codec returned a null value");
  }

  Map.Entry<K, V> decode(Entry entry) {
    return new SimpleImmutableEntry<>(decodeKey(entry.key()), decodeValue(entry.value()));
  }

  @Nullable V get(byte[] key) {
    return reader.read(reads, key, this::decodeValue);
  }

  byte @Nullable [] bytes(byte[] key) {
    return reader.get(reads, key);
  }

  boolean contains(byte[] key) {
    return reader.read(reads, key, value -> Boolean.TRUE) != null;
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
  WriteBatch within(WriteBatch batch) {
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
   * Returns the first or the last entry of a range, or null if there is none.
   *
   * @param withValue false to return an empty array in the place of the value
   */
  @Nullable Entry end(KeyRange range, boolean last, boolean withValue) {
    if (range.isEmpty()) {
      return null;
    }
    try (DBIterator cursor = cursor(range)) {
      if (last) {
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
      target.deleteRange(writes, range.lower(), range.upper());
    }
  }
}
