package dev.kv.core.env;

import static org.assertj.core.api.Assertions.assertThat;

import dev.kv.core.Call;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicBoolean;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(60)
final class UninterruptedTest {
  @Test
  void await_whenInterrupted_goesOnAndTheInterruptStaysSet() throws InterruptedException {
    CountDownLatch latch = new CountDownLatch(1);
    AtomicBoolean isInterrupted = new AtomicBoolean();
    Call call =
        Call.start(
            () -> {
              Uninterrupted.await(latch::await);
              isInterrupted.set(Thread.currentThread().isInterrupted());
            });
    for (int i = 0; i < 3; i++) {
      call.awaitParked();
      call.thread().interrupt();
    }
    call.awaitParked();
    latch.countDown();
    assertThat(call.outcome()).isNull();
    assertThat(isInterrupted).isTrue();
  }

  @Test
  void await_withoutAnInterrupt_setsNone() {
    Uninterrupted.await(() -> {});
    assertThat(Thread.currentThread().isInterrupted()).isFalse();
  }
}
