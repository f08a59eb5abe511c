package dev.kv.core.background;

import static java.util.Objects.requireNonNull;
import static org.assertj.core.api.Assertions.assertThat;

import dev.kv.DB;
import dev.kv.Options;
import dev.kv.core.Call;
import dev.kv.core.db.DbTestBase;
import dev.kv.core.db.LeakCheck;
import dev.kv.core.event.Events;
import dev.kv.core.shared.WorkerThreads;
import dev.kv.core.write.ErrorHandler;
import dev.kv.env.Env;
import dev.kv.env.ForwardingEnv;
import dev.kv.errors.DBIOException;
import dev.kv.errors.OffHeapExhaustedException;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicIntegerArray;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.AtomicReference;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.io.TempDir;

@ExtendWith(LeakCheck.class)
class BackgroundWorkerTest {
  /** An environment that cannot start the first threads. */
  private static final class Exhausted extends ForwardingEnv {
    private final int failures;
    private final AtomicInteger starts = new AtomicInteger();
    private Runnable beforeFailure = () -> {};

    Exhausted(int failures) {
      super(Env.fileSystem());
      this.failures = failures;
    }

    @Override
    public Thread startThread(String name, Runnable task) {
      if (starts.getAndIncrement() < failures) {
        beforeFailure.run();
        throw new OutOfMemoryError("unable to create native thread");
      }
      return super.startThread(name, task);
    }
  }

  private final ErrorHandler errors = new ErrorHandler(new Events("db", null));

  private final WorkerThreads threads = new WorkerThreads("kv-test", 1);

  private final AtomicLong memoryUsed = new AtomicLong();

  private final BackgroundWorker.Retries retries =
      new BackgroundWorker.Retries(memoryUsed::get, () -> {}, TimeUnit.MILLISECONDS.toNanos(20));

  /** How often the worker of {@link #idleWorker} has looked for work. */
  private final Semaphore runs = new Semaphore(0);

  @AfterEach
  void endThreads() {
    threads.close();
  }

  private BackgroundWorker idleWorker() {
    return idleWorker(Env.fileSystem());
  }

  private BackgroundWorker idleWorker(Env env) {
    return worker(
        env,
        () -> {
          runs.release();
          return null;
        });
  }

  private BackgroundWorker worker(BackgroundWorker.Work work) {
    return worker(Env.fileSystem(), work);
  }

  private BackgroundWorker worker(Env env, BackgroundWorker.Work work) {
    return new BackgroundWorker(threads, env, "kv-test", work, errors, retries);
  }

  /** As of a listener that resumes the database, or another one with the same threads. */
  @Test
  void tryAgain_onAThreadThatRunsTheWork_doesNotWait() throws InterruptedException {
    BackgroundWorker other = idleWorker();
    BackgroundWorker[] self = new BackgroundWorker[1];
    AtomicInteger calls = new AtomicInteger();
    self[0] =
        worker(
            () ->
                () -> {
                  if (calls.getAndIncrement() == 0) {
                    other.tryAgain();
                    self[0].tryAgain();
                  }
                  runs.release();
                  return JobOutcome.Ended.NOTHING_TO_DO;
                });
    self[0].wake();
    try {
      assertThat(runs.tryAcquire(3, 60, TimeUnit.SECONDS)).as("both have run again").isTrue();
    } finally {
      errors.beginClose(); // ends the waits
    }
  }

  /** Of a job that failed and then succeeded. */
  @Test
  void outcome_thatCannotBeNotedForWantOfMemory_isNoFailureOfTheDatabase() {
    AtomicInteger changes = new AtomicInteger();
    errors.onChange(
        () -> {
          if (changes.getAndIncrement() < 2) {
            throw new OutOfMemoryError("simulated");
          }
        });
    AtomicInteger calls = new AtomicInteger();
    BackgroundWorker worker =
        worker(
            () ->
                calls.get() == 2
                    ? null
                    : () ->
                        calls.getAndIncrement() == 0
                            ? new JobOutcome.NothingLogged(new OutOfMemoryError("simulated"))
                            : JobOutcome.Ended.DONE);
    worker.wake();
    DbTestBase.await(
        "the end of the shortage",
        () -> errors.failure() != null || (changes.get() == 2 && !errors.isShortOfMemory()));
    worker.stop();
    worker.join();
    errors.check();
    assertThat(calls).hasValue(2);
  }

  /** The error handler's listeners stand for its own allocations. */
  @Test
  void shortage_thatCannotBeNotedForWantOfMemory_isTriedAgain() {
    AtomicInteger changes = new AtomicInteger();
    errors.onChange(
        () -> {
          if (changes.getAndIncrement() < 3) {
            throw new OutOfMemoryError("simulated");
          }
        });
    AtomicInteger calls = new AtomicInteger();
    BackgroundWorker worker =
        worker(
            () -> {
              if (calls.getAndIncrement() == 0) {
                throw new OutOfMemoryError("simulated");
              }
              return null;
            });
    worker.wake();
    DbTestBase.await(
        "the end of the shortage",
        () -> errors.failure() != null || (calls.get() > 2 && !errors.isShortOfMemory()));
    worker.stop();
    worker.join();
    errors.check();
  }

