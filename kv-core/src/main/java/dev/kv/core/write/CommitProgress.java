package dev.kv.core.write;

import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.BooleanSupplier;

/**
 * Tells threads that follow the writes how far these have come, and lets them wait for more. The
 * leader calls {@link #committed} for each group; this takes a lock only if a thread waits.
 * Thread-safe.
 *
 * <p>No wake-up is missed: a waiting thread increments {@code waiting} before it looks at a number,
 * and a number is set before {@code waiting} is read. All of these accesses are volatile.
 */
public final class CommitProgress {
  private final AtomicLong visible;
  private final AtomicLong synced;
  private final AtomicInteger waiting = new AtomicInteger();
  private final ReentrantLock lock = new ReentrantLock();
  private final Condition changed = lock.newCondition();

  /** Creates the object. All writes up to {@code sequence} are visible and durable. */
  public CommitProgress(long sequence) {
    visible = new AtomicLong(sequence);
    synced = new AtomicLong(sequence);
  }

  /**
   * Notes that readers see all writes up to a sequence number. Called by the leader.
   *
   * @param durable true if these writes are durable
   */
  public void committed(long sequence, boolean durable) {
    visible.set(sequence);
    if (durable) {
      synced.accumulateAndGet(sequence, Math::max);
    }
    wake();
  }

  /** Notes that all writes up to a sequence number are durable. */
  public void synced(long sequence) {
    synced.accumulateAndGet(sequence, Math::max);
    wake();
  }

  /** Makes every waiting thread check its condition again. */
  public void wake() {
    if (waiting.get() > 0) {
      lock.lock();
      try {
        changed.signalAll();
      } finally {
        lock.unlock();
      }
    }
  }

  /** Returns the sequence number of the last write that is visible, or that is durable. */
  public long last(boolean durable) {
    return (durable ? synced : visible).get();
  }

  /**
   * Waits until {@link #last} is greater than a number, {@code ended} returns true, or the time is
   * over.
   *
   * @return the rest of the time, at most 0 if it is over
   */
  public long await(boolean durable, long after, long nanos, BooleanSupplier ended)
      throws InterruptedException {
    long left = nanos;
    lock.lockInterruptibly();
    waiting.incrementAndGet();
    try {
      while (last(durable) <= after && !ended.getAsBoolean() && left > 0) {
        left = changed.awaitNanos(left);
      }
      return left;
    } finally {
      waiting.decrementAndGet();
      lock.unlock();
    }
  }
}
