package dev.kv.jmh.store;

/**
 * The statistics of a store since its open; -1 if the store does not have a figure.
 *
 * @param tableBytesRead bytes read by compactions
 * @param tableBytesWritten bytes written by flushes and compactions
 * @param stallMicros time for which writers were stalled, in microseconds
 */
public record StoreStats(long tableBytesRead, long tableBytesWritten, long stallMicros) {
  /** No figure is known. */
  public static final StoreStats UNKNOWN = new StoreStats(-1, -1, -1);
}
