package dev.kv;

/**
 * A frozen view of a database: reads through {@link ReadOptions#snapshot()} see every write that
 * was acknowledged before {@link DB#snapshot()} and none after. Keeps old versions alive until
 * closed, so close it. Thread-safe; closing twice does nothing.
 */
public interface Snapshot extends AutoCloseable {
  /** Returns the sequence number of the last write in view. */
  long sequence();

  @Override
  void close();
}
