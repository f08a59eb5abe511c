package dev.kv.jmh.task;

import java.util.concurrent.locks.LockSupport;

/** Limits the writes of one thread to a number of bytes per second. Not thread-safe. */
final class WritePace {
  private static final long SECOND = 1_000_000_000;

  /** A wait is at least so long, because a thread cannot sleep for a few microseconds. */
  private static final long SHORTEST_WAIT = 1_000_000;

  private final long bytesPerSecond;
  private final long start;
  private long bytes;

  /**
   * Begins at a time.
   *
   * @param bytesPerSecond the limit; 0 for none
   * @param now the time in nanoseconds
   */
  WritePace(long bytesPerSecond, long now) {
    this.bytesPerSecond = bytesPerSecond;
    start = now;
  }

  /** Counts a write, and returns for how many nanoseconds the thread has to wait; 0 for not. */
  long add(long written, long now) {
    if (bytesPerSecond == 0) {
      return 0;
    }
    bytes += written;
    long due = start + (long) ((double) bytes * SECOND / bytesPerSecond);
    return due - now < SHORTEST_WAIT ? 0 : due - now;
  }

  /** Counts a write, and waits if the limit demands it. */
  void write(long written) {
    long wait = bytesPerSecond == 0 ? 0 : add(written, System.nanoTime());
    if (wait > 0) {
      LockSupport.parkNanos(wait);
    }
  }
}
