package dev.kv.map;

import dev.kv.BatchOperations;
import dev.kv.DBReader;
import dev.kv.DBWriter;
import dev.kv.KeyValueStore;
import dev.kv.ReadOptions;
import dev.kv.Snapshot;
import dev.kv.Transaction;
import dev.kv.WriteBatch;
import dev.kv.WriteOptions;
import dev.kv.bytes.DBComparator;
import java.util.AbstractMap;
import java.util.Collection;
import java.util.Collections;
import java.util.Comparator;
import java.util.Iterator;
import java.util.Map;
import java.util.NavigableMap;
import java.util.NavigableSet;
import java.util.NoSuchElementException;
import java.util.Objects;
import java.util.Set;
import java.util.Spliterator;
import java.util.concurrent.ConcurrentNavigableMap;
import java.util.function.BiFunction;
import java.util.function.Function;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/**
 * A database as a map, made by {@link #of}. A view: it holds no entries and no files, and needs no
 * close. Thread-safe.
 *
 * <pre>{@code
 * DBMap<String, Long> visits = DBMap.of(db, Codecs.utf8(), Codecs.longs());
 * visits.merge("/index.html", 1L, Long::sum);
 * }</pre>
 *
 * <p>What differs from maps in memory:
 *
 * <ul>
 *   <li>{@link #put} and {@link #remove(Object)} return the old value, so they read it first.
 *       {@link #set}, {@link #delete} and {@link #putAll} only write.
 *   <li>{@link #size} counts the entries, one by one.
 *   <li>The order is that of the key codec. For {@link Codecs#utf8}, this is not {@link
 *       String#compareTo}.
 *   <li>Neither keys nor values are null. An entry is a copy, and refuses {@link
 *       java.util.Map.Entry#setValue}. A value that was read and then changed has to be written
 *       again.
 *   <li>A key that the codec refuses with {@link IllegalArgumentException} is not in the map: for
 *       it {@link #get(Object)}, {@link #getOrDefault}, {@link #containsKey}, {@link
 *       #remove(Object)}, {@link #remove(Object, Object)} and {@code contains} and {@code remove}
 *       of the views return null, the default or false. All other methods throw the exception.
 *   <li>Values compare by {@link Objects#deepEquals}, so arrays compare by their content. {@link
 *       #remove(Object, Object)} and {@link #replace(Object, Object, Object)} also take a value
 *       with the same bytes. {@link #equals} and {@link #hashCode} are those of all maps, which use
 *       those of the values.
 * </ul>
 *
 * <p>Each method that changes one entry is atomic, {@link #compute} and {@link #merge} included:
 * they read the value, call their function without a lock, and write on the condition that the
 * value is still the same. If it is not, they begin again, so the function may be called more than
 * once. All programs that write the database can take part, with or without a map.
 *
 * <p>Iterators, streams and {@link #size} are weakly consistent, as those of {@link
 * java.util.concurrent.ConcurrentSkipListMap}: they never throw {@link
 * java.util.ConcurrentModificationException}, and may or may not show later writes. They read in
 * chunks, and need no close. {@link #at} gives a view that does not change.
 *
 * <p>Every method can throw what the methods of {@link dev.kv.DB} throw. If the codec cannot decode
 * the bytes of an entry, it is an {@link IllegalArgumentException} that names the map and the key,
 * with the exception of the codec as its cause, and the entry does not change.
 *
 * @param <K> the type of the keys
 * @param <V> the type of the values
 */
public final class DBMap<K, V> extends AbstractMap<K, V> implements ConcurrentNavigableMap<K, V> {
  static final int TRAITS = Spliterator.ORDERED | Spliterator.NONNULL;
  static final int SET_TRAITS = TRAITS | Spliterator.DISTINCT;

  private final MapStore<K, V> store;
  private final AtomicUpdates<K, V> updates;
  private final KeyRange range;

  DBMap(MapStore<K, V> store, KeyRange range) {
    this.store = store;
    this.updates = new AtomicUpdates<>(store);
    this.range = range;
  }

