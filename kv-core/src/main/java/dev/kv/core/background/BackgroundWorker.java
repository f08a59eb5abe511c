package dev.kv.core.background;

import dev.kv.core.memory.MemoryShortage;
import dev.kv.core.write.WriteGate;
import dev.kv.env.Env;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.locks.LockSupport;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;

/**
 * A thread that does one kind of background work. Started when there is work for the first time,
 * and parked while there is none.
 *
 * <p>An exception thrown by the work shuts the {@link WriteGate}. Work that {@linkplain
 * NothingLoggedException logged nothing} is tried again: after a shortage of memory as soon as some
 * was released, or after a pause of at most a second; after a failure of the file system after 5
 * seconds, and then after pauses that double up to a minute; and whenever {@link #tryAgain} asks
 * for it. Until then the thread ignores wakes. The first success opens the gate.
 */
final class BackgroundWorker {
  /** One kind of background work. */
  interface Work {
    /** Does one piece of work; returns false if there was none. */
    boolean runOne();
  }

  /**
   * When failed work is tried again.
   *
   * @param memoryUsed returns the bytes of off-heap memory in use
   * @param reclaimMemory releases memory that is only kept for later; called before each retry
   * @param firstPauseNanos how long to wait after the first failure of the file system
   */
  record Retries(LongSupplier memoryUsed, Runnable reclaimMemory, long firstPauseNanos) {}

  /** The pauses during a shortage of memory. The shortest also is how often the use is read. */
  private static final long SHORTEST_MEMORY_PAUSE = TimeUnit.MILLISECONDS.toNanos(10);

  private static final long LONGEST_MEMORY_PAUSE = TimeUnit.SECONDS.toNanos(1);

  private static final long LONGEST_PAUSE = TimeUnit.MINUTES.toNanos(1);

  private final Env env;
  private final String name;
  private final Work work;
  private final WriteGate gate;
  private final Retries retries;
  private final AtomicBoolean woken = new AtomicBoolean();
  private volatile boolean stopped;

  /** The time to look for work without being woken; valid while {@link #looksLater} is true. */
  private volatile long lookAtNanos;

  private volatile boolean looksLater;

  /** Written once, under this object's monitor. */
  private volatile @Nullable Thread thread;

  /** Who waits for the next try. */
  private final ConcurrentLinkedQueue<CountDownLatch> awaiting = new ConcurrentLinkedQueue<>();

  // Owned by the thread.
  private boolean retrying;
  private boolean retriesByItself;
  private boolean isShort;
  private long retryAtNanos;
  private long pauseNanos;
  private long usedAtFailure;

  /** Creates a worker. */
  BackgroundWorker(Env env, String name, Work work, WriteGate gate, Retries retries) {
    this.env = env;
    this.name = name;
    this.work = work;
    this.gate = gate;
    this.retries = retries;
  }

  /** Returns the name of the thread, which is its name in the gate too. */
  String name() {
    return name;
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

  /**
   * Makes the thread try failed work now, and returns once it has tried one piece of work, could
   * not be started, or the database is being closed. An interrupt stays set and ends no wait.
   */
  void tryAgain() {
    CountDownLatch tried = new CountDownLatch(1);
    awaiting.add(tried);
    woken.set(true);
    if (thread == null) {
      start();
    }
    LockSupport.unpark(thread);
    boolean interrupted = false;
    while (tried.getCount() > 0 && thread != null && !gate.isClosing()) {
      try {
        if (tried.await(10, TimeUnit.MILLISECONDS)) {
          break;
        }
      } catch (InterruptedException e) {
        interrupted = true;
      }
    }
    awaiting.remove(tried);
    if (interrupted) {
      Thread.currentThread().interrupt();
    }
  }

  private synchronized void start() {
    if (thread != null || stopped) {
      return;
    }
    try {
      thread = env.startThread(name, this::run);
    } catch (RuntimeException | Error e) {
      woken.set(false);
      gate.failResumably(name, e);
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
      if (retrying) {
        awaitRetry();
      } else if (woken.getAndSet(false)) {
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

  /** Waits a while, or makes the thread try its work again. */
  private void awaitRetry() {
    long left = retriesByItself ? retryAtNanos - System.nanoTime() : LONGEST_PAUSE;
    boolean memoryFreed =
        isShort
            && pauseNanos - left >= SHORTEST_MEMORY_PAUSE
            && retries.memoryUsed().getAsLong() < usedAtFailure;
    if (left <= 0 || memoryFreed || !awaiting.isEmpty()) {
      retrying = false;
      woken.set(true);
    } else {
      LockSupport.parkNanos(this, isShort ? Math.min(left, SHORTEST_MEMORY_PAUSE) : left);
    }
  }

  private void workWhileThereIsSome() {
    boolean more = true;
    while (more && !stopped) {
      List<CountDownLatch> waiting = new ArrayList<>(awaiting);
      try {
        more = work.runOne();
        succeeded();
      } catch (NothingLoggedException e) {
        more = false;
        retryLater(e);
      } catch (Throwable e) {
        more = false;
        gate.fail(name, e);
      }
      awaiting.removeAll(waiting);
      waiting.forEach(CountDownLatch::countDown);
    }
  }

  private void succeeded() {
    pauseNanos = 0;
    isShort = false;
    if (gate.hasFailed(name)) {
      gate.succeed(name);
    }
  }

  private void retryLater(NothingLoggedException thrown) {
    Throwable failure = thrown.failure();
    boolean nowShort = MemoryShortage.isCauseOf(failure);
    long shortest = nowShort ? SHORTEST_MEMORY_PAUSE : retries.firstPauseNanos();
    long longest = nowShort ? LONGEST_MEMORY_PAUSE : LONGEST_PAUSE;
    pauseNanos =
        pauseNanos == 0 || nowShort != isShort ? shortest : Math.min(2 * pauseNanos, longest);
    isShort = nowShort;
    retrying = true;
    retriesByItself = nowShort || isOfTheFileSystem(failure);
    retryAtNanos = System.nanoTime() + pauseNanos;
    if (nowShort) {
      retries.reclaimMemory().run();
      usedAtFailure = retries.memoryUsed().getAsLong();
      gate.runShort(name, failure);
    } else {
      gate.failResumably(name, failure);
    }
    try {
      thrown.reported();
    } catch (RuntimeException | Error e) {
      gate.fail(name, e);
    }
  }

  private static boolean isOfTheFileSystem(Throwable failure) {
    for (Throwable each = failure; each != null; each = each.getCause()) {
      if (each instanceof IOException) {
        return true;
      }
    }
    return false;
  }
}
