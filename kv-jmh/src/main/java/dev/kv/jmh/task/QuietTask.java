package dev.kv.jmh.task;

import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;

/**
 * Waits until flushes and compactions are done: until the files have not changed for a while. What
 * it measures ends with the last change.
 *
 * @param stillNanos for how long nothing may change
 * @param limitNanos after which time the waiting ends all the same
 */
record QuietTask(long stillNanos, long limitNanos) implements Task {
  private static final long PAUSE_NANOS = TimeUnit.MILLISECONDS.toNanos(5);

  /** Half a second without change, ten minutes at the most. */
  static QuietTask standard() {
    return new QuietTask(TimeUnit.MILLISECONDS.toNanos(500), TimeUnit.MINUTES.toNanos(10));
  }

  @Override
  public void run(BenchThread thread) {
    long start = System.nanoTime();
    long changed = start;
    String before = thread.database.fingerprint();
    while (System.nanoTime() - changed < stillNanos && System.nanoTime() - start < limitNanos) {
      LockSupport.parkNanos(PAUSE_NANOS);
      String now = thread.database.fingerprint();
      if (!now.equals(before)) {
        changed = System.nanoTime();
        before = now;
      }
    }
    boolean quiet = System.nanoTime() - changed >= stillNanos;
    thread.say(
        quiet ? "(quiet after " + (changed - start) / 1_000_000 + " ms)" : "(gave up waiting)");
    thread.endAt(changed);
  }
}
