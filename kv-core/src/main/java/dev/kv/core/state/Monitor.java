package dev.kv.core.state;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import dev.kv.DBClosedException;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.BooleanSupplier;

/**
 * The database's lock, with the one condition that all waits for background work wait on. Held for
 * moments: never while a file is touched. Comes after the version set's lock.
 */
public final class Monitor {
  private final ReentrantLock lock = new ReentrantLock();
  private final Condition changed = lock.newCondition();

  @GuardedBy("lock")
  private boolean closing;

  /** Creates the lock of one database. */
  public Monitor() {}

  /** Takes the lock. */
  public void lock() {
    lock.lock();
  }

  /** Releases the lock. */
  public void unlock() {
    lock.unlock();
  }

  /** Checks that the calling thread holds the lock. */
  public void assertHeld() {
    assert lock.isHeldByCurrentThread();
  }

  /** Tells everybody who waits to look again. */
  public void signalAll() {
    lock.lock();
    try {
      changed.signalAll();
    } finally {
      lock.unlock();
    }
  }

  /**
   * Waits until {@code condition}, which is asked with the lock held, is true. Throws where the
   * database is closed or fails meanwhile. An interrupt stays set and ends no wait.
   */
  public void awaitUntil(BooleanSupplier condition, BackgroundError error) {
    lock.lock();
    try {
      while (!condition.getAsBoolean()) {
        checkOpen();
        error.check();
        changed.awaitUninterruptibly();
      }
    } finally {
      lock.unlock();
    }
  }

  /** Lets every wait end with {@link DBClosedException}. */
  public void beginClose() {
    lock.lock();
    try {
      closing = true;
      changed.signalAll();
    } finally {
      lock.unlock();
    }
  }

  /** Returns true once the close has begun. */
  public boolean isClosing() {
    lock.lock();
    try {
      return closing;
    } finally {
      lock.unlock();
    }
  }

  /** Throws where the close has begun. */
  public void checkOpen() {
    if (isClosing()) {
      throw new DBClosedException("the database was closed");
    }
  }
}
