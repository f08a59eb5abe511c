package dev.kv.core.write;

import static org.assertj.core.api.Assertions.assertThat;

import dev.kv.core.Call;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(60)
class CommitProgressTest {
  private static final long LONG = TimeUnit.SECONDS.toNanos(60);

  private final CommitProgress progress = new CommitProgress(5);

  @Test
  void newProgress_hasItsFirstSequenceVisibleAndDurable() {
    assertThat(progress.last(false)).isEqualTo(5);
    assertThat(progress.last(true)).isEqualTo(5);
  }

  @Test
  void committed_withoutSync_isVisibleAndNotDurable() {
    progress.committed(7, false);
    assertThat(progress.last(false)).isEqualTo(7);
    assertThat(progress.last(true)).isEqualTo(5);
  }

  @Test
  void committed_withSync_isVisibleAndDurable() {
    progress.committed(7, true);
    assertThat(progress.last(false)).isEqualTo(7);
    assertThat(progress.last(true)).isEqualTo(7);
  }

  /** A sync beside the writes may end after that of a later write. */
  @Test
  void synced_upToAnEarlierWrite_takesNothingBack() {
    progress.committed(9, false);
    progress.synced(8);
    assertThat(progress.last(true)).isEqualTo(8);
    progress.synced(6);
    assertThat(progress.last(true)).isEqualTo(8);
    assertThat(progress.last(false)).isEqualTo(9);
  }

  @Test
  void await_withMoreThanItKnows_returnsAtOnce() throws InterruptedException {
    assertThat(progress.await(false, 4, LONG, () -> false)).isEqualTo(LONG);
    assertThat(progress.await(true, 4, LONG, () -> false)).isEqualTo(LONG);
  }

  @Test
  void await_whoseEndHasCome_returnsAtOnce() throws InterruptedException {
    assertThat(progress.await(false, 5, LONG, () -> true)).isEqualTo(LONG);
  }

  @Test
  void await_withoutTime_returnsAtOnce() throws InterruptedException {
    assertThat(progress.await(false, 5, 0, () -> false)).isZero();
    assertThat(progress.await(false, 5, -1, () -> false)).isEqualTo(-1);
  }

  @Test
  void await_untilTheTimeIsOver_returnsNoRest() throws InterruptedException {
    assertThat(progress.await(false, 5, 1000, () -> false)).isNotPositive();
  }

  @Test
  void await_ofVisibleWrites_endsAtTheNextOne() throws InterruptedException {
    Waiter waiter = new Waiter(false, 5);
    progress.synced(6); // not visible
    assertThat(progress.last(false)).isEqualTo(5);
    progress.committed(6, false);
    waiter.assertWoken();
  }

  @Test
  void await_ofDurableWrites_endsAtTheNextSync() throws InterruptedException {
    Waiter first = new Waiter(true, 5);
    Waiter second = new Waiter(true, 6);
    progress.committed(7, false); // not durable
    progress.synced(6);
    first.assertWoken();
    progress.committed(7, true);
    second.assertWoken();
  }

  @Test
  void wake_ofAWaitThatHasEnded_endsIt() throws InterruptedException {
    Waiter waiter = new Waiter(false, 5);
    waiter.ended.set(true);
    progress.wake();
    waiter.assertWoken();
  }

  @Test
  void await_interrupted_throwsAndOthersCanWait() throws InterruptedException {
    Waiter interrupted = new Waiter(false, 5);
    interrupted.call.thread().interrupt();
    assertThat(interrupted.call.outcome()).isInstanceOf(InterruptedException.class);
    Waiter later = new Waiter(false, 5);
    progress.committed(6, false);
    later.assertWoken();
  }

  /** A thread that waits; created when it does. */
  private final class Waiter {
    final AtomicBoolean ended = new AtomicBoolean();
    final Call call;
    private final CountDownLatch looked = new CountDownLatch(1);
    private volatile long left;

    Waiter(boolean durable, long after) throws InterruptedException {
      call = Call.start(() -> left = progress.await(durable, after, LONG, this::hasEnded));
      looked.await();
    }

    /** From the first look on, the thread has the lock that a wake-up needs. */
    private boolean hasEnded() {
      looked.countDown();
      return ended.get();
    }

    void assertWoken() throws InterruptedException {
      assertThat(call.outcome()).isNull();
      assertThat(left).isPositive();
    }
  }
}