  @Test
  void end_thatHasNoMemory_isNoFailureOfTheDatabase() {
    AtomicInteger calls = new AtomicInteger();
    BackgroundWorker worker =
        worker(
            () ->
                calls.getAndIncrement() > 0
                    ? null
                    : new BackgroundWorker.Job() {
                      @Override
                      public JobOutcome run() {
                        return JobOutcome.Ended.NOTHING_TO_DO;
                      }

                      @Override
                      public void end(@Nullable JobOutcome outcome) {
                        throw new OutOfMemoryError("simulated");
                      }
                    });
    worker.wake();
    DbTestBase.await("the next look", () -> errors.failure() != null || calls.get() > 1);
    worker.stop();
    worker.join();
    errors.check();
  }

  @Test
  void wake_fromManyThreads_runsEachPieceOnce() throws InterruptedException {
    int threads = 4;
    int each = 2000;
    ConcurrentLinkedQueue<Integer> asked = new ConcurrentLinkedQueue<>();
    AtomicIntegerArray runs = new AtomicIntegerArray(threads * each);
    CountDownLatch left = new CountDownLatch(threads * each);
    BackgroundWorker worker =
        worker(
            () -> {
              Integer piece = asked.poll();
              if (piece == null) {
                return null;
              }
              return () -> {
                runs.incrementAndGet(piece);
                left.countDown();
                return JobOutcome.Ended.DONE;
              };
            });
    List<Thread> askers = new ArrayList<>();
    for (int t = 0; t < threads; t++) {
      int first = t * each;
      Thread asker =
          new Thread(
              () -> {
                for (int i = first; i < first + each; i++) {
                  asked.add(i);
                  worker.wake();
                }
              });
      askers.add(asker);
      asker.start();
    }
    assertThat(left.await(60, TimeUnit.SECONDS)).as("%d left", left.getCount()).isTrue();
    for (Thread asker : askers) {
      asker.join();
    }
    worker.stop();
    worker.join();
    for (int i = 0; i < runs.length(); i++) {
      assertThat(runs.get(i)).as("piece %d", i).isEqualTo(1);
    }
    assertThat(errors.failure()).isNull();
  }

  @Test
  void wakeIn_aLongTime_runsNothingBeforeTheStop() {
    BackgroundWorker worker = idleWorker();
    worker.wakeIn(TimeUnit.HOURS.toNanos(1));
    worker.stop();
    worker.join();
    assertThat(runs.availablePermits()).isZero();
  }

  @Test
  void wakeIn_aShortTime_runsOnceByItself() throws InterruptedException {
    BackgroundWorker worker = idleWorker();
    long start = System.nanoTime();
    worker.wakeIn(TimeUnit.MILLISECONDS.toNanos(50));
    assertThat(runs.tryAcquire(60, TimeUnit.SECONDS)).isTrue();
    assertThat(System.nanoTime() - start).isGreaterThanOrEqualTo(TimeUnit.MILLISECONDS.toNanos(50));
    assertThat(runs.tryAcquire(100, TimeUnit.MILLISECONDS)).isFalse();
    worker.wake();
    assertThat(runs.tryAcquire(60, TimeUnit.SECONDS)).isTrue();
    worker.stop();
    worker.join();
  }

  @Test
  void wakeIn_wokenBefore_runsAtOnceAndNotAgain() throws InterruptedException {
    BackgroundWorker worker = idleWorker();
    worker.wakeIn(TimeUnit.HOURS.toNanos(1));
    worker.wake();
    assertThat(runs.tryAcquire(60, TimeUnit.SECONDS)).isTrue();
    worker.stop();
    worker.join();
    assertThat(runs.availablePermits()).isZero();
  }

  @Test
  void wake_afterTheStop_startsNoThread() {
    BackgroundWorker worker = idleWorker();
    worker.stop();
    worker.wake();
    worker.join();
    assertThat(runs.availablePermits()).isZero();
  }

  @Test
  void open_readAndClose_startNoThread(@TempDir Path directory) {
    DB.open(directory, Options.builder().createIfMissing(true).build()).close();
    List<String> started = new ArrayList<>();
    Env threadless =
        new ForwardingEnv(Env.fileSystem()) {
          @Override
          public Thread startThread(String name, Runnable task) {
            started.add(name);
            return super.startThread(name, task);
          }
        };
    try (DB db = DB.open(directory, Options.builder().env(threadless).build())) {
      assertThat(db.get(new byte[] {'a'})).isNull();
    }
    assertThat(started).isEmpty();
  }

