package dev.kv.core.state;

import dev.kv.core.env.UnfailingLock;
import dev.kv.core.env.Uninterrupted;
import dev.kv.core.write.ErrorHandler;
import java.util.concurrent.locks.Condition;

/**
 * The lock of an open database's state, with a single condition for all threads that wait for
 * background work. It is held only briefly, and never while a file is read or written; a table may
 * be closed with it. In the lock order it comes after the lock of the version set.
 */
public final class Monitor extends UnfailingLock {
  private static final long serialVersionUID = 1;

  private final transient ErrorHandler errors;
  private final transient Wakeups wakeups;
  private final transient Condition changed = newCondition();

  /**
   * Creates the lock of one database, whose waits end when {@code errors} refuses writes, and wake
   * the work again if nothing changes.
   */
  public Monitor(ErrorHandler errors, Wakeups wakeups) {
    this.errors = errors;
    this.wakeups = wakeups;
    errors.onChange(this::signalAll);
  }

  /** Returns the errors. */
  ErrorHandler errors() {
    return errors;
  }

  /** Checks that the calling thread holds the lock. */
  public void assertHeld() {
    assert isHeldByCurrentThread();
  }

  /** Wakes every thread that waits for a change. */
  public void signalAll() {
    lock();
    try {
      changed.signalAll();
    } finally {
      unlock();
    }
  }

  /**
   * Waits until something changes, for {@link ErrorHandler#MAX_SHORTAGE_WAIT_NANOS} at most, after
   * which the work is woken: the thread that should tell of the change, or wake the work, may have
   * failed before, because memory was short. The caller holds the lock, and checks its condition
   * before and after. An interrupt stays set and does not end the wait.
   *
   * @throws dev.kv.errors.DBClosedException if the database is being closed
   * @throws dev.kv.errors.DBReadOnlyException if it has failed
   * @throws dev.kv.errors.OffHeapExhaustedException if nothing changes for a while because a flush
   *     or compaction waits for memory
   */
  @SuppressWarnings("WaitNotInLoop") // the caller loops
  public void awaitChange() {
    assertHeld();
    errors.check();
    boolean isShort = errors.isShortOfMemory();
    if (!awaitChangeBriefly()) {
      wakeups.workWanted();
      if (isShort) {
        errors.checkMemory("the work continues in the background");
      }
    }
  }

  /** Returns false if nothing changes for {@link ErrorHandler#MAX_SHORTAGE_WAIT_NANOS}. */
  @SuppressWarnings("WaitNotInLoop")
  private boolean awaitChangeBriefly() {
    long end = System.nanoTime() + ErrorHandler.MAX_SHORTAGE_WAIT_NANOS;
    boolean[] signalled = new boolean[1];
    Uninterrupted.await(() -> signalled[0] = changed.awaitNanos(end - System.nanoTime()) > 0);
    return signalled[0];
  }
}
