package dev.kv.jmh.result;

import org.jspecify.annotations.Nullable;

/**
 * One benchmark, run once.
 *
 * @param store the product's name
 * @param benchmark the benchmark's name
 * @param position its place in the sequence, from 0 on: the same name may come twice
 * @param round which repetition of the sequence this is; 0 is the first in the JVM
 * @param cold whether the round came before the JVM was warm and does not count
 * @param timing how long it took
 * @param message what the benchmark says besides, such as how many keys it found
 * @param latencies times of single operations, if they were taken
 * @param footprint what it took besides time
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
   * How long a benchmark took.
   *
   * @param threads threads that ran it
   * @param operations operations of all of them
   * @param microsPerOp microseconds per operation of one thread
   * @param megabytesPerSecond throughput in MiB by the clock on the wall; 0 where none is given
   */
  public record Timing(
      int threads, long operations, double microsPerOp, double megabytesPerSecond) {}

  /** Returns the name, with a number from the second occurrence in a sequence on. */
  public String title(int occurrence) {
    return occurrence <= 1 ? benchmark : benchmark + "#" + occurrence;
  }
}
