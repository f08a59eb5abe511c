package dev.kv.jmh.store;

import java.util.zip.CRC32;

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

  /**
   * Adds the keys and values of up to {@code limit} entries to {@code checksum}, from the first
   * entry on, and calls {@code meter} for each.
   *
   * @throws UnsupportedOperationException if the adapter of the store does not have it
   */
  default void checksum(long limit, CRC32 checksum, OpMeter meter) {
    throw new UnsupportedOperationException("no scan with a checksum");
  }

  /**
   * Reads every byte of up to {@code limit} entries from {@code key} on, without a call of {@link
   * OpMeter#tick}. Returns the number of entries.
   *
   * @throws UnsupportedOperationException if the adapter of the store does not have it
   */
  default int read(byte[] key, int limit, OpMeter meter) {
    throw new UnsupportedOperationException("no scan from a key");
  }

  /** Seeks the first entry at or after {@code key}; returns true if it has that key. */
  boolean seek(byte[] key);

  @Override
  void close();
}
