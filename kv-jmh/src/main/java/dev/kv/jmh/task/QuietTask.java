package dev.kv.jmh.task;

import dev.kv.jmh.run.BenchThread;
import dev.kv.jmh.run.Task;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;

/**
 * Waits until flushes and compactions are done: until the files have not changed for a while. The
 * measured time ends with the last change.
 *
 * @param stillNanos the time without a change after which it ends
 * @param limitNanos the time after which it ends in any case
 */
record QuietTask(long stillNanos, long limitNanos) implements Task {
  private static final long PAUSE_NANOS = TimeUnit.MILLISECONDS.toNanos(5);

  /** Returns a task that waits for half a second without a change, and at most ten minutes. */
  static QuietTask standard() {
    return new QuietTask(TimeUnit.MILLISECONDS.toNanos(500), TimeUnit.MINUTES.toNanos(10));
  }

  @Override
  public void run(BenchThread thread) {
    if (thread.index() > 0) {
      return; // they would wait for the same
    }
    long start = System.nanoTime();
    long changed = start;
    String before = thread.database().fingerprint();
    while (System.nanoTime() - changed < stillNanos && System.nanoTime() - start < limitNanos) {
      LockSupport.parkNanos(PAUSE_NANOS);
      String now = thread.database().fingerprint();
      if (!now.equals(before)) {
        changed = System.nanoTime();
        before = now;
      }
    }
    boolean quiet = System.nanoTime() - changed >= stillNanos;
    thread.say(quiet ? "(quiet after " + (changed - start) / 1_000_000 + " ms)" : "(timed out)");
    thread.endAt(changed);
  }
}
