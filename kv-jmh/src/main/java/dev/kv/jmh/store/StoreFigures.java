package dev.kv.jmh.store;

/**
 * What a product says of its own work since it was opened; -1 where it does not say.
 *
 * @param tableBytesRead bytes read by compactions
 * @param tableBytesWritten bytes written by flushes and compactions
 * @param stallMicros time for which writers were held back, in microseconds
 */
public record StoreFigures(long tableBytesRead, long tableBytesWritten, long stallMicros) {
  /** Nothing is known. */
  public static final StoreFigures UNKNOWN = new StoreFigures(-1, -1, -1);
}
