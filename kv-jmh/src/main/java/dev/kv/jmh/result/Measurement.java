package dev.kv.jmh.result;

import org.jspecify.annotations.Nullable;

/**
 * The result of one run of one benchmark.
 *
 * @param store the name of the store
 * @param benchmark the benchmark's name
 * @param position its position in the sequence, from 0; a name can occur more than once
 * @param round the number of the repetition of the sequence; 0 is the first in the JVM
 * @param cold true if the JVM was not warm in this round, so it does not count
 * @param timing the time
 * @param message more about the result, such as the number of keys found
 * @param latencies the times of single operations, or null if they were not measured
 * @param footprint memory and disk use
 */
public record Measurement(
    String store,
    String benchmark,
    int position,
    int round,
    boolean cold,
    Timing timing,
    String message,
    @Nullable Latencies latencies,
    Footprint footprint) {

  /**
   * The time of a benchmark.
   *
   * @param threads the number of its threads
   * @param operations the operations of all threads
   * @param microsPerOp microseconds per operation of one thread
   * @param megabytesPerSecond throughput in MiB per second of wall-clock time; 0 if unknown
   */
  public record Timing(
      int threads, long operations, double microsPerOp, double megabytesPerSecond) {}

  /** Returns the name, with a number if it is not its first occurrence in the sequence. */
  public String title(int occurrence) {
    return occurrence <= 1 ? benchmark : benchmark + "#" + occurrence;
  }
}
