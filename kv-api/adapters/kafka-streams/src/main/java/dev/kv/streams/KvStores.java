package dev.kv.streams;

import java.time.Duration;
import org.apache.kafka.streams.state.KeyValueBytesStoreSupplier;
import org.apache.kafka.streams.state.SessionBytesStoreSupplier;
import org.apache.kafka.streams.state.WindowBytesStoreSupplier;

/**
 * Suppliers of persistent state stores on kv, as {@link org.apache.kafka.streams.state.Stores} has
 * them for the built-in stores.
 */
public final class KvStores {
  private KvStores() {}

  /**
   * Returns a supplier of key-value stores.
   *
   * @param name the name of the store
   * @return the supplier
   */
  public static KeyValueBytesStoreSupplier keyValue(String name) {
    throw new UnsupportedOperationException("key-value store " + name);
  }

  /**
   * Returns a supplier of key-value stores whose values have timestamps. This is what the DSL uses
   * for tables.
   *
   * @param name the name of the store
   * @return the supplier
   */
  public static KeyValueBytesStoreSupplier timestampedKeyValue(String name) {
    throw new UnsupportedOperationException("key-value store " + name);
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
    throw new UnsupportedOperationException("window store " + name);
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
    throw new UnsupportedOperationException("window store " + name);
  }

  /**
   * Returns a supplier of session stores.
   *
   * @param name the name of the store
   * @param retention how long a session is kept after its end, in the time of the records
   * @return the supplier
   */
  public static SessionBytesStoreSupplier session(String name, Duration retention) {
    throw new UnsupportedOperationException("session store " + name);
  }
}
