package dev.kv.core.background;

import dev.kv.core.env.Uninterrupted;
import dev.kv.core.memory.MemoryShortage;
import dev.kv.core.shared.WorkerThreads;
import dev.kv.core.write.ErrorHandler;
import dev.kv.env.Env;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;

/**
 * One kind of background work of one database, as a task of the {@link WorkerThreads}, which other
 * databases may share. Runs when it is woken, as long as there is work.
 *
 * <p>An exception thrown by a job is reported to the {@link ErrorHandler}. A job that {@linkplain
 * JobOutcome.NothingLogged logged nothing} is tried again: after a shortage of memory, off-heap or
 * of the heap, as soon as off-heap memory was released, or after a pause of at most a second; after
 * a failure of the file system after 5 seconds, and then after pauses that double up to a minute;
 * and whenever {@link #tryAgain} asks for it. Until then wakes are ignored, and the thread runs the
 * work of others. The first success ends the refusal of writes. If such work, or the start of its
 * thread, began before a {@linkplain ErrorHandler#beginResume resume} and fails after it, it is
 * tried again at once, and only the next failure refuses writes: the cause may have ended since.
 */
final class BackgroundWorker extends WorkerThreads.Task {
  /** One kind of background work. */
  interface Work {
    /** Returns the next job, which no other thread gets until it has ended; null if none is due. */
    @Nullable Job next();
  }

  /** One piece of work. */
  interface Job {
    /** Does the work, or throws if what it has changed on disk is unknown. */
    JobOutcome run();

    /**
     * Lets other threads have the work. Called once the error handler knows of a failure, if there
     * was one: a caller that finds the work done by another thread finds writes refused as well.
     *
     * <p>May throw an OutOfMemoryError, after which the work is looked for again.
     *
     * @param outcome the outcome of the run; null if it threw
     */
    default void end(@Nullable JobOutcome outcome) {}
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

  private final WorkerThreads threads;
  private final Env env;
  private final String name;
  private final Work work;
  private final ErrorHandler errors;
  private final Retries retries;

  /** True from a wake until the work begins to look for what it was woken for. */
  private final AtomicBoolean woken = new AtomicBoolean();

  /** The callers that wait for the next try. */
  private final ConcurrentLinkedQueue<CountDownLatch> awaiting = new ConcurrentLinkedQueue<>();

  /** The thread that runs a piece of work. */
  private volatile @Nullable Thread running;

  // Owned by the thread that runs the task, or is told that there is none.
  /** The resumes of the database before the last try. */
  private int resumesBefore;

  private boolean retrying;
  private boolean retriesByItself;
  private boolean isShort;
  private long retryAtNanos;
  private long pauseNanos;
  private long usedAtFailure;

  /**
   * Creates a worker.
   *
   * @param env starts the threads, if this worker needs one that does not run yet
   * @param name the name of the work in the error handler
   */
  BackgroundWorker(
      WorkerThreads threads,
      Env env,
      String name,
      Work work,
      ErrorHandler errors,
      Retries retries) {
    this.threads = threads;
    this.env = env;
    this.name = name;
    this.work = work;
    this.errors = errors;
    this.retries = retries;
  }

  /** Returns the name of the work in the error handler. */
  String name() {
    return name;
  }

  /**
   * Makes the work look for something to do. Any thread may call this; cheap if it will already.
   */
  void wake() {
    if (!woken.get() && woken.compareAndSet(false, true)) {
      try {
        threads.submit(this);
      } catch (Throwable e) {
        woken.set(false);
        throw e;
      }
    }
  }

  /**
   * Makes the work look for something to do after {@code nanos}, or earlier if it is woken. Called
   * once, before any wake.
   */
  void wakeIn(long nanos) {
    threads.submitIn(this, nanos);
  }

  /**
   * Makes failed work run now, and returns once one piece of it was tried, no thread could be
   * started, or the database is being closed. An interrupt stays set and ends no wait.
   *
   * <p>A caller that is one of the threads that run the work, as a listener may be, does not wait:
   * the work may need this thread.
   */
  void tryAgain() {
    CountDownLatch tried = new CountDownLatch(1);
    awaiting.add(tried);
    woken.set(true);
    threads.submit(this);
    if (threads.includeThisThread()) {
      return;
    }
    Uninterrupted.await(
        () -> {
          while (!errors.isClosing() && !tried.await(10, TimeUnit.MILLISECONDS)) {}
        });
    awaiting.remove(tried);
  }

  /** Makes the work end after its current piece. Does not wait. */
  void stop() {
    threads.end(this);
  }

  /** Waits until stopped work has ended; an interrupt stays set and does not end the wait. */
  void join() {
    threads.awaitEnd(this);
  }

  @Override
  protected Thread startThread(String threadName, Runnable body) {
    return env.startThread(threadName, body);
  }

