package dev.kv.jmh.store;

/**
 * The statistics of a store since its open, or since an earlier time; -1 if the store does not have
 * a figure.
 *
 * @param tableBytesRead bytes read by compactions
 * @param tableBytesWritten bytes written by flushes and compactions
 * @param stallMicros time for which writers were stalled, in microseconds
 */
public record StoreStats(long tableBytesRead, long tableBytesWritten, long stallMicros) {
  /** No figure is known. */
  public static final StoreStats UNKNOWN = new StoreStats(-1, -1, -1);

  /** Nothing has happened yet. */
  public static final StoreStats NONE = new StoreStats(0, 0, 0);

  /** Returns the growth since {@code earlier}; what is not known in both is not known. */
  public StoreStats since(StoreStats earlier) {
    return new StoreStats(
        growth(earlier.tableBytesRead, tableBytesRead),
        growth(earlier.tableBytesWritten, tableBytesWritten),
        growth(earlier.stallMicros, stallMicros));
  }

  private static long growth(long from, long to) {
    return from < 0 || to < 0 ? -1 : Math.max(0, to - from);
  }
}
