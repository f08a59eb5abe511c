package dev.kv.core.shared;

import static org.assertj.core.api.Assertions.assertThat;

import dev.kv.core.Children;
import dev.kv.core.FullHeaps;
import dev.kv.core.Latches;
import dev.kv.core.db.DbTestBase;
import dev.kv.core.db.LeakCheck;
import dev.kv.core.logging.CapturedLog;
import dev.kv.env.Env;
import java.io.PrintStream;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;
import java.util.Random;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.ExtendWith;

@ExtendWith(LeakCheck.class)
@Timeout(value = 120, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class WorkerThreadsTest {
  private final List<WorkerThreads> made = new ArrayList<>();

  /** The names of the tasks in the order in which they ran. */
  private final List<String> runs = new CopyOnWriteArrayList<>();

  private final AtomicInteger started = new AtomicInteger();

  private WorkerThreads threads(int count) {
    WorkerThreads threads = new WorkerThreads("kv-test", count);
    made.add(threads);
    return threads;
  }

  @AfterEach
  void endThreads() {
    made.forEach(WorkerThreads::close);
  }

  /** A task that runs {@code pieces} pieces each time it is submitted to an idle thread. */
  private class Counted extends WorkerThreads.Task {
    private final String name;
    private int left;

    /** Counted down by each piece. */
    final CountDownLatch done;

    final List<Throwable> noThread = new CopyOnWriteArrayList<>();

    Counted(String name, int pieces) {
      this.name = name;
      left = pieces;
      done = new CountDownLatch(pieces);
    }

    @Override
    protected long runPiece() {
      runs.add(name);
      left--;
      done.countDown();
      return left > 0 ? 0 : WorkerThreads.IDLE;
    }

    @Override
    protected Thread startThread(String threadName, Runnable body) {
      started.incrementAndGet();
      return Env.fileSystem().startThread(threadName, body);
    }

    @Override
    protected boolean noThread(Throwable cause) {
      noThread.add(cause);
      return false;
    }
  }

  /** A task of which no thread can be started until it is able. */
  private class Unstartable extends Counted {
    final AtomicBoolean able = new AtomicBoolean();

    Unstartable(String name) {
      super(name, 1);
    }

    @Override
    protected Thread startThread(String threadName, Runnable body) {
      if (!able.get()) {
        throw new OutOfMemoryError("unable to create native thread");
      }
      return super.startThread(threadName, body);
    }
  }

  /** A task that holds its thread until it is let go. */
  private class Holding extends Counted {
    final CountDownLatch running = new CountDownLatch(1);
    final CountDownLatch letGo = new CountDownLatch(1);

    Holding(String name) {
      super(name, 1);
    }

    @Override
    protected long runPiece() {
      running.countDown();
      Latches.await(letGo);
      return super.runPiece();
    }
  }

  /** A task whose thread is known, to see that it waits. */
  private final class Watched extends Counted {
    private volatile @Nullable Thread thread;

    Watched(String name, int pieces) {
      super(name, pieces);
    }

    @Override
    protected Thread startThread(String threadName, Runnable body) {
      Thread fresh = super.startThread(threadName, body);
      thread = fresh;
      return fresh;
    }

    /** Waits until the thread that it started waits for work. */
    void awaitIdleThread() {
      DbTestBase.await(
          "the idle thread",
          () -> {
            Thread present = thread;
            return present != null && present.getState() == Thread.State.TIMED_WAITING;
          });
    }
  }

  @Test
  void includeThisThread_inAPieceThatRunsBeforeTheStartIsNoted_isTrue() {
    WorkerThreads threads = threads(1);
    AtomicBoolean included = new AtomicBoolean();
    Counted task =
        new Counted("a", 1) {
          @Override
          protected long runPiece() {
            included.set(threads.includeThisThread());
            return super.runPiece();
          }

          @Override
          protected Thread startThread(String threadName, Runnable body) {
            Thread fresh = super.startThread(threadName, body);
            Latches.await(done);
            return fresh;
          }
        };
    threads.submit(task);
    assertThat(included).isTrue();
    assertThat(threads.includeThisThread()).isFalse();
  }

  @Test
  void tasks_oneWithMuchWork_takeTurnsOnOneThread() {
    WorkerThreads threads = threads(1);
    Holding first = new Holding("first");
    threads.submit(first);
    Latches.await(first.running);
    Counted busy = new Counted("busy", 5);
    Counted one = new Counted("one", 1);
    Counted two = new Counted("two", 2);
    threads.submit(busy);
    threads.submit(one);
    threads.submit(two);
    first.letGo.countDown();
    Latches.await(busy.done);
    assertThat(runs)
        .containsExactly("first", "busy", "one", "two", "busy", "two", "busy", "busy", "busy");
    assertThat(started).hasValue(1);
  }

  @Test
  void submit_whileTheTaskRuns_runsItOnceMore() throws InterruptedException {
    WorkerThreads threads = threads(2);
    Semaphore entered = new Semaphore(0);
    Semaphore leave = new Semaphore(0);
    AtomicInteger inside = new AtomicInteger();
    AtomicInteger most = new AtomicInteger();
    Counted task =
        new Counted("task", 1) {
          @Override
          protected long runPiece() {
            most.accumulateAndGet(inside.incrementAndGet(), Math::max);
            entered.release();
            leave.acquireUninterruptibly();
            inside.decrementAndGet();
            return WorkerThreads.IDLE;
          }
        };
    threads.submit(task);
    assertThat(entered.tryAcquire(60, TimeUnit.SECONDS)).isTrue();
    threads.submit(task);
    threads.submit(task);
    leave.release();
    assertThat(entered.tryAcquire(60, TimeUnit.SECONDS)).isTrue();
    leave.release();
    threads.end(task);
    threads.awaitEnd(task);
    assertThat(entered.availablePermits()).isZero();
    assertThat(most).as("threads in the task").hasValue(1);
  }

  @Test
  void submit_whileTheTaskRuns_comesAfterThoseThatWait_andBeforeLaterOnes() {
    WorkerThreads threads = threads(1);
    Holding again = new Holding("again");
    Holding waiting = new Holding("waiting");
    Counted later = new Counted("later", 1);
    threads.submit(again);
    Latches.await(again.running);
    threads.submit(again);
    threads.submit(waiting);
    again.letGo.countDown();
    Latches.await(waiting.running);
    threads.submit(later);
    waiting.letGo.countDown();
    Latches.await(later.done);
    assertThat(runs).containsExactly("again", "waiting", "again", "later");
  }

  @Test
  void submit_manyTasksFromManyThreads_eachSubmissionIsFollowedByARun()
      throws InterruptedException {
    WorkerThreads threads = threads(3);
    int count = 20;
    int submitters = 4;
    AtomicInteger[] wanted = new AtomicInteger[count];
    AtomicInteger[] seen = new AtomicInteger[count];
    AtomicInteger[] inside = new AtomicInteger[count];
    AtomicInteger running = new AtomicInteger();
    AtomicInteger mostRunning = new AtomicInteger();
    AtomicBoolean overlapped = new AtomicBoolean();
    List<Counted> tasks = new ArrayList<>();
    for (int i = 0; i < count; i++) {
      int id = i;
      wanted[i] = new AtomicInteger();
      seen[i] = new AtomicInteger();
      inside[i] = new AtomicInteger();
      tasks.add(
          new Counted("task" + i, 1) {
            @Override
            protected long runPiece() {
              if (inside[id].getAndIncrement() != 0) {
                overlapped.set(true);
              }
              mostRunning.accumulateAndGet(running.incrementAndGet(), Math::max);
              seen[id].set(wanted[id].get());
              running.decrementAndGet();
              inside[id].decrementAndGet();
              return WorkerThreads.IDLE;
            }
          });
    }
    List<Thread> all = new ArrayList<>();
    for (int s = 0; s < submitters; s++) {
      Random random = new Random(s);
      Thread submitter =
          new Thread(
              () -> {
                for (int i = 0; i < 20_000; i++) {
                  int id = random.nextInt(count);
                  wanted[id].incrementAndGet();
                  threads.submit(tasks.get(id));
                }
              });
      all.add(submitter);
      submitter.start();
    }
    for (Thread each : all) {
      each.join();
    }
    long end = System.nanoTime() + TimeUnit.SECONDS.toNanos(60);
    for (int i = 0; i < count; i++) {
      while (seen[i].get() != wanted[i].get() && System.nanoTime() < end) {
        Thread.onSpinWait();
      }
      assertThat(seen[i].get()).as("task %d", i).isEqualTo(wanted[i].get());
    }
    assertThat(overlapped).isFalse();
    assertThat(mostRunning.get()).isLessThanOrEqualTo(3);
    assertThat(started.get()).isLessThanOrEqualTo(3);
  }

  @Test
  void submitIn_whileAnotherTaskHoldsAThread_runsOnTheOther() {
    WorkerThreads threads = threads(2);
    Counted early = new Counted("early", 1);
    threads.submit(early);
    Latches.await(early.done);
    Counted later = new Counted("later", 1);
    threads.submitIn(later, TimeUnit.MILLISECONDS.toNanos(30));
    Holding holding = new Holding("holding");
    threads.submit(holding);
    Latches.await(holding.running);
    Latches.await(later.done);
    assertThat(runs).containsExactly("early", "later");
    holding.letGo.countDown();
    Latches.await(holding.done);
  }

  @Test
  void submitIn_whileEveryThreadIsBusy_startsAnother() {
    WorkerThreads threads = threads(2);
    Holding busy = new Holding("busy");
    threads.submit(busy);
    Latches.await(busy.running);
    Counted later = new Counted("later", 1);
    threads.submitIn(later, 1);
    int startedAtOnce = started.get();
    if (startedAtOnce == 2) {
      Latches.await(later.done);
    }
    busy.letGo.countDown();
    Latches.await(busy.done);
    assertThat(startedAtOnce).isEqualTo(2);
  }

  @Test
  void submitIn_twoTasksForTheSameTime_runOnTwoThreads() {
    WorkerThreads threads = threads(2);
    Holding one = new Holding("one");
    Holding two = new Holding("two");
    threads.submitIn(one, 1);
    threads.submitIn(two, 1);
    Latches.await(one.running);
    Latches.await(two.running);
    one.letGo.countDown();
    two.letGo.countDown();
    Latches.await(one.done);
    Latches.await(two.done);
  }

  @Test
  void submit_ofADelayedTask_runsItNowAndOnce() {
    WorkerThreads threads = threads(1);
    Counted task = new Counted("task", 1);
    threads.submitIn(task, TimeUnit.HOURS.toNanos(1));
    threads.submit(task);
    Latches.await(task.done);
    threads.end(task);
    threads.awaitEnd(task);
    assertThat(runs).containsExactly("task");
  }

  @Test
  void runPiece_thatAsksForALaterTime_isCalledThenAgain() {
    WorkerThreads threads = threads(1);
    long[] first = {0};
    long[] second = {0};
    Counted task =
        new Counted("task", 2) {
          @Override
          protected long runPiece() {
            if (super.runPiece() == 0) {
              first[0] = System.nanoTime();
              return TimeUnit.MILLISECONDS.toNanos(20);
            }
            second[0] = System.nanoTime();
            return WorkerThreads.IDLE;
          }
        };
    threads.submit(task);
    Latches.await(task.done);
    threads.end(task);
    threads.awaitEnd(task);
    assertThat(second[0] - first[0]).isGreaterThanOrEqualTo(TimeUnit.MILLISECONDS.toNanos(20));
  }

  @Test
  void end_ofATaskThatRuns_letsItsPieceEndAndStartsNoOther() {
    WorkerThreads threads = threads(1);
    Holding running = new Holding("running");
    Counted waiting = new Counted("waiting", 1);
    Counted delayed = new Counted("delayed", 1);
    Counted idle = new Counted("idle", 1);
    threads.submit(running);
    Latches.await(running.running);
    threads.submit(waiting);
    threads.submitIn(delayed, 1);
    for (Counted each : List.of(running, waiting, delayed, idle)) {
      threads.end(each);
      threads.submit(each);
    }
    running.letGo.countDown();
    for (Counted each : List.of(running, waiting, delayed, idle)) {
      threads.awaitEnd(each);
    }
    assertThat(runs).containsExactly("running");
  }

  @Test
  void startThread_thatFailsForOneTask_isTriedWithTheOthers() {
    WorkerThreads threads = threads(1);
    Counted[] others = new Counted[2];
    Counted unable =
        new Counted("unable", 1) {
          @Override
          protected Thread startThread(String name, Runnable body) {
            // Submitted by others meanwhile: they find that a thread is being started.
            for (Counted other : others) {
              threads.submit(other);
            }
            throw new OutOfMemoryError("unable to create native thread");
          }
        };
    others[0] = new Counted("zero", 1);
    others[1] = new Counted("one", 1);
    threads.submit(unable);
    assertThat(unable.noThread).hasSize(1);
    Latches.await(others[0].done);
    Latches.await(others[1].done);
    assertThat(runs).containsExactly("zero", "one");
    threads.submit(unable);
    Latches.await(unable.done);
  }

  @Test
  void noThread_thatThrows_leavesATaskThatWasSubmittedMeanwhileForTheNextThread() {
    WorkerThreads threads = threads(1);
    Unstartable task =
        new Unstartable("task") {
          @Override
          protected boolean noThread(Throwable cause) {
            able.set(true);
            threads.submit(this);
            throw new OutOfMemoryError("simulated");
          }
        };
    threads.submit(task);
    Latches.await(task.done);
    assertThat(runs).containsExactly("task");
  }

  @Test
  void startThread_thatFailsForAll_tellsEachAndTriesAgainLater() {
    WorkerThreads threads = threads(2);
    Unstartable task = new Unstartable("task");
    threads.submit(task);
    threads.submit(task);
    assertThat(task.noThread).hasSize(2);
    task.able.set(true);
    threads.submit(task);
    Latches.await(task.done);
    assertThat(Collections.frequency(runs, "task")).isEqualTo(1);
  }

  /** So nothing that it notes comes after the effects of a later piece. */
  @Test
  void submit_whileTheTaskIsToldThatItHasNoThread_startsOneAfterwards() {
    WorkerThreads threads = threads(1);
    Unstartable task =
        new Unstartable("task") {
          @Override
          protected boolean noThread(Throwable cause) {
            able.set(true);
            threads.submit(this);
            assertThat(started).hasValue(0);
            return super.noThread(cause);
          }
        };
    threads.submit(task);
    Latches.await(task.done);
    assertThat(started).hasValue(1);
    assertThat(task.noThread).hasSize(1);
  }

  @Test
  void submit_besideAnIdleThread_startsNoOther() {
    WorkerThreads threads = threads(2);
    Watched first = new Watched("first", 1);
    threads.submit(first);
    Latches.await(first.done);
    for (int i = 0; i < 5; i++) {
      first.awaitIdleThread();
      Counted next = new Counted("next", 1);
      threads.submit(next);
      Latches.await(next.done);
    }
    assertThat(started).hasValue(1);
    first.awaitIdleThread();
    Holding holding = new Holding("holding");
    threads.submit(holding);
    Latches.await(holding.running);
    Counted beside = new Counted("beside", 1);
    threads.submit(beside);
    Latches.await(beside.done);
    assertThat(started).hasValue(2);
    holding.letGo.countDown();
    Latches.await(holding.done);
  }

  @Test
  void submitIn_besideAnIdleThread_runsOnIt() {
    WorkerThreads threads = threads(1);
    Watched first = new Watched("first", 1);
    threads.submit(first);
    Latches.await(first.done);
    first.awaitIdleThread();
    Counted later = new Counted("later", 1);
    threads.submitIn(later, 1);
    Latches.await(later.done);
    assertThat(started).hasValue(1);
    threads.submitIn(new Counted("in an hour", 1), TimeUnit.HOURS.toNanos(1));
    first.awaitIdleThread();
    assertThat(runs).containsExactly("first", "later");
  }

  @Test
  void runPiece_thatThrows_isLoggedAndCalledAgain() {
    WorkerThreads threads = threads(1);
    AtomicBoolean threw = new AtomicBoolean();
    Counted task =
        new Counted("task", 1) {
          @Override
          protected long runPiece() {
            if (threw.compareAndSet(false, true)) {
              throw new OutOfMemoryError("simulated");
            }
            return super.runPiece();
          }
        };
    try (CapturedLog log = new CapturedLog()) {
      threads.submit(task);
      DbTestBase.await("the log", () -> !log.lines("ERROR").isEmpty());
      threads.submit(task);
      Latches.await(task.done);
      assertThat(log.lines("ERROR"))
          .singleElement()
          .satisfies(line -> assertThat(line).contains("kv-test: a task threw"));
      assertThat(log.lines()).contains("java.lang.OutOfMemoryError: simulated");
    }
  }

  /** In a JVM of its own, whose heap the first piece of the task fills. */
  @Test
  void runPiece_thatLeavesNoMemory_isCalledAgain() throws Exception {
    Children.Ended ended = Children.run(List.of("-Xmx24m"), FullHeap.class);
    assertThat(ended.exitCode()).as(ended.output()).isEqualTo(4);
  }

  /** The task. While the heap is full, it does nothing that needs memory. */
  static final class FullHeap extends WorkerThreads.Task {
    private static final long DELAY = TimeUnit.MILLISECONDS.toNanos(5);

    private static final AtomicInteger PIECES = new AtomicInteger();

    private final Object[] fill = new Object[1 << 21];

    private FullHeap() {}

    public static void main(String[] args) throws InterruptedException {
      FullHeap task = new FullHeap();
      new WorkerThreads("kv-test", 1).submit(task);
      long end = System.nanoTime() + TimeUnit.SECONDS.toNanos(20);
      while (PIECES.get() < 4 && System.nanoTime() - end < 0) {
        Thread.sleep(1);
      }
      System.exit(PIECES.get());
    }

    /** The first pieces run what the last one runs: then that needs no memory. */
    @Override
    protected long runPiece() {
      Arrays.fill(fill, null);
      int piece = PIECES.incrementAndGet();
      if (piece == 3) {
        FullHeaps.fill(fill);
      }
      return piece == 4 ? WorkerThreads.IDLE : DELAY;
    }

    @Override
    protected Thread startThread(String threadName, Runnable body) {
      Thread thread = new Thread(body, threadName);
      thread.setDaemon(true);
      thread.start();
      return thread;
    }

    @Override
    protected boolean noThread(Throwable cause) {
      throw new AssertionError(cause);
    }
  }

  /** The only thread is still there for it and for others. */
  @Test
  void runPiece_thatThrowsWhatALoggerCannotPrint_isCalledAgain() {
    WorkerThreads threads = threads(1);
    Counted task =
        new Counted("task", 2) {
          @Override
          protected long runPiece() {
            if (super.runPiece() != WorkerThreads.IDLE) {
              throw new IllegalStateException("simulated") {
                @Override
                public void printStackTrace(PrintStream target) {
                  throw new AssertionError("of a logger");
                }
              };
            }
            return WorkerThreads.IDLE;
          }
        };
    Counted other = new Counted("other", 1);
    threads.submit(task);
    Latches.await(task.done);
    threads.submit(other);
    Latches.await(other.done);
    assertThat(started).hasValue(1);
  }

  @Test
  void startThread_thatFailsBesideADelayedTask_isTriedWithThatTask() {
    WorkerThreads threads = threads(1);
    Counted later = new Counted("later", 1);
    Counted unable =
        new Counted("unable", 1) {
          @Override
          protected Thread startThread(String name, Runnable body) {
            threads.submitIn(later, 1); // finds that a thread is being started
            throw new OutOfMemoryError("unable to create native thread");
          }
        };
    threads.submit(unable);
    assertThat(unable.noThread).hasSize(1);
    Latches.await(later.done);
  }

  @Test
  void startThread_thatFailsForADelayedTask_leavesItToTheNextSubmission() {
    WorkerThreads threads = threads(1);
    Unstartable task = new Unstartable("task");
    threads.submitIn(task, 1);
    assertThat(task.noThread).hasSize(1);
    task.able.set(true);
    threads.submitIn(task, 1);
    Latches.await(task.done);
    assertThat(task.noThread).hasSize(1);
  }

  @Test
  void startThread_thatFailsForATaskThatHasEnded_doesNotTellIt() {
    WorkerThreads threads = threads(1);
    Counted unable =
        new Counted("unable", 1) {
          @Override
          protected Thread startThread(String name, Runnable body) {
            threads.end(this);
            throw new OutOfMemoryError("unable to create native thread");
          }
        };
    threads.submit(unable);
    assertThat(unable.noThread).isEmpty();
    threads.awaitEnd(unable);
  }

  @Test
  void close_whileAThreadIsStarted_waitsForBoth() throws InterruptedException {
    WorkerThreads threads = threads(1);
    CountDownLatch starting = new CountDownLatch(1);
    CountDownLatch letStart = new CountDownLatch(1);
    AtomicReference<@Nullable Thread> worker = new AtomicReference<>();
    Counted task =
        new Counted("task", 1) {
          @Override
          protected Thread startThread(String name, Runnable body) {
            starting.countDown();
            Latches.await(letStart);
            worker.set(super.startThread(name, body));
            return worker.get();
          }
        };
    Thread submitter = new Thread(() -> threads.submit(task));
    submitter.start();
    Latches.await(starting);
    Thread closer = new Thread(threads::close);
    closer.start();
    DbTestBase.await("the wait", () -> closer.getState() == Thread.State.WAITING);
    letStart.countDown();
    closer.join();
    submitter.join();
    assertThat(worker.get()).isNotNull();
    assertThat(worker.get().isAlive()).isFalse();
  }

  @Test
  void submitIn_twoTasksBesideAnIdleThread_runOnTwoThreads() {
    WorkerThreads threads = threads(2);
    Watched first = new Watched("first", 1);
    threads.submit(first);
    Latches.await(first.done);
    first.awaitIdleThread();
    Holding one = new Holding("one");
    Holding two = new Holding("two");
    threads.submitIn(one, TimeUnit.MILLISECONDS.toNanos(20));
    threads.submitIn(two, TimeUnit.MILLISECONDS.toNanos(20));
    Latches.await(one.running);
    Latches.await(two.running);
    one.letGo.countDown();
    two.letGo.countDown();
    Latches.await(one.done);
    Latches.await(two.done);
  }

  @Test
  void names_ofThreads_haveANumberIfThereMayBeSeveral() {
    List<String> names = new CopyOnWriteArrayList<>();
    for (int count = 1; count <= 2; count++) {
      WorkerThreads threads = threads(count);
      List<Holding> tasks = new ArrayList<>();
      for (int i = 0; i < count; i++) {
        Holding task =
            new Holding("task") {
              @Override
              protected Thread startThread(String name, Runnable body) {
                names.add(name);
                return super.startThread(name, body);
              }
            };
        tasks.add(task);
        threads.submit(task);
        Latches.await(task.running);
      }
      for (Holding task : tasks) {
        task.letGo.countDown();
        Latches.await(task.done);
      }
    }
    assertThat(names).containsExactly("kv-test", "kv-test-1", "kv-test-2");
  }

  @Test
  void close_whileTheLastPieceOfATaskRuns_waitsForItsThread() throws InterruptedException {
    WorkerThreads threads = threads(1);
    Holding task = new Holding("task");
    threads.submit(task);
    Latches.await(task.running);
    threads.end(task);
    Thread closer = new Thread(threads::close);
    closer.start();
    DbTestBase.await(
        "the wait or the end",
        () -> closer.getState() == Thread.State.WAITING || !closer.isAlive());
    assertThat(closer.isAlive()).isTrue();
    task.letGo.countDown();
    closer.join();
    assertThat(runs).containsExactly("task");
  }
}
