package dev.kv.core.load;

import dev.kv.core.iterator.InternalIterator;
import dev.kv.core.table.Table;
import dev.kv.core.table.cache.ReadFlags;

/**
 * A sorted run of an {@link ExternalSort}: a table in a temporary file, open until it is closed.
 */
final class SortedRun implements AutoCloseable {
  private final Table table;
  private final Runnable delete;
  private boolean closed;

  /** Takes ownership of the open table; {@code delete} deletes its file. */
  SortedRun(Table table, Runnable delete) {
    this.table = table;
    this.delete = delete;
  }

  /** Returns a cursor over the entries, which the caller closes before the run. */
  InternalIterator iterator() {
    return table.iterator(ReadFlags.of(true, false), () -> {});
  }

  /** Closes the table and deletes the file. Closing it twice does nothing. */
  @Override
  public void close() {
    if (!closed) {
      closed = true;
      table.free();
      delete.run();
    }
  }
}
