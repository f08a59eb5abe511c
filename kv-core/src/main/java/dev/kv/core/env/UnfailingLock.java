package dev.kv.core.env;

import java.util.concurrent.locks.ReentrantLock;

/**
 * A lock that a thread also gets if memory is short: on JDK 17, waiting for a lock needs memory.
 */
public class UnfailingLock extends ReentrantLock {
  private static final long serialVersionUID = 1;

  @Override
  public void lock() {
    try {
      super.lock();
    } catch (OutOfMemoryError e) {
      while (!tryLock()) {
        Thread.onSpinWait();
      }
    }
  }
}
