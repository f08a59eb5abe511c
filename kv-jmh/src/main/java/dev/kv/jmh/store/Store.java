package dev.kv.jmh.store;

import org.jspecify.annotations.Nullable;

/**
 * An open database of one store. Thread-safe. Its writers, readers and cursors are for one thread
 * each, and must be closed before the store.
 */
public interface Store extends AutoCloseable {

  /** Returns a writer that applies each operation at once. */
  Writer writer(boolean sync);

  /**
   * Returns a writer that collects operations and applies them together on {@link Writer#commit}.
   */
  Writer batchWriter(boolean sync);

  /**
   * Returns a writer that loads ascending keys without a log; its close makes them visible and
   * durable.
   *
   * @throws UnsupportedOperationException if there is none for the store
   */
  default Writer bulkWriter() {
    throw new UnsupportedOperationException("there is no bulk load for it here");
  }

  /** Returns a reader of single keys. */
  Reader reader();

  /** Returns a cursor over the present entries. */
  Cursor cursor();

  /** Returns what opens many cursors, one after the other. */
  default Cursors cursors() {
    return this::cursor;
  }

  /**
   * Reads every byte of all entries in order, and calls {@code meter} for each. A store that has a
   * scan without a cursor uses that.
   */
  default void scan(OpMeter meter) {
    try (Cursor cursor = cursor()) {
      cursor.scanForward(Long.MAX_VALUE, meter);
    }
  }

  /**
   * Compacts everything.
   *
   * @throws UnsupportedOperationException if the store has no compaction on demand
   */
  void compact();

  /**
   * Deletes all keys from {@code from}, inclusive, to {@code to}, exclusive, with one call. Returns
   * false if the store has no such call.
   */
  default boolean deleteRange(byte[] from, byte[] to) {
    return false;
  }

  /** Returns the property with LevelDB's name, or null if the store does not have it. */
  default @Nullable String property(String name) {
    return null;
  }

  /** Returns the store's own statistics since the open. */
  default StoreStats figures() {
    return StoreStats.UNKNOWN;
  }

  /** Returns the size of the database on disk in bytes. */
  long diskBytes();

  @Override
  void close();
}
