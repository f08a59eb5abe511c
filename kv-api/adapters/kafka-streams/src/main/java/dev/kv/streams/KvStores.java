package dev.kv.streams;

import dev.kv.streams.database.ProcessResources;
import dev.kv.streams.database.StoreKind;
import dev.kv.streams.database.StoreKind.Structure;
import dev.kv.streams.database.StoreKind.Values;
import java.time.Duration;
import org.apache.kafka.streams.state.KeyValueBytesStoreSupplier;
import org.apache.kafka.streams.state.SessionBytesStoreSupplier;
import org.apache.kafka.streams.state.VersionedBytesStoreSupplier;
import org.apache.kafka.streams.state.WindowBytesStoreSupplier;

/**
 * Suppliers of persistent state stores on kv, as {@link org.apache.kafka.streams.state.Stores} has
 * them for the built-in stores.
 */
public final class KvStores {
  /**
   * The key of the configuration that sets how much memory all stores of a process have together,
   * in bytes. It is one budget, for memtables, indexes of tables and a cache. Half of it is for
   * memtables that are being written. The first store of a process that is opened decides; the
   * default is {@link #DEFAULT_MEMORY_BYTES}.
   */
  public static final String MEMORY_BYTES_CONFIG = ProcessResources.MEMORY_BYTES_CONFIG;

  /** The default of {@link #MEMORY_BYTES_CONFIG}: 256 MiB. */
  public static final long DEFAULT_MEMORY_BYTES = ProcessResources.DEFAULT_MEMORY_BYTES;

  /** The smallest value of {@link #MEMORY_BYTES_CONFIG}: 16 MiB. */
  public static final long MIN_MEMORY_BYTES = ProcessResources.MIN_MEMORY_BYTES;

  private KvStores() {}

  /**
   * Returns a supplier of key-value stores.
   *
   * @param name the name of the store
   * @return the supplier
   */
  public static KeyValueBytesStoreSupplier keyValue(String name) {
    return new KeyValueSupplier(name, Values.PLAIN);
  }

  /**
   * Returns a supplier of key-value stores whose values have timestamps. This is what the DSL uses
   * for tables.
   *
   * @param name the name of the store
   * @return the supplier
   */
  public static KeyValueBytesStoreSupplier timestampedKeyValue(String name) {
    return new KeyValueSupplier(name, Values.TIMESTAMPED);
  }

  /**
   * Returns a supplier of key-value stores whose values have timestamps and the headers of their
   * records.
   *
   * @param name the name of the store
   * @return the supplier
   */
  public static KeyValueBytesStoreSupplier timestampedKeyValueWithHeaders(String name) {
    return new KeyValueSupplier(name, Values.HEADERS).marked();
  }

  /**
   * Returns a supplier of versioned key-value stores. Segments are half as long as the history
   * retention, and at least a minute.
   *
   * @param name the name of the store
   * @param historyRetention how long an old version can be read after it was replaced, in the time
   *     of the records, and how late a record may be to be stored
   * @return the supplier
   */
  public static VersionedBytesStoreSupplier versionedKeyValue(
      String name, Duration historyRetention) {
    long retention = historyRetention.toMillis();
    return new VersionedSupplier(name, retention, KeyBytes.segmentInterval(retention));
  }

  /**
   * Returns a supplier of versioned key-value stores.
   *
   * @param name the name of the store
   * @param historyRetention how long an old version can be read after it was replaced, in the time
   *     of the records, and how late a record may be to be stored
   * @param segmentInterval the time whose old versions are deleted together. The first open of a
   *     store decides.
   * @return the supplier
   */
  public static VersionedBytesStoreSupplier versionedKeyValue(
      String name, Duration historyRetention, Duration segmentInterval) {
    return new VersionedSupplier(name, historyRetention.toMillis(), segmentInterval.toMillis());
  }

  /**
   * Returns a supplier of window stores.
   *
   * @param name the name of the store
   * @param retention how long a window is kept after its start, in the time of the records
   * @param windowSize the size of the windows
   * @param retainDuplicates true if a window keeps all records of a key, as joins of streams want
   * @return the supplier
   */
  public static WindowBytesStoreSupplier window(
      String name, Duration retention, Duration windowSize, boolean retainDuplicates) {
    return windowStore(
        name, retention, windowSize, retainDuplicates, Structure.WINDOW, Values.PLAIN);
  }

  /**
   * Returns a supplier of window stores whose values have timestamps. This is what the DSL uses for
   * windowed aggregations.
   *
   * @param name the name of the store
   * @param retention how long a window is kept after its start, in the time of the records
   * @param windowSize the size of the windows
   * @param retainDuplicates true if a window keeps all records of a key, as joins of streams want
   * @return the supplier
   */
  public static WindowBytesStoreSupplier timestampedWindow(
      String name, Duration retention, Duration windowSize, boolean retainDuplicates) {
    return windowStore(
        name, retention, windowSize, retainDuplicates, Structure.WINDOW, Values.TIMESTAMPED);
  }

  /**
   * Returns a supplier of window stores whose values have timestamps and the headers of their
   * records.
   *
   * @param name the name of the store
   * @param retention how long a window is kept after its start, in the time of the records
   * @param windowSize the size of the windows
   * @param retainDuplicates true if a window keeps all records of a key, as joins of streams want
   * @return the supplier
   */
  public static WindowBytesStoreSupplier timestampedWindowWithHeaders(
      String name, Duration retention, Duration windowSize, boolean retainDuplicates) {
    return windowStore(
        name, retention, windowSize, retainDuplicates, Structure.WINDOW, Values.HEADERS);
  }

  static WindowBytesStoreSupplier windowStore(
      String name,
      Duration retention,
      Duration windowSize,
      boolean retainDuplicates,
      Structure structure,
      Values values) {
    StoreKind kind = new StoreKind(structure, values);
    return new WindowSupplier(
            name, kind, retention.toMillis(), windowSize.toMillis(), retainDuplicates)
        .marked();
  }

  /**
   * Returns a supplier of session stores.
   *
   * @param name the name of the store
   * @param retention how long a session is kept after its end, in the time of the records
   * @return the supplier
   */
  public static SessionBytesStoreSupplier session(String name, Duration retention) {
    return sessionStore(name, retention, Structure.SESSION, Values.PLAIN);
  }

  /**
   * Returns a supplier of session stores whose values have the headers of their records.
   *
   * @param name the name of the store
   * @param retention how long a session is kept after its end, in the time of the records
   * @return the supplier
   */
  public static SessionBytesStoreSupplier sessionWithHeaders(String name, Duration retention) {
    return sessionStore(name, retention, Structure.SESSION, Values.HEADERS);
  }

  static SessionBytesStoreSupplier sessionStore(
      String name, Duration retention, Structure structure, Values values) {
    StoreKind kind = new StoreKind(structure, values);
    return new SessionSupplier(name, kind, retention.toMillis()).marked();
  }
}
