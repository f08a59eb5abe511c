package dev.kv;

import dev.kv.admin.DBInspector;
import dev.kv.errors.ComparatorException;
import dev.kv.errors.CorruptionException;
import dev.kv.errors.DBClosedException;
import dev.kv.errors.DBIOException;
import dev.kv.errors.OffHeapExhaustedException;

/**
 * A database that is open for reads only, beside a process that may write to it. It takes no lock,
 * changes nothing on disk, and has no background threads. Reads show the state of the open or of
 * the last {@link #refresh}. Thread-safe. Programs do not implement this interface: later versions
 * may add methods.
 *
 * @see DB#openReadOnly
 */
public interface ReadOnlyDB extends DBReader, AutoCloseable {
  /**
   * Returns a frozen view of the present state.
   *
   * @return a snapshot, which the caller closes
   */
  Snapshot snapshot();

  /**
   * Returns what an operator calls: statistics, sizes and copies.
   *
   * @return the operations, always the same object
   */
  DBInspector admin();

  /**
   * Shows the present state of the files to new reads, and so follows the writer. Reads, iterators
   * and snapshots that begin after this call see all writes that the writer had passed to the
   * operating system before it. Open iterators and snapshots keep their view. The state never goes
   * back. Other threads may read meanwhile.
   *
   * <p>The MANIFEST and the logs are read again completely, as at an open; tables that are open
   * already are not.
   *
   * <p>If this throws, the database continues to show what it showed before.
   *
   * @return true if there are later writes than before; may be true after a load that was not
   *     finished
   * @throws IllegalStateException if the calling thread runs the listener of the database
   * @throws CorruptionException if a file is damaged, or the directory contains another database or
   *     an older state than before
   * @throws OffHeapExhaustedException if there is no memory for what is recovered
   * @throws ComparatorException if the comparator throws while the logs are replayed
   * @throws DBIOException if a file cannot be read, or a writer deletes files faster than they can
   *     be opened
   */
  boolean refresh();

  /**
   * Closes the database. Closing it twice does nothing. Calls in other threads end with their
   * result or with {@link DBClosedException}. Iterators and snapshots need not be closed before.
   *
   * @throws IllegalStateException if the listener of the database calls this
   */
  @Override
  void close();
}
