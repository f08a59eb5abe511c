package dev.kv;

/**
 * A frozen view of a database. It reads every write that was acknowledged before {@link
 * DB#snapshot()} was called, and none that began after it returned; so do reads of the database
 * with {@link ReadOptions#at}. An open snapshot keeps old versions of entries on disk, so close it.
 * Thread-safe. Programs do not implement this interface: later versions may add methods.
 *
 * <p>Its methods refuse options with another snapshot. After its close they throw {@link
 * IllegalStateException}, except {@link #sequence} and {@link #comparator}.
 *
 * <pre>{@code
 * try (Snapshot before = db.snapshot()) {
 *   export(before); // a method that takes a DBReader
 * }
 * }</pre>
 */
public interface Snapshot extends DBReader, AutoCloseable {
  /**
   * Returns the sequence number of the last write in this view.
   *
   * @return the sequence number
   */
  long sequence();

  /** Releases the view. Closing it twice, or after the database, does nothing. */
  @Override
  void close();
}
