package dev.kv.jmh.run;

import java.util.concurrent.BrokenBarrierException;
import java.util.concurrent.CyclicBarrier;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * The state that the threads of a benchmark share: their common start, and how many are done.
 * Thread-safe.
 */
public final class ThreadGroupState {
  private final CyclicBarrier start;
  private final AtomicInteger finished = new AtomicInteger();
  private final int threads;

  ThreadGroupState(int threads) {
    this.threads = threads;
    start = new CyclicBarrier(threads);
  }

  void awaitStart() {
    try {
      start.await();
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new IllegalStateException("interrupted before the start", e);
    } catch (BrokenBarrierException e) {
      throw new IllegalStateException("another thread did not reach the start", e);
    }
  }

  void finish() {
    finished.incrementAndGet();
  }

  /** Returns true if all threads except the caller are done. */
  public boolean othersFinished() {
    return finished.get() >= threads - 1;
  }
}
