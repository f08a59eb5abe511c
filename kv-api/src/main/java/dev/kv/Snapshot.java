package dev.kv;

/**
 * A frozen view of a database. Reads with {@link ReadOptions#snapshot()} see every write that was
 * acknowledged before {@link DB#snapshot()} was called, and none that began after it returned. An
 * open snapshot keeps old versions of entries on disk, so close it. Thread-safe.
 */
public interface Snapshot extends AutoCloseable {
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
