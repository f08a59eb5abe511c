package dev.kv.core;

import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;

/** Waits for latches in code that must not throw checked exceptions. */
public final class Latches {
  private static final long MAX_SECONDS = 60;

  private Latches() {}

  /**
   * Waits until a latch was counted down.
   *
   * @param latch the latch
   * @throws AssertionError after a minute, or if the thread is interrupted
   */
  public static void await(CountDownLatch latch) {
    try {
      if (!latch.await(MAX_SECONDS, TimeUnit.SECONDS)) {
        throw new AssertionError("the latch was not counted down");
      }
    } catch (InterruptedException e) {
      throw new AssertionError(e);
    }
  }
}
