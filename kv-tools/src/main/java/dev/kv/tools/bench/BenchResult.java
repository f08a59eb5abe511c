package dev.kv.tools.bench;

import org.HdrHistogram.Histogram;

/**
 * The result of one benchmark.
 *
 * @param name the name of the benchmark
 * @param operations the number of operations; 0 for a scan of no entries
 * @param elapsedNanos the time of all operations in nanoseconds
 * @param bytes the bytes of keys and values that were read or written
 * @param found the number of reads that found an entry
 * @param nanos the times of single operations in nanoseconds
 */
record BenchResult(
    String name, int operations, long elapsedNanos, long bytes, long found, Histogram nanos) {
  double seconds() {
    return elapsedNanos / 1e9;
  }

  double microsPerOperation() {
    return operations == 0 ? 0 : elapsedNanos / 1e3 / operations;
  }

  double operationsPerSecond() {
    return elapsedNanos == 0 ? 0 : operations / seconds();
  }

  double bytesPerSecond() {
    return elapsedNanos == 0 ? 0 : bytes / seconds();
  }

  /** Returns a percentile of the times of operations in microseconds. */
  double micros(double percentile) {
    return nanos.getValueAtPercentile(percentile) / 1e3;
  }
}