  @Test
  void wake_whereNoThreadCanBeStarted_shutsTheGate() {
    Env exhausted =
        new ForwardingEnv(Env.fileSystem()) {
          @Override
          public Thread startThread(String name, Runnable task) {
            throw new OutOfMemoryError("unable to create native thread");
          }
        };
    BackgroundWorker worker =
        new BackgroundWorker(threads, exhausted, "kv-test", () -> null, errors, retries);
    worker.wake();
    assertThat(errors.failure()).isNotNull();
    worker.stop();
    worker.join();
  }

  @Test
  void work_thatThrows_shutsTheGateAndLeavesTheThreadAlive() throws InterruptedException {
    CountDownLatch second = new CountDownLatch(2);
    List<Boolean> failedAtTheEnd = new CopyOnWriteArrayList<>();
    BackgroundWorker.Job job =
        new BackgroundWorker.Job() {
          @Override
          public JobOutcome run() {
            throw new StackOverflowError("simulated");
          }

          @Override
          public void end(@Nullable JobOutcome outcome) {
            failedAtTheEnd.add(errors.failure() != null);
            second.countDown();
          }
        };
    BackgroundWorker worker = worker(() -> job);
    worker.wake();
    long end = System.nanoTime() + TimeUnit.SECONDS.toNanos(60);
    while (errors.failure() == null && System.nanoTime() < end) {
      Thread.sleep(1);
    }
    assertThat(errors.failure()).isNotNull();
    worker.wake();
    assertThat(second.await(60, TimeUnit.SECONDS)).isTrue();
    worker.stop();
    worker.join();
    assertThat(failedAtTheEnd).contains(true).doesNotContain(false);
  }

  /** Another thread could not have its inputs otherwise. */
  @Test
  void work_thatThrowsWhatCannotBePrinted_ends() throws InterruptedException {
    errors.fail("a write", new IOException("simulated")); // so that a second failure is logged
    CountDownLatch ended = new CountDownLatch(1);
    BackgroundWorker.Job job =
        new BackgroundWorker.Job() {
          @Override
          public JobOutcome run() {
            throw new IllegalStateException("of a comparator") {
              @Override
              public String toString() {
                throw new AssertionError("of the program");
              }
            };
          }

          @Override
          public void end(@Nullable JobOutcome outcome) {
            ended.countDown();
          }
        };
    BackgroundWorker worker = worker(() -> ended.getCount() == 0 ? null : job);
    worker.wake();
    assertThat(ended.await(60, TimeUnit.SECONDS)).isTrue();
    stop(worker);
  }

  /** Work that fails with the next of {@code failures} each time, then succeeds. */
  private BackgroundWorker failing(List<? extends Throwable> failures) {
    ConcurrentLinkedQueue<Throwable> left = new ConcurrentLinkedQueue<>(failures);
    return worker(
        () ->
            () -> {
              Throwable failure = left.poll();
              runs.release();
              return failure == null
                  ? JobOutcome.Ended.NOTHING_TO_DO
                  : new JobOutcome.NothingLogged(failure);
            });
  }

  private static DBIOException diskFull() {
    return new DBIOException("simulated", new IOException("No space left on device"));
  }

  private void awaitRuns(int count) throws InterruptedException {
    assertThat(runs.tryAcquire(count, 60, TimeUnit.SECONDS)).isTrue();
  }

  private static void stop(BackgroundWorker worker) {
    worker.stop();
    worker.join();
  }

  @Test
  void work_failureOfTheFileSystem_isTriedAgainUntilItSucceeds() throws InterruptedException {
    CountDownLatch shut = new CountDownLatch(3);
    List<Boolean> failed = new CopyOnWriteArrayList<>();
    errors.onChange(
        () -> {
          failed.add(errors.failure() != null);
          shut.countDown();
        });
    BackgroundWorker worker = failing(List.of(diskFull(), diskFull()));
    worker.wake();
    assertThat(shut.await(60, TimeUnit.SECONDS)).isTrue();
    stop(worker);
    assertThat(failed).containsExactly(true, true, false);
    assertThat(runs.availablePermits()).isEqualTo(3);
  }

  @Test
  void work_otherFailureThatLoggedNothing_isTriedAgainOnDemandOnly() throws InterruptedException {
    BackgroundWorker worker =
        failing(List.of(new IllegalStateException("one"), new IllegalStateException("two")));
    worker.wake();
    awaitRuns(1);
    DbTestBase.await("the failure", () -> errors.failure() != null);
    worker.wake();
    assertThat(runs.tryAcquire(100, TimeUnit.MILLISECONDS)).isFalse();
    assertThat(errors.failure()).isNotNull();
    worker.tryAgain();
    assertThat(errors.failure()).hasMessage("two");
    worker.tryAgain();
    assertThat(errors.isOpen()).isTrue();
    stop(worker);
    assertThat(runs.availablePermits()).isEqualTo(2);
  }

