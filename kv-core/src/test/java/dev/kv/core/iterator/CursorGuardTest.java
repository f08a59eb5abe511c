package dev.kv.core.iterator;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.kv.core.Call;
import dev.kv.errors.DBClosedException;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;

class CursorGuardTest {
  /** Counts releases, and fails if one runs during a move. */
  private static final class CountingGuard extends CursorGuard {
    private final AtomicInteger releases = new AtomicInteger();
    private volatile boolean moving;
    private volatile boolean releasedInAMove;
    private final AtomicInteger stops = new AtomicInteger();

    void move() {
      beginMove();
      moving = true;
      moving = false;
      endMove();
    }

    @Override
    protected void stop() {
      stops.incrementAndGet();
    }

    @Override
    protected void release() {
      releasedInAMove |= moving;
      releases.incrementAndGet();
    }
  }

  private final CountingGuard guard = new CountingGuard();

  @Test
  void close_idleCursor_releasesOnce() {
    assertThat(guard.isOpen()).isTrue();
    assertThat(guard.close()).isTrue();
    assertThat(guard.isOpen()).isFalse();
    assertThat(guard.stops).hasValue(1);
    assertThat(guard.close()).isFalse();
    guard.revoke();
    assertThat(guard.stops).hasValue(1);

    assertThat(guard.releases).hasValue(1);
    assertThatThrownBy(guard::beginMove)
        .isInstanceOf(IllegalStateException.class)
        .hasMessage("the iterator is closed");
  }

  @Test
  void revoke_duringAMove_leavesTheReleaseToTheMove() {
    guard.beginMove();
    guard.revoke();
    guard.revoke();
    assertThat(guard.releases).hasValue(0);
    assertThat(guard.stops).hasValue(1);

    assertThatThrownBy(guard::endMove).isInstanceOf(DBClosedException.class);
    assertThat(guard.releases).hasValue(1);
    assertThatThrownBy(guard::checkOpen).isInstanceOf(DBClosedException.class);
    assertThat(guard.close()).isFalse();
    assertThat(guard.releases).hasValue(1);
  }

  @Test
  void revoke_duringAMoveThatFails_isTheFailureWithItsCause() {
    IllegalArgumentException cause = new IllegalArgumentException("of the comparator");
    guard.beginMove();
    guard.revoke();

    assertThat(guard.failedMove(cause)).isInstanceOf(DBClosedException.class).hasCause(cause);
    assertThat(guard.releases).hasValue(1);
  }

  @Test
  void failedMove_openCursor_returnsTheCauseAndKeepsThePins() {
    IllegalArgumentException cause = new IllegalArgumentException("of the comparator");
    guard.beginMove();

    assertThat(guard.failedMove(cause)).isSameAs(cause);
    guard.move();
    assertThat(guard.releases).hasValue(0);
  }

  @Test
  void abandonMove_openCursor_endsTheMoveAndKeepsThePins() {
    guard.beginMove();
    guard.abandonMove();
    assertThat(guard.releases).hasValue(0);
    guard.move();
    guard.close();
    assertThat(guard.releases).hasValue(1);
  }

  @Test
  void abandonMove_closedMeanwhile_releasesAndThrowsNothing() {
    guard.beginMove();
    guard.close();
    assertThat(guard.releases).hasValue(0);
    guard.abandonMove();
    assertThat(guard.releases).hasValue(1);
  }

  @Test
  void close_duringAMove_isWhatTheMoveThrows() {
    guard.beginMove();
    assertThat(guard.close()).isTrue();
    assertThatThrownBy(guard::endMove)
        .isInstanceOf(IllegalStateException.class)
        .hasMessage("the iterator is closed");
    assertThat(guard.releases).hasValue(1);
  }

  @Test
  void beginMove_duringAnotherMove_isRefused() {
    guard.beginMove();
    assertThatThrownBy(guard::beginMove)
        .isInstanceOf(IllegalStateException.class)
        .hasMessageContaining("two threads");
    guard.endMove();
  }

  @Test
  void revoke_besideMoves_releasesOnceAndNotInAMove() throws InterruptedException {
    for (int round = 0; round < 2000; round++) {
      CountingGuard shared = new CountingGuard();
      CountDownLatch moving = new CountDownLatch(1);
      Call mover =
          Call.start(
              () -> {
                while (true) {
                  shared.move();
                  moving.countDown();
                }
              });
      moving.await();
      shared.revoke();
      assertThat(mover.outcome()).isInstanceOf(DBClosedException.class);
      assertThat(shared.isOpen()).isFalse();

      assertThat(shared.releases).as("round %d", round).hasValue(1);
      assertThat(shared.releasedInAMove).isFalse();
    }
  }
}
