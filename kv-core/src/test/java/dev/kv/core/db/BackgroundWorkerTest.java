package dev.kv.core.db;

import static org.assertj.core.api.Assertions.assertThat;

import dev.kv.Env;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicIntegerArray;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

@ExtendWith(LeakCheck.class)
class BackgroundWorkerTest {
  private final BackgroundError error = new BackgroundError(Path.of("db"), new Monitor());

  private BackgroundWorker started(BackgroundWorker.Work work) {
    BackgroundWorker worker = new BackgroundWorker(Env.fileSystem(), "kv-test", work, error);
    worker.start();
    return worker;
  }

  @Test
  void wake_fromManyThreads_runsEachPieceOnce() throws InterruptedException {
    int threads = 4;
    int each = 2000;
    ConcurrentLinkedQueue<Integer> asked = new ConcurrentLinkedQueue<>();
    AtomicIntegerArray runs = new AtomicIntegerArray(threads * each);
    CountDownLatch left = new CountDownLatch(threads * each);
    BackgroundWorker worker =
        started(
            () -> {
              Integer piece = asked.poll();
              if (piece == null) {
                return false;
              }
              runs.incrementAndGet(piece);
              left.countDown();
              return true;
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
    assertThat(error.isSet()).isFalse();
  }

  @Test
  void wake_beforeTheStart_isNotForgotten() throws InterruptedException {
    CountDownLatch ran = new CountDownLatch(1);
    BackgroundWorker worker =
        new BackgroundWorker(
            Env.fileSystem(),
            "kv-test",
            () -> {
              ran.countDown();
              return false;
            },
            error);
    worker.wake();
    worker.start();
    assertThat(ran.await(60, TimeUnit.SECONDS)).isTrue();
    worker.stop();
    worker.join();
  }

  @Test
  void work_thatThrows_setsTheErrorAndLeavesTheThreadAlive() throws InterruptedException {
    CountDownLatch second = new CountDownLatch(2);
    BackgroundWorker worker =
        started(
            () -> {
              second.countDown();
              throw new StackOverflowError("simulated");
            });
    worker.wake();
    long end = System.nanoTime() + TimeUnit.SECONDS.toNanos(60);
    while (!error.isSet() && System.nanoTime() < end) {
      Thread.sleep(1);
    }
    assertThat(error.isSet()).isTrue();
    worker.wake();
    assertThat(second.await(60, TimeUnit.SECONDS)).isTrue();
    worker.stop();
    worker.join();
  }
}
