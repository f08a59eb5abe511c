package dev.kv.jmh.store;

import org.jspecify.annotations.Nullable;

/**
 * An open database of one of the products. Thread-safe; the writers, readers and cursors it hands
 * out are for one thread each and must be closed before it.
 */
public interface Store extends AutoCloseable {

  /** Returns a writer that applies each operation at once. */
  Writer writer(boolean sync);

  /**
   * Returns a writer that collects operations and applies them together on {@link Writer#commit}.
   */
  Writer batchWriter(boolean sync);

  /** Returns a reader of single keys. */
  Reader reader();

  /** Returns a cursor over the present state. */
  Cursor cursor();

  /** Compacts everything, where the product knows such a thing. */
  void compact();

  /** Returns a text that the product keeps under LevelDB's property name, or null. */
  default @Nullable String property(String name) {
    return null;
  }

  /** Returns what the product says of its own work since the open. */
  default StoreFigures figures() {
    return StoreFigures.UNKNOWN;
  }

  /** Returns the bytes that the database takes on disk. */
  long diskBytes();

  @Override
  void close();
}
