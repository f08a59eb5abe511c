package dev.kv.jmh.store;

/**
 * Moves over the entries of a {@link Store}. Each adapter has the loop of a scan in its own class,
 * so no store pays for a call through this interface per entry.
 */
public interface Cursor extends AutoCloseable {

  /**
   * Reads every byte of key and value of up to {@code limit} entries from the first one on, and
   * calls {@code meter} for each.
   */
  void scanForward(long limit, OpMeter meter);

  /** Does the same as {@link #scanForward} from the last entry backwards. */
  void scanBackward(long limit, OpMeter meter);

  /** Seeks the first entry at or after {@code key}; returns true if it has that key. */
  boolean seek(byte[] key);

  @Override
  void close();
}
