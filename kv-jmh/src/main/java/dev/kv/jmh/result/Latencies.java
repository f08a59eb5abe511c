package dev.kv.jmh.result;

import org.HdrHistogram.Histogram;

/** Times of single operations in microseconds: percentiles, maximum and mean. */
public record Latencies(
    double p50, double p95, double p99, double p999, double p9999, double max, double mean) {

  /** Returns the times of a histogram of nanoseconds. */
  public static Latencies of(Histogram nanos) {
    return new Latencies(
        micros(nanos, 50),
        micros(nanos, 95),
        micros(nanos, 99),
        micros(nanos, 99.9),
        micros(nanos, 99.99),
        nanos.getMaxValue() / 1e3,
        nanos.getMean() / 1e3);
  }

  private static double micros(Histogram nanos, double percentile) {
    return nanos.getValueAtPercentile(percentile) / 1e3;
  }
}
