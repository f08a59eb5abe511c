package dev.kv.jmh.store;

/**
 * Moves over the entries of a {@link Store}. Each adapter has the loop of a scan in its own class,
 * so that no product pays for calls through this interface per entry.
 */
public interface Cursor extends AutoCloseable {

  /**
   * Reads key and value, every byte of them, of up to {@code limit} entries from the first one on,
   * with a tick of {@code meter} for each.
   */
  void scanForward(long limit, OpMeter meter);

  /** Does as {@link #scanForward} from the last entry backwards. */
  void scanBackward(long limit, OpMeter meter);

  /** Seeks the first entry at or behind {@code key}, and returns whether it is at that key. */
  boolean seek(byte[] key);

  @Override
  void close();
}
