package dev.kv.core.write;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.kv.core.event.Events;
import dev.kv.errors.DBClosedException;
import dev.kv.errors.DBReadOnlyException;
import dev.kv.errors.OffHeapExhaustedException;
import java.io.IOException;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;

class WriteGateTest {
  private final WriteGate gate = new WriteGate(new Events("db", null));
  private final IOException one = new IOException("one");
  private final IOException two = new IOException("two");
  private final OffHeapExhaustedException memory = new OffHeapExhaustedException("no memory");

  private void checkShut(boolean resumable, Throwable cause) {
    assertThat(gate.isOpen()).isFalse();
    assertThat(gate.isFailed()).isTrue();
    assertThat(gate.isFailedPermanently()).isEqualTo(!resumable);
    assertThat(gate.allowsJobs()).isEqualTo(resumable);
    assertThat(gate.failure()).isSameAs(cause);
    assertThatThrownBy(gate::checkWrite)
        .isInstanceOfSatisfying(
            DBReadOnlyException.class, e -> assertThat(e.isResumable()).isEqualTo(resumable))
        .hasMessageContaining("the write was not done")
        .hasMessageContaining(resumable ? "db.admin().resume()" : "close it and open it again")
        .hasCause(cause);
  }

  @Test
  void newGate_isOpen() {
    gate.check();
    gate.checkWrite();
    gate.checkMemory();
    gate.checkResumable();
    gate.checkNotClosing();
    assertThat(gate.isOpen()).isTrue();
    assertThat(gate.failure()).isNull();
  }

  @Test
  void fail_twice_keepsTheFirstFailure() {
    gate.fail("a write", one);
    gate.fail("a flush", two);
    checkShut(false, one);
    assertThatThrownBy(gate::checkResumable).isInstanceOf(DBReadOnlyException.class);
  }

  @Test
  void failResumably_untilTheJobSucceeds_keepsItsLastFailure() {
    gate.failResumably("flush", one);
    checkShut(true, one);
    gate.failResumably("flush", two);
    checkShut(true, two);
    gate.checkResumable();
    gate.succeed("compaction");
    checkShut(true, two);
    assertThat(gate.hasFailed("flush")).isTrue();
    gate.succeed("flush");
    assertThat(gate.hasFailed("flush")).isFalse();
    gate.checkWrite();
  }

  @Test
  void failResumably_ofTwoJobs_isOverWhenBothHaveSucceeded() {
    gate.failResumably("flush", one);
    gate.failResumably("compaction", two);
    gate.succeed("flush");
    checkShut(true, two);
    gate.succeed("compaction");
    gate.checkWrite();
  }

  @Test
  void fail_afterAResumableFailure_isPermanent() {
    gate.failResumably("flush", one);
    gate.fail("a write", two);
    checkShut(false, two);
    gate.succeed("flush");
    checkShut(false, two);
  }

  @Test
  void runShort_untilTheJobSucceeds_refusesOnlyThoseWhoWait() {
    gate.runShort("flush", memory);
    gate.check();
    gate.checkWrite();
    assertThat(gate.isShortOfMemory()).isTrue();
    assertThatThrownBy(gate::checkMemory)
        .isInstanceOf(OffHeapExhaustedException.class)
        .hasMessageContaining("continues in the background");
    assertThatThrownBy(gate::checkMemoryForWrite)
        .isInstanceOf(OffHeapExhaustedException.class)
        .hasMessageContaining("may be tried again")
        .hasCause(memory);
    gate.succeed("flush");
    gate.checkMemory();
    gate.checkMemoryForWrite();
  }

  @Test
  void runShort_afterAFailureOfTheSameJob_replacesIt() {
    gate.failResumably("flush", one);
    gate.runShort("flush", memory);
    assertThat(gate.isOpen()).isTrue();
    gate.failResumably("flush", two);
    assertThat(gate.isShortOfMemory()).isFalse();
    checkShut(true, two);
  }

  @Test
  void beginClose_ofAFailedGate_throwsAsClosed() {
    gate.fail("a write", one);
    assertThat(gate.beginClose()).isTrue();
    assertThat(gate.beginClose()).isFalse();
    assertThat(gate.isClosing()).isTrue();
    assertThat(gate.failure()).isSameAs(one);
    assertThatThrownBy(gate::check).isInstanceOf(DBClosedException.class);
    assertThatThrownBy(gate::checkWrite).isInstanceOf(DBClosedException.class);
    assertThatThrownBy(gate::checkNotClosing).isInstanceOf(DBClosedException.class);
    assertThatThrownBy(gate::checkResumable).isInstanceOf(DBClosedException.class);
  }

  @Test
  void listeners_areCalledAfterEachChangeAndFindIt() {
    AtomicInteger calls = new AtomicInteger();
    gate.onChange(calls::incrementAndGet);
    gate.onChange(() -> assertThat(gate.isOpen()).isEqualTo(calls.get() % 2 == 0));
    gate.failResumably("flush", one);
    assertThat(calls).hasValue(1);
    gate.succeed("flush");
    assertThat(calls).hasValue(2);
    gate.succeed("flush");
    assertThat(calls).hasValue(2);
    gate.fail("a write", one);
    assertThat(calls).hasValue(3);
  }
}
