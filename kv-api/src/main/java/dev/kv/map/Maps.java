package dev.kv.map;

import dev.kv.DB;
import dev.kv.DBComparator;
import dev.kv.ReadOptions;
import dev.kv.WriteOptions;
import java.util.Objects;

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
  public static <K, V> DBMap<K, V> of(DB db, KeyCodec<K> keys, Codec<V> values) {
    Objects.requireNonNull(db, "db");
    Objects.requireNonNull(keys, "keys");
    Objects.requireNonNull(values, "values");
    if (!db.comparator().equals(DBComparator.bytewise())) {
      throw new IllegalArgumentException(
          "a map needs the bytewise comparator, and this database has " + db.comparator().name());
    }
    return new DBMap<>(
        new MapStore<>(db, keys, values, ReadOptions.DEFAULT, WriteOptions.DEFAULT),
        KeyRange.ALL,
        false);
  }
}
