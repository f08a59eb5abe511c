package dev.kv.tools.bench;

import org.HdrHistogram.Histogram;

/**
 * What one benchmark took.
 *
 * @param name the benchmark's
 * @param operations how many there were
 * @param elapsedNanos how long they took together, in nanoseconds
 * @param bytes of keys and values that were moved
 * @param found how many reads found an entry
 * @param nanos how long each operation took, in nanoseconds
 */
record BenchResult(
    String name, int operations, long elapsedNanos, long bytes, long found, Histogram nanos) {
  double seconds() {
    return elapsedNanos / 1e9;
  }

  double microsPerOperation() {
    return elapsedNanos / 1e3 / operations;
  }

  double operationsPerSecond() {
    return operations / seconds();
  }

  double megabytesPerSecond() {
    return bytes / 1e6 / seconds();
  }

  /** Returns how many microseconds {@code percentile} percent of the operations took at most. */
  double micros(double percentile) {
    return nanos.getValueAtPercentile(percentile) / 1e3;
  }
}