  /**
   * Returns a database as a map. Every entry of the database belongs to the map. For a map over a
   * part of a database, pass a {@code dev.kv.space.Space}.
   *
   * @param <K> the type of the keys
   * @param <V> the type of the values
   * @param db the database, which the caller closes when the map is no longer used
   * @param keys the codec of the keys
   * @param values the codec of the values
   * @return the map
   * @throws IllegalArgumentException if the database's comparator is not bytewise
   */
  public static <K, V> DBMap<K, V> of(KeyValueStore db, KeyCodec<K> keys, Codec<V> values) {
    return over(Objects.requireNonNull(db, "db"), db, keys, values);
  }

  /**
   * Returns what is read as a map that cannot be changed: a snapshot, a transaction, a database
   * that is open for reads only, or another reader. Every entry of the reader belongs to the map.
   * As {@link Collections#unmodifiableNavigableMap} does, it refuses writes.
   *
   * @param <K> the type of the keys
   * @param <V> the type of the values
   * @param reader reads the entries, and stays open while the map is used
   * @param keys the codec of the keys
   * @param values the codec of the values
   * @return the map
   * @throws IllegalArgumentException if the reader's comparator is not bytewise
   */
  public static <K, V> NavigableMap<K, V> reading(
      DBReader reader, KeyCodec<K> keys, Codec<V> values) {
    return over(Objects.requireNonNull(reader, "reader"), null, keys, values);
  }

  private static <K, V> DBMap<K, V> over(
      DBReader reader, @Nullable DBWriter writer, KeyCodec<K> keys, Codec<V> values) {
    Objects.requireNonNull(keys, "keys");
    Objects.requireNonNull(values, "values");
    if (!reader.comparator().equals(DBComparator.bytewise())) {
      throw new IllegalArgumentException(
          "a map needs the bytewise comparator, and this database has "
              + reader.comparator().name());
    }
    return new DBMap<>(
        new MapStore<>(reader, writer, keys, values, ReadOptions.DEFAULT, WriteOptions.DEFAULT),
        KeyRange.ALL);
  }

  /**
   * Returns a map over the same entries that writes with other options.
   *
   * @param options how to write, for example {@link WriteOptions#SYNC}
   * @return the map
   */
  public DBMap<K, V> writing(WriteOptions options) {
    Objects.requireNonNull(options, "options");
    return with(
        new MapStore<>(
            store.reader(), store.writer(), store.keys(), store.values(), store.reads(), options));
  }

  /**
   * Returns a map of the entries in a snapshot. It does not change. As {@link
   * Collections#unmodifiableNavigableMap} does, it refuses writes.
   *
   * @param snapshot a snapshot of the database, which stays open while the map is used
   * @return the map
   */
  public NavigableMap<K, V> at(Snapshot snapshot) {
    Objects.requireNonNull(snapshot, "snapshot");
    ReadOptions reads = store.reads().toBuilder().snapshot(snapshot).build();
    return with(
        new MapStore<>(store.reader(), null, store.keys(), store.values(), reads, store.writes()));
  }

  private DBMap<K, V> with(MapStore<K, V> other) {
    return new DBMap<>(other, range);
  }

  /**
   * Sets the value of a key. Unlike {@link #put}, it does not read the old value.
   *
   * @param key the key
   * @param value the value
   * @throws IllegalArgumentException if this map is a part of another, and the key is outside it
   */
  public void set(K key, V value) {
    store.put(target(key), store.encodeValue(value));
  }

  /**
   * Adds an operation to a batch that sets the value of a key. Over a view, such as a space, the
   * operation is one on the view, and the batch is written to the database of the view.
   *
   * @param batch the batch; if it is for views of several layers, see {@link
   *     dev.kv.KeyValueStore#within(BatchOperations)}
   * @param key the key
   * @param value the value
   * @throws IllegalArgumentException if this map is a part of another, and the key is outside it
   */
  public void set(BatchOperations batch, K key, V value) {
    store.within(batch).put(target(key), store.encodeValue(value));
  }

  /**
   * Deletes a key. Unlike {@link #remove(Object)}, it does not read the old value. It does nothing
   * if the key does not exist.
   *
   * @param key the key
   * @throws IllegalArgumentException if this map is a part of another, and the key is outside it
   */
  public void delete(K key) {
    store.delete(target(key));
  }