  @Override
  protected boolean noThread(Throwable cause) {
    woken.set(false);
    int before = resumesBefore;
    resumesBefore = errors.resumes();
    int waiting = awaiting.size(); // those who come later are submitted for the next start
    try {
      if (!errors.failResumably(name, cause, before)) {
        return true;
      }
    } catch (OutOfMemoryError e) { // those who wait for the work wake it again
      errors.runShortUnnoted(e);
    }
    for (; waiting > 0; waiting--) {
      CountDownLatch each = awaiting.poll();
      if (each != null) {
        each.countDown();
      }
    }
    return false;
  }

  /** Returns true if the calling thread runs this work. */
  boolean isRunByThisThread() {
    return running == Thread.currentThread();
  }

  @Override
  protected long runPiece() {
    running = Thread.currentThread();
    try {
      return tryPiece();
    } catch (OutOfMemoryError e) { // the threads run the task again
      errors.runShortUnnoted(e);
      throw e;
    } finally {
      running = null;
    }
  }

  private long tryPiece() {
    if (retrying) {
      long left = untilRetry();
      if (left > 0) {
        return left;
      }
      retrying = false;
    }
    woken.set(false);
    List<CountDownLatch> waiting = new ArrayList<>(awaiting);
    resumesBefore = errors.resumes();
    boolean more = false;
    try {
      more = runNext();
    } catch (Throwable e) {
      errors.fail(name, e);
    } finally {
      release(waiting);
    }
    if (retrying) {
      return Math.max(1, untilRetry());
    }
    return more ? 0 : WorkerThreads.IDLE;
  }

  /** Returns true if there may be more to do now. */
  private boolean runNext() {
    Job job;
    try {
      job = work.next();
      if (job == null) {
        succeeded();
        return false;
      }
    } catch (RuntimeException | OutOfMemoryError e) { // it has changed nothing
      return retry(e);
    }
    return run(job);
  }

  private boolean run(Job job) {
    JobOutcome outcome = null;
    boolean more = false;
    try {
      outcome = job.run();
      if (outcome instanceof JobOutcome.NothingLogged failed) {
        more = retry(failed.failure());
      } else {
        more = outcome != JobOutcome.Ended.NOTHING_TO_DO;
        succeeded();
      }
    } catch (Throwable e) {
      if (outcome != null && MemoryShortage.ofAnyKindIsCauseOf(e)) {
        noteLater();
      } else {
        errors.fail(name, e);
      }
    } finally {
      try {
        job.end(outcome);
      } catch (OutOfMemoryError e) {
        noteLater();
      }
    }
    return more;
  }

  /** Looks for work again soon: the job has ended, but there was no memory to note its outcome. */
  private void noteLater() {
    pauseNanos = 0; // the shortest pause again
    retryLater(true, true);
  }

  private void release(List<CountDownLatch> waiting) {
    awaiting.removeAll(waiting);
    waiting.forEach(CountDownLatch::countDown);
  }

  /** Returns how long to wait until the next look at whether to try again; 0 to do so now. */
  private long untilRetry() {
    if (!awaiting.isEmpty()) {
      return 0;
    }
    if (!retriesByItself) {
      return WorkerThreads.IDLE;
    }
    long left = retryAtNanos - System.nanoTime();
    boolean memoryFreed =
        isShort
            && pauseNanos - left >= SHORTEST_MEMORY_PAUSE
            && retries.memoryUsed().getAsLong() < usedAtFailure;
    if (left <= 0 || memoryFreed) {
      return 0;
    }
    return isShort ? Math.min(left, SHORTEST_MEMORY_PAUSE) : left;
  }

  private void succeeded() {
    pauseNanos = 0;
    isShort = false;
    if (errors.hasFailed(name)) {
      errors.succeed(name);
    }
  }

  /** Returns true if the work that failed is to be tried again at once. */
  private boolean retry(Throwable failure) {
    boolean nowShort = MemoryShortage.ofAnyKindIsCauseOf(failure);
    try {
      if (nowShort) {
        retries.reclaimMemory().run();
        usedAtFailure = retries.memoryUsed().getAsLong();
      }
      boolean noted =
          nowShort
              ? errors.runShort(name, failure, resumesBefore)
              : errors.failResumably(name, failure, resumesBefore);
      if (noted) {
        retryLater(nowShort, nowShort || isOfTheFileSystem(failure));
      }
      return !noted;
    } catch (OutOfMemoryError e) {
      errors.runShortUnnoted(e);
      noteLater();
      return false;
    }
  }

  private void retryLater(boolean nowShort, boolean byItself) {
    long shortest = nowShort ? SHORTEST_MEMORY_PAUSE : retries.firstPauseNanos();
    long longest = nowShort ? LONGEST_MEMORY_PAUSE : LONGEST_PAUSE;
    pauseNanos =
        pauseNanos == 0 || nowShort != isShort ? shortest : Math.min(2 * pauseNanos, longest);
    isShort = nowShort;
    retrying = true;
    retriesByItself = byItself;
    retryAtNanos = System.nanoTime() + pauseNanos;
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
