package dev.kv.core.state;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.kv.core.event.Events;
import dev.kv.core.write.ErrorHandler;
import dev.kv.errors.DBReadOnlyException;
import dev.kv.errors.OffHeapExhaustedException;
import java.io.IOException;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.BooleanSupplier;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(60)
class MonitorTest {
  private final ErrorHandler errors = new ErrorHandler(new Events("db", null));
  private final Monitor monitor = new Monitor(errors);

  private void awaitForever() {
    await(() -> false);
  }

  private void await(BooleanSupplier done) {
    monitor.lock();
    try {
      monitor.await(done);
    } finally {
      monitor.unlock();
    }
  }

  @Test
  void await_whileAJobWantsMemory_throwsAfterAWhile() {
    errors.runShort("flush", new OffHeapExhaustedException("simulated"));
    long start = System.nanoTime();
    assertThatThrownBy(this::awaitForever)
        .isInstanceOf(OffHeapExhaustedException.class)
        .hasMessageContaining("the work continues in the background");
    assertThat(System.nanoTime() - start)
        .isGreaterThanOrEqualTo(ErrorHandler.MAX_SHORTAGE_WAIT_NANOS);
  }

  @Test
  void await_whileAJobWantsMemoryAndTheThreadIsInterrupted_keepsTheFlag() {
    errors.runShort("flush", new OffHeapExhaustedException("simulated"));
    Thread.currentThread().interrupt();
    assertThatThrownBy(this::awaitForever).isInstanceOf(OffHeapExhaustedException.class);
    assertThat(Thread.interrupted()).isTrue();
  }

  @Test
  void await_afterAFailure_throws() {
    errors.failResumably("flush", new IOException("simulated"));
    assertThatThrownBy(this::awaitForever).isInstanceOf(DBReadOnlyException.class);
  }

  /** What it waits for may be done just before the thread that did it has said so. */
  @Test
  void await_conditionThatHoldsAfterAWhileWithoutASignal_returns() {
    errors.runShort("flush", new OffHeapExhaustedException("simulated"));
    AtomicInteger checks = new AtomicInteger();
    await(() -> checks.incrementAndGet() > 1);
    assertThat(checks).hasValueGreaterThan(1);
  }
}