  /**
   * Adds an operation to a batch that deletes a key. The batch is then written to the database of
   * this map.
   *
   * @param batch the batch
   * @param key the key
   * @throws IllegalArgumentException if this map is a part of another, and the key is outside it
   */
  public void delete(BatchOperations batch, K key) {
    store.within(batch).delete(target(key));
  }

  /**
   * Returns the value of a key in a transaction of the database of this map.
   *
   * @param transaction the transaction
   * @param key the key
   * @return the value, or null if the key does not exist
   */
  public @Nullable V get(Transaction transaction, K key) {
    Transaction within = store.within(transaction);
    byte[] encoded = store.encodeKey(key);
    return range.contains(encoded) ? store.decodeOrNull(encoded, within.get(encoded)) : null;
  }

  /**
   * Returns the value of a key in a transaction of the database of this map, whose commit fails if
   * the key is changed by others until then.
   *
   * @param transaction the transaction
   * @param key the key
   * @return the value, or null if the key does not exist
   * @throws IllegalArgumentException if this map is a part of another, and the key is outside it
   */
  public @Nullable V getForUpdate(Transaction transaction, K key) {
    byte[] encoded = target(key);
    return store.decodeOrNull(encoded, store.within(transaction).getForUpdate(encoded));
  }

  /**
   * Sets the value of a key in a transaction of the database of this map.
   *
   * @param transaction the transaction
   * @param key the key
   * @param value the value
   * @throws IllegalArgumentException if this map is a part of another, and the key is outside it
   */
  public void set(Transaction transaction, K key, V value) {
    store.within(transaction).put(target(key), store.encodeValue(value));
  }

  /**
   * Deletes a key in a transaction of the database of this map.
   *
   * @param transaction the transaction
   * @param key the key
   * @throws IllegalArgumentException if this map is a part of another, and the key is outside it
   */
  public void delete(Transaction transaction, K key) {
    store.within(transaction).delete(target(key));
  }

  /** Encodes a key that is to be written. */
  private byte[] target(K key) {
    byte[] encoded = store.encodeKey(key);
    if (!range.contains(encoded)) {
      throw outOfRange(key);
    }
    return encoded;
  }

  private static IllegalArgumentException outOfRange(Object key) {
    return new IllegalArgumentException("the key is out of the range of this map: " + key);
  }

  /** Returns the bytes of a key that may be in this map, or null if none of its keys is equal. */
  private byte @Nullable [] possibleKey(Object key) {
    byte[] encoded = store.encodeKeyOrNull(key);
    return encoded != null && range.contains(encoded) ? encoded : null;
  }

  @Override
  public @Nullable V get(Object key) {
    byte[] encoded = possibleKey(key);
    return encoded == null ? null : store.get(encoded);
  }

  @Override
  public boolean containsKey(Object key) {
    byte[] encoded = possibleKey(key);
    return encoded != null && store.contains(encoded);
  }

  /** Reads entries until it finds the value. */
  @Override
  public boolean containsValue(Object value) {
    Objects.requireNonNull(value, "value");
    for (Iterator<V> each = valueScan(); each.hasNext(); ) {
      if (Objects.deepEquals(each.next(), value)) {
        return true;
      }
    }
    return false;
  }

  @Override
  public @Nullable V put(K key, V value) {
    return updates.put(target(key), store.encodeValue(value));
  }

  /** Sets all entries in one atomic write, and does not read the old values. */
  @Override
  public void putAll(Map<? extends K, ? extends V> entries) {
    Objects.requireNonNull(entries, "entries");
    WriteBatch batch = WriteBatch.create();
    entries.forEach((key, value) -> batch.put(target(key), store.encodeValue(value)));
    store.write(batch);
  }

  @Override
  public @Nullable V putIfAbsent(K key, V value) {
    return updates.putIfAbsent(target(key), store.encodeValue(value));
  }

  @Override
  public @Nullable V remove(Object key) {
    byte[] encoded = possibleKey(key);
    store.requireWritable();
    return encoded == null ? null : updates.replace(encoded, null);
  }

  @Override
  public boolean remove(Object key, @Nullable Object value) {
    if (key instanceof Transaction || key instanceof BatchOperations) {
      throw new IllegalArgumentException(
          "this is the remove(key, value) of a map: delete(transaction, key) deletes a key in a"
              + " transaction or a batch");
    }
    byte[] encoded = possibleKey(key);
    store.requireWritable();
    return encoded != null && updates.replaceEqual(encoded, value, null);
  }

