package dev.kv.core.state;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.kv.core.event.Events;
import dev.kv.core.write.ErrorHandler;
import dev.kv.errors.DBReadOnlyException;
import dev.kv.errors.OffHeapExhaustedException;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(value = 60, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class MonitorTest {
  private final ErrorHandler errors = new ErrorHandler(new Events("db", null));
  private final Wakeups wakeups = new Wakeups();
  private final Monitor monitor = new Monitor(errors, wakeups);

  private void awaitChange() {
    monitor.lock();
    try {
      monitor.awaitChange();
    } finally {
      monitor.unlock();
    }
  }

  @Test
  void awaitChange_whileAJobWantsMemory_throwsAfterAWhile() {
    errors.runShort("flush", new OffHeapExhaustedException("simulated"), 0);
    long start = System.nanoTime();
    assertThatThrownBy(this::awaitChange)
        .isInstanceOf(OffHeapExhaustedException.class)
        .hasMessageContaining("the work continues in the background");
    assertThat(System.nanoTime() - start)
        .isGreaterThanOrEqualTo(ErrorHandler.MAX_SHORTAGE_WAIT_NANOS);
  }

  @Test
  void awaitChange_whileAJobWantsMemoryAndTheThreadIsInterrupted_keepsTheFlag() {
    errors.runShort("flush", new OffHeapExhaustedException("simulated"), 0);
    Thread.currentThread().interrupt();
    assertThatThrownBy(this::awaitChange).isInstanceOf(OffHeapExhaustedException.class);
    assertThat(Thread.interrupted()).isTrue();
  }

  /** There may have been no memory to signal, or to wake the work. */
  @Test
  void awaitChange_withoutASignal_wakesTheWorkAndReturnsAfterAWhile() {
    List<String> woken = new ArrayList<>();
    wakeups.onFlush(() -> woken.add("flush"));
    wakeups.onCompaction(() -> woken.add("compaction"));
    awaitChange();
    assertThat(woken).containsExactly("flush", "compaction");
    assertThat(errors.failure()).isNull();
  }

  @Test
  void awaitChange_afterAFailure_throws() {
    errors.failResumably("flush", new IOException("simulated"), 0);
    assertThatThrownBy(this::awaitChange).isInstanceOf(DBReadOnlyException.class);
  }
}
