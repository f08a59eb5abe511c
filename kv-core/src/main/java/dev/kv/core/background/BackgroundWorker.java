package dev.kv.core.background;

import dev.kv.core.write.WriteGate;
import dev.kv.env.Env;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.locks.LockSupport;
import org.jspecify.annotations.Nullable;

/**
 * A thread that does one kind of background work. Started when there is work for the first time,
 * and parked while there is none. An exception thrown by the work shuts the {@link WriteGate}.
 */
final class BackgroundWorker {
  /** One kind of background work. */
  interface Work {
    /** Does one piece of work; returns false if there was none. */
    boolean runOne();
  }

  private final Env env;
  private final String name;
  private final Work work;
  private final WriteGate gate;
  private final AtomicBoolean woken = new AtomicBoolean();
  private volatile boolean stopped;

  /** The time to look for work without being woken; valid while {@link #looksLater} is true. */
  private volatile long lookAtNanos;

  private volatile boolean looksLater;

  /** Written once, under this object's monitor. */
  private volatile @Nullable Thread thread;

  /** Creates a worker. */
  BackgroundWorker(Env env, String name, Work work, WriteGate gate) {
    this.env = env;
    this.name = name;
    this.work = work;
    this.gate = gate;
  }

  /**
   * Makes the thread look for work. Any thread may call this; cheap if the worker is already awake.
   */
  void wake() {
    if (!woken.get() && woken.compareAndSet(false, true)) {
      if (thread == null) {
        start();
      }
      LockSupport.unpark(thread);
    }
  }

  /**
   * Makes the thread look for work after {@code nanos}, or earlier if it is woken. Called once,
   * before any wake.
   */
  void wakeIn(long nanos) {
    lookAtNanos = System.nanoTime() + nanos;
    looksLater = true;
    start();
  }

  private synchronized void start() {
    if (thread != null || stopped) {
      return;
    }
    try {
      thread = env.startThread(name, this::run);
    } catch (RuntimeException | Error e) {
      gate.fail(name, e);
    }
  }

  /** Makes the thread end after its current piece of work. Does not wait. */
  void stop() {
    synchronized (this) {
      stopped = true;
    }
    woken.set(true);
    LockSupport.unpark(thread);
  }

  /** Waits until the thread has ended; an interrupt stays set and does not end the wait. */
  void join() {
    Thread running = thread;
    boolean interrupted = false;
    while (running != null && running.isAlive()) {
      try {
        running.join();
      } catch (InterruptedException e) {
        interrupted = true;
      }
    }
    if (interrupted) {
      Thread.currentThread().interrupt();
    }
  }

  private void run() {
    while (!stopped) {
      if (woken.getAndSet(false)) {
        looksLater = false;
        workWhileThereIsSome();
      } else if (looksLater) {
        awaitLook();
      } else {
        LockSupport.park(this);
      }
    }
  }

  private void awaitLook() {
    long left = lookAtNanos - System.nanoTime();
    if (left > 0) {
      LockSupport.parkNanos(this, left);
    } else {
      woken.set(true);
    }
  }

  private void workWhileThereIsSome() {
    try {
      while (!stopped && work.runOne()) {
        continue;
      }
    } catch (Throwable e) {
      gate.fail(name, e);
    }
  }
}