  @Override
  public @Nullable V replace(K key, V value) {
    return updates.replace(target(key), store.encodeValue(value));
  }

  @Override
  public boolean replace(K key, V old, V value) {
    Objects.requireNonNull(old, "old");
    return updates.replaceEqual(target(key), old, store.encodeValue(value));
  }

  @Override
  public void replaceAll(BiFunction<? super K, ? super V, ? extends V> function) {
    updates.replaceAll(range, Objects.requireNonNull(function, "function"));
  }

  @Override
  public @Nullable V computeIfAbsent(K key, Function<? super K, ? extends @Nullable V> function) {
    Objects.requireNonNull(function, "function");
    byte[] encoded = store.encodeKey(key);
    while (true) {
      V present = range.contains(encoded) ? store.get(encoded) : null;
      if (present != null) {
        return present;
      }
      store.requireWritable();
      V computed = function.apply(key);
      if (computed == null || store.swap(target(key), null, store.encodeValue(computed))) {
        return computed;
      }
    }
  }

  @Override
  public @Nullable V computeIfPresent(
      K key, BiFunction<? super K, ? super V, ? extends @Nullable V> function) {
    Objects.requireNonNull(function, "function");
    return update(key, old -> old == null ? null : function.apply(key, old));
  }

  @Override
  public @Nullable V compute(
      K key, BiFunction<? super K, ? super @Nullable V, ? extends @Nullable V> function) {
    Objects.requireNonNull(function, "function");
    return update(key, old -> function.apply(key, old));
  }

  @Override
  public @Nullable V merge(
      K key, V value, BiFunction<? super V, ? super V, ? extends @Nullable V> function) {
    Objects.requireNonNull(value, "value");
    Objects.requireNonNull(function, "function");
    return update(key, old -> old == null ? value : function.apply(old, value));
  }

  /** As in maps of the JDK, a key outside the range is an error only if there is a value to set. */
  private @Nullable V update(K key, Function<@Nullable V, @Nullable V> function) {
    byte[] encoded = store.encodeKey(key);
    store.requireWritable();
    if (range.contains(encoded)) {
      return updates.update(encoded, function);
    }
    if (function.apply(null) != null) {
      throw outOfRange(key);
    }
    return null;
  }

  /** Deletes the entries that a filter accepts, except those whose value changed meanwhile. */
  boolean removeIf(Predicate<? super Map.Entry<K, V>> filter) {
    return updates.removeIf(range, Objects.requireNonNull(filter, "filter"));
  }

  /**
   * Deletes all entries, as one atomic write. Above a thousand, it is a {@linkplain
   * dev.kv.DB#deleteRange(byte[], byte[]) deletion of the range}. Otherwise it deletes the keys
   * that it finds at one moment; keys that others add meanwhile stay, and values that they set for
   * these keys are deleted with them.
   */
  @Override
  public void clear() {
    store.clear(range);
  }

  /**
   * Counts the entries, which takes time in proportion to their number.
   *
   * @return the number of entries, or {@link Integer#MAX_VALUE} if there are more
   */
  @Override
  public int size() {
    return (int) Math.min(store.count(range), Integer.MAX_VALUE);
  }

  /**
   * Counts the entries, which takes time in proportion to their number.
   *
   * @return the number of entries
   */
  public long mappingCount() {
    return store.count(range);
  }

  @Override
  public boolean isEmpty() {
    return store.isEmpty(range);
  }

  @Override
  public Comparator<? super K> comparator() {
    Comparator<? super K> order = store.keys().order();
    return range.descending() ? Collections.reverseOrder(order) : order;
  }

  @Override
  public NavigableSet<K> keySet() {
    return new KeyView<>(this);
  }

  @Override
  public NavigableSet<K> navigableKeySet() {
    return keySet();
  }

  @Override
  public NavigableSet<K> descendingKeySet() {
    return descendingMap().keySet();
  }

  @Override
  public Collection<V> values() {
    return new ValueView<>(this);
  }

  @Override
  public Set<Map.Entry<K, V>> entrySet() {
    return new EntryView<>(this);
  }