  @Test
  void work_shortOfMemory_leavesTheGateOpenAndIsTriedAgainByItself() throws InterruptedException {
    CountDownLatch changes = new CountDownLatch(2);
    List<Boolean> isShort = new CopyOnWriteArrayList<>();
    errors.onChange(
        () -> {
          isShort.add(errors.isShortOfMemory());
          assertThat(errors.isOpen()).isTrue();
          changes.countDown();
        });
    BackgroundWorker worker =
        failing(
            List.of(
                new OffHeapExhaustedException("simulated"),
                new OutOfMemoryError("Cannot reserve 9 bytes of direct buffer memory"),
                new OutOfMemoryError("Java heap space"),
                new IllegalStateException(new OutOfMemoryError("Java heap space"))));
    worker.wake();
    assertThat(changes.await(60, TimeUnit.SECONDS)).isTrue();
    stop(worker);
    assertThat(isShort).containsExactly(true, false);
  }

  @Test
  void tryAgain_threadThatCanBeStartedNow_opensTheGate() {
    Env exhausted = new Exhausted(2);
    BackgroundWorker worker =
        new BackgroundWorker(threads, exhausted, "kv-test", () -> null, errors, retries);
    worker.wake();
    assertThat(errors.failure()).isNotNull();
    worker.tryAgain();
    assertThat(errors.failure()).isNotNull();
    worker.tryAgain();
    assertThat(errors.isOpen()).isTrue();
    stop(worker);
  }

  /** Work that waits for a thread that could not be started is not tried again by itself. */
  @Test
  void startOfAThread_thatFailsAfterAResumeThatItBeganBefore_isTriedAgain()
      throws InterruptedException {
    Exhausted exhausted = new Exhausted(1);
    exhausted.beforeFailure = errors::beginResume;
    BackgroundWorker worker = idleWorker(exhausted);
    worker.wake();
    assertThat(errors.failure()).isNull();
    awaitRuns(1);
    stop(worker);
    assertThat(exhausted.starts).hasValue(2);
  }

  @Test
  void tryAgain_whileItIsNotedThatThereIsNoThread_waitsForTheNextStart()
      throws InterruptedException {
    Env exhausted = new Exhausted(1);
    BackgroundWorker worker = idleWorker(exhausted);
    AtomicReference<@Nullable Call> resume = new AtomicReference<>();
    errors.onChange(
        () -> {
          if (errors.failure() != null) {
            Call call =
                Call.start(
                    () -> {
                      errors.beginResume();
                      worker.tryAgain();
                      errors.check();
                    });
            resume.set(call);
            DbTestBase.await("the wait", () -> Call.isParked(call.thread()));
          }
        });
    worker.wake();
    assertThat(requireNonNull(resume.get()).outcome()).isNull();
    stop(worker);
  }

  /** The error handler's listener stands for its own allocations. */
  @Test
  void wake_ifTheFailureToStartAThreadCannotBeNoted_isAShortageUntilTheNextWake() {
    Env exhausted = new Exhausted(1);
    AtomicInteger changes = new AtomicInteger();
    errors.onChange(
        () -> {
          if (changes.getAndIncrement() == 0) {
            throw new OutOfMemoryError("simulated");
          }
        });
    BackgroundWorker worker =
        new BackgroundWorker(threads, exhausted, "kv-test", () -> null, errors, retries);
    worker.wake();
    assertThat(errors.isShortOfMemory()).isTrue();
    worker.wake();
    DbTestBase.await("the end of the shortage", () -> !errors.isShortOfMemory());
    errors.check();
    stop(worker);
  }

  @Test
  void stop_whileWorkWaitsForItsRetry_endsTheThread() throws InterruptedException {
    BackgroundWorker worker = failing(List.of(new IllegalStateException("simulated")));
    worker.wake();
    awaitRuns(1);
    stop(worker);
    assertThat(runs.availablePermits()).isZero();
  }

  /** The work has changed nothing when it only looks for a job. */
  @Test
  void next_thatThrowsOnce_isTriedAgainOnDemand() {
    AtomicInteger calls = new AtomicInteger();
    BackgroundWorker worker =
        worker(
            () -> {
              if (calls.incrementAndGet() == 1) {
                throw new IllegalStateException("of a comparator");
              }
              return null;
            });
    worker.wake();
    DbTestBase.await("the failure", () -> errors.failure() != null);
    assertThat(errors.isFailedPermanently()).isFalse();
    worker.tryAgain();
    assertThat(errors.isOpen()).isTrue();
    stop(worker);
  }
}
