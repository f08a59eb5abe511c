package dev.kv.core.load;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.kv.core.Sneaky;
import dev.kv.core.env.FileEnv;
import dev.kv.core.env.Uninterrupted;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.CountDownLatch;
import java.util.function.Consumer;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(value = 60, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
final class LoadStageTest {
  private final ConcurrentLinkedQueue<Integer> done = new ConcurrentLinkedQueue<>();
  private final ConcurrentLinkedQueue<Integer> discarded = new ConcurrentLinkedQueue<>();
  private final ConcurrentLinkedQueue<String> threads = new ConcurrentLinkedQueue<>();
  private final Set<Thread> running = ConcurrentHashMap.newKeySet();

  private LoadStage<Integer> stage(Consumer<Integer> work) {
    return new LoadStage<>(
        new FileEnv(),
        "test-stage",
        2,
        item -> {
          work.accept(item);
          assertThat(running.contains(Thread.currentThread()))
              .isEqualTo(Thread.currentThread().getName().equals("test-stage"));
          threads.add(Thread.currentThread().getName());
          done.add(item);
        },
        discarded::add,
        running);
  }

  @AfterEach
  void noThreadIsLeft() {
    assertThat(running).isEmpty();
  }

  @Test
  void finish_afterManyItems_hasDoneAllInOrder() {
    try (LoadStage<Integer> stage = stage(item -> {})) {
      for (int i = 0; i < 1000; i++) {
        stage.submit(i);
      }
      stage.finish(1000);
      assertThat(done).containsExactlyElementsOf(IntStream.rangeClosed(0, 1000).boxed().toList());
      assertThat(threads).containsOnly("test-stage");
    }
    assertThat(discarded).isEmpty();
  }

  @Test
  void finish_withTheOnlyItem_doesItInTheThreadOfTheCaller() {
    try (LoadStage<Integer> stage = stage(item -> {})) {
      stage.finish(7);
      stage.finish(null);
    }
    assertThat(done).containsExactly(7);
    assertThat(threads).containsExactly(Thread.currentThread().getName());
  }

  @Test
  void finish_whileTheLastItemIsDone_waitsForIt() {
    CountDownLatch begun = new CountDownLatch(1);
    List<Boolean> wasAlive = new ArrayList<>();
    try (LoadStage<Integer> stage =
        stage(
            item -> {
              begun.countDown();
              Thread.yield();
              for (long end = System.nanoTime() + 20_000_000; System.nanoTime() < end; ) {
                Thread.onSpinWait();
              }
            })) {
      stage.submit(1);
      Uninterrupted.await(begun::await);
      stage.finish(null);
      wasAlive.add(done.contains(1));
    }
    assertThat(wasAlive).containsExactly(true);
  }

  @Test
  void failure_ofAnItem_isThrownByLaterCallsAndEndsTheWork() {
    CountDownLatch failing = new CountDownLatch(1);
    LoadStage<Integer> stage = failingStage(new CountDownLatch(1), failing);
    try (stage) {
      stage.submit(1);
      stage.submit(2);
      failing.countDown();
      assertThatThrownBy(() -> stage.finish(3))
          .isInstanceOf(IllegalStateException.class)
          .hasMessage("item 1");
      assertThatThrownBy(() -> stage.submit(4)).hasMessage("item 1");
      assertThatThrownBy(() -> stage.finish(5)).hasMessage("item 1");
    }
    assertThat(done).isEmpty();
    assertThat(discarded).contains(2, 4, 5).doesNotContain(1);
  }

  @Test
  void close_afterAFailureWithAFullQueue_discardsWhatWaitsOnce() {
    CountDownLatch begun = new CountDownLatch(1);
    CountDownLatch failing = new CountDownLatch(1);
    LoadStage<Integer> stage = failingStage(begun, failing);
    stage.submit(1);
    stage.submit(2);
    stage.submit(3);
    Uninterrupted.await(begun::await); // an item that was only taken is discarded by a close
    failing.countDown();
    stage.close();
    stage.close();
    assertThat(done).isEmpty();
    assertThat(discarded).containsExactly(2, 3);
  }

  @Test
  void submit_withoutRoom_waitsAndIgnoresInterrupts() throws Exception {
    CountDownLatch go = new CountDownLatch(1);
    try (LoadStage<Integer> stage = stage(item -> Uninterrupted.await(go::await))) {
      CountDownLatch full = new CountDownLatch(1);
      List<Boolean> interrupted = new ArrayList<>();
      Thread producer =
          new Thread(
              () -> {
                for (int i = 0; i < 3; i++) { // one in work, two that wait
                  stage.submit(i);
                }
                full.countDown();
                stage.submit(3);
                stage.finish(null);
                interrupted.add(Thread.currentThread().isInterrupted());
              });
      producer.start();
      full.await();
      while (producer.getState() != Thread.State.WAITING) {
        Thread.onSpinWait();
      }
      producer.interrupt();
      assertThat(done).isEmpty();
      go.countDown();
      producer.join();
      assertThat(interrupted).containsExactly(true);
      assertThat(done).containsExactly(0, 1, 2, 3);
    }
  }

  /** A comparator or an Env of the program may leave the interrupt set. */
  @Test
  void item_thatInterruptsItsThread_doesNotEndTheWork() {
    try (LoadStage<Integer> stage = stage(item -> Thread.currentThread().interrupt())) {
      stage.submit(1);
      stage.submit(2);
      stage.finish(3);
    }
    assertThat(done).containsExactly(1, 2, 3);
    assertThat(discarded).isEmpty();
  }

  @Test
  void close_withItemsThatWait_discardsThemAndEndsTheThread() {
    CountDownLatch begun = new CountDownLatch(1);
    CountDownLatch go = new CountDownLatch(1);
    LoadStage<Integer> stage =
        stage(
            item -> {
              begun.countDown();
              Uninterrupted.await(go::await);
            });
    stage.submit(1);
    stage.submit(2);
    Uninterrupted.await(begun::await);
    Thread closer = new Thread(stage::close);
    closer.start();
    while (closer.getState() != Thread.State.WAITING) {
      Thread.onSpinWait();
    }
    go.countDown();
    Uninterrupted.await(closer::join);
    stage.close();
    assertThat(done).containsExactly(1);
    assertThat(discarded).containsExactly(2);
    assertThat(Thread.getAllStackTraces().keySet())
        .noneMatch(each -> each.getName().equals("test-stage"));
  }

  @Test
  void submit_afterTheClose_isRefusedAndStartsNoThread() {
    LoadStage<Integer> stage = stage(item -> {});
    stage.close();
    assertThatThrownBy(() -> stage.submit(1)).isInstanceOf(AssertionError.class);
    assertThat(running).isEmpty();
    assertThatThrownBy(() -> stage.finish(2)).isInstanceOf(AssertionError.class);
    assertThat(done).isEmpty();
    assertThat(discarded).containsExactly(1, 2);
  }

  @Test
  void finish_afterACheckedExceptionOfAnItem_throwsIt() {
    Exception failure = new Exception("of a callback in another language");
    try (LoadStage<Integer> stage =
        stage(
            item -> {
              throw Sneaky.unchecked(failure);
            })) {
      stage.submit(1);
      assertThatThrownBy(() -> stage.finish(null)).hasCause(failure);
    }
  }

  /** Returns a stage that fails at its first item once it may. */
  private LoadStage<Integer> failingStage(CountDownLatch begun, CountDownLatch failing) {
    return stage(
        item -> {
          begun.countDown();
          Uninterrupted.await(failing::await);
          throw new IllegalStateException("item " + item);
        });
  }
}