  Iterator<K> keyScan() {
    return Scan.keys(store, range);
  }

  Iterator<V> valueScan() {
    return Scan.values(store, range);
  }

  Iterator<Map.Entry<K, V>> entryScan() {
    return Scan.entries(store, range);
  }

  @Override
  public K firstKey() {
    return present(store.endKey(range, false));
  }

  @Override
  public K lastKey() {
    return present(store.endKey(range, true));
  }

  private static <K> K present(@Nullable K key) {
    if (key == null) {
      throw new NoSuchElementException("the map is empty");
    }
    return key;
  }

  @Override
  public Map.@Nullable Entry<K, V> firstEntry() {
    return store.endEntry(range, false);
  }

  @Override
  public Map.@Nullable Entry<K, V> lastEntry() {
    return store.endEntry(range, true);
  }

  @Override
  public Map.@Nullable Entry<K, V> lowerEntry(K key) {
    return store.endEntry(before(key, false), true);
  }

  @Override
  public @Nullable K lowerKey(K key) {
    return store.endKey(before(key, false), true);
  }

  @Override
  public Map.@Nullable Entry<K, V> floorEntry(K key) {
    return store.endEntry(before(key, true), true);
  }

  @Override
  public @Nullable K floorKey(K key) {
    return store.endKey(before(key, true), true);
  }

  @Override
  public Map.@Nullable Entry<K, V> ceilingEntry(K key) {
    return store.endEntry(after(key, true), false);
  }

  @Override
  public @Nullable K ceilingKey(K key) {
    return store.endKey(after(key, true), false);
  }

  @Override
  public Map.@Nullable Entry<K, V> higherEntry(K key) {
    return store.endEntry(after(key, false), false);
  }

  @Override
  public @Nullable K higherKey(K key) {
    return store.endKey(after(key, false), false);
  }

  private KeyRange before(K key, boolean inclusive) {
    return range.before(store.encodeKey(key), inclusive);
  }

  private KeyRange after(K key, boolean inclusive) {
    return range.after(store.encodeKey(key), inclusive);
  }

  /**
   * {@inheritDoc}
   *
   * <p>Each entry is polled once. An entry before it that another thread adds meanwhile does not
   * count, as in {@link java.util.concurrent.ConcurrentSkipListMap}.
   */
  @Override
  public Map.@Nullable Entry<K, V> pollFirstEntry() {
    return updates.poll(range, false);
  }

  /**
   * {@inheritDoc}
   *
   * <p>As for {@link #pollFirstEntry}.
   */
  @Override
  public Map.@Nullable Entry<K, V> pollLastEntry() {
    return updates.poll(range, true);
  }

  @Override
  public DBMap<K, V> descendingMap() {
    return new DBMap<>(store, range.reversed());
  }

  @Override
  public DBMap<K, V> subMap(K from, boolean fromInclusive, K to, boolean toInclusive) {
    byte[] first = store.encodeKey(Objects.requireNonNull(from, "from"));
    byte[] last = store.encodeKey(Objects.requireNonNull(to, "to"));
    if (range.compare(first, last) > 0) {
      throw new IllegalArgumentException("from " + from + " is after to " + to);
    }
    return tailMap(from, fromInclusive).headMap(to, toInclusive);
  }

  @Override
  public DBMap<K, V> headMap(K to, boolean inclusive) {
    byte[] end = store.encodeKey(Objects.requireNonNull(to, "to"));
    return part(to, range.head(end, inclusive));
  }

  @Override
  public DBMap<K, V> tailMap(K from, boolean inclusive) {
    byte[] begin = store.encodeKey(Objects.requireNonNull(from, "from"));
    return part(from, range.tail(begin, inclusive));
  }

  private DBMap<K, V> part(Object bound, @Nullable KeyRange part) {
    if (part == null) {
      throw outOfRange(bound);
    }
    return new DBMap<>(store, part);
  }

  @Override
  public DBMap<K, V> subMap(K from, K to) {
    return subMap(from, true, to, false);
  }

  @Override
  public DBMap<K, V> headMap(K to) {
    return headMap(to, false);
  }

  @Override
  public DBMap<K, V> tailMap(K from) {
    return tailMap(from, true);
  }
}
