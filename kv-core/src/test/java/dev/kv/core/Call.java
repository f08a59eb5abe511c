package dev.kv.core;

import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicReference;

/** A call in a daemon thread of its own. */
public final class Call {
  private static final long MAX_SECONDS = 30;

  private final AtomicReference<Throwable> thrown = new AtomicReference<>();
  private final Thread thread;

  private Call(Body body) {
    thread =
        new Thread(
            () -> {
              try {
                body.run();
              } catch (Throwable e) {
                thrown.set(e);
              }
            });
    thread.setDaemon(true);
  }

  /** What is called. */
  public interface Body {
    /** Runs it. */
    void run() throws Exception;
  }

  /** Starts a call. */
  public static Call start(Body body) {
    Call call = new Call(body);
    call.thread.start();
    return call;
  }

  /** Returns the thread of the call. */
  public Thread thread() {
    return thread;
  }

  /** Returns true if a thread waits, also if it will check after a while what it waits for. */
  public static boolean isParked(Thread thread) {
    return thread.getState() == Thread.State.WAITING
        || thread.getState() == Thread.State.TIMED_WAITING;
  }

  /** Waits until the thread is parked. */
  public void awaitParked() throws InterruptedException {
    long end = System.nanoTime() + TimeUnit.SECONDS.toNanos(MAX_SECONDS);
    while (!isParked(thread)) {
      if (System.nanoTime() > end) {
        throw new AssertionError("the thread does not park: " + thread.getState());
      }
      Thread.sleep(1);
    }
  }

  /** Waits for the end; returns what the call threw, or null. */
  public Throwable outcome() throws InterruptedException {
    thread.join(TimeUnit.SECONDS.toMillis(MAX_SECONDS));
    if (thread.isAlive()) {
      AssertionError stuck = new AssertionError("the call does not end");
      stuck.setStackTrace(thread.getStackTrace());
      throw stuck;
    }
    return thrown.get();
  }
}
