package dev.kv.map;

import dev.kv.DBReader;
import dev.kv.DBWriter;
import dev.kv.KeyValueStore;
import dev.kv.ReadOptions;
import dev.kv.WriteOptions;
import dev.kv.bytes.DBComparator;
import java.util.NavigableMap;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/** Creates typed maps over databases. Thread-safe. */
public final class Maps {
  private Maps() {}

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
    return map(Objects.requireNonNull(db, "db"), db, keys, values);
  }

  /**
   * Returns what is read as a map that cannot be changed: a snapshot, a transaction, a database
   * that is open for reads only, or another reader. Every entry of the reader belongs to the map.
   * As {@link java.util.Collections#unmodifiableNavigableMap} does, it refuses writes.
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
    return map(Objects.requireNonNull(reader, "reader"), null, keys, values);
  }

  private static <K, V> DBMap<K, V> map(
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
        KeyRange.ALL,
        false);
  }
}
