package dev.kv.core.write;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.fail;

import com.sun.management.ThreadMXBean;
import dev.kv.core.event.Events;
import dev.kv.errors.DBClosedException;
import dev.kv.errors.DBReadOnlyException;
import dev.kv.errors.OffHeapExhaustedException;
import dev.kv.event.FailureEvent;
import java.io.IOException;
import java.lang.management.ManagementFactory;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Consumer;
import org.junit.jupiter.api.Test;

class ErrorHandlerTest {
  private final ErrorHandler errors = new ErrorHandler(new Events("db", null));
  private final IOException one = new IOException("one");
  private final IOException two = new IOException("two");
  private final OffHeapExhaustedException memory = new OffHeapExhaustedException("no memory");

  private void checkShut(boolean resumable, Throwable cause) {
    assertThat(errors.isOpen()).isFalse();
    assertThat(errors.failure()).isNotNull();
    assertThat(errors.isFailedPermanently()).isEqualTo(!resumable);
    assertThat(errors.allowsJobs()).isEqualTo(resumable);
    assertThat(errors.failure()).isSameAs(cause);
    assertThatThrownBy(errors::checkWrite)
        .isInstanceOfSatisfying(
            DBReadOnlyException.class, e -> assertThat(e.isResumable()).isEqualTo(resumable))
        .hasMessageContaining("the write was not done")
        .hasMessageContaining(resumable ? "db.admin().resume()" : "close it and open it again")
        .hasCause(cause);
  }

  @Test
  void newGate_isOpen() {
    errors.check();
    errors.checkWrite();
    errors.checkMemory("the work continues");
    errors.checkResumable();
    errors.checkNotClosing();
    assertThat(errors.isOpen()).isTrue();
    assertThat(errors.failure()).isNull();
  }

  @Test
  void fail_twice_keepsTheFirstFailure() {
    errors.fail("a write", one);
    errors.fail("a flush", two);
    checkShut(false, one);
    assertThatThrownBy(errors::checkResumable).isInstanceOf(DBReadOnlyException.class);
  }

  @Test
  void failResumably_untilTheJobSucceeds_keepsItsLastFailure() {
    errors.failResumably("flush", one, 0);
    checkShut(true, one);
    errors.failResumably("flush", two, 0);
    checkShut(true, two);
    errors.checkResumable();
    errors.succeed("compaction");
    checkShut(true, two);
    assertThat(errors.hasFailed("flush")).isTrue();
    errors.succeed("flush");
    assertThat(errors.hasFailed("flush")).isFalse();
    errors.checkWrite();
  }

  @Test
  void failResumably_ofTwoJobs_isOverWhenBothHaveSucceeded() {
    errors.failResumably("flush", one, 0);
    errors.failResumably("compaction", two, 0);
    errors.succeed("flush");
    checkShut(true, two);
    errors.succeed("compaction");
    errors.checkWrite();
  }

  @Test
  void failureOfAJob_thatBeganBeforeAResume_changesNothing() {
    int before = errors.resumes();
    errors.beginResume();
    errors.onChange(() -> fail("called"));
    assertThat(errors.failResumably("flush", one, before)).isFalse();
    assertThat(errors.runShort("flush", memory, before)).isFalse();
    assertThat(errors.hasFailed("flush")).isFalse();
  }

  @Test
  void fail_afterAResumableFailure_isPermanent() {
    errors.failResumably("flush", one, 0);
    errors.fail("a write", two);
    checkShut(false, two);
    errors.succeed("flush");
    checkShut(false, two);
  }

  @Test
  void runShort_untilTheJobSucceeds_refusesOnlyThoseWhoWait() {
    errors.runShort("flush", memory, 0);
    errors.check();
    errors.checkWrite();
    assertThat(errors.isShortOfMemory()).isTrue();
    assertThatThrownBy(() -> errors.checkMemory("the work continues"))
        .isInstanceOf(OffHeapExhaustedException.class)
        .hasMessageContaining("; the work continues: ")
        .hasCause(memory);
    errors.succeed("flush");
    errors.checkMemory("the work continues");
  }

  @Test
  void checkMemory_duringAShortage_namesTheMemory() {
    errors.runShort("flush", new IllegalStateException(memory), 0);
    assertThatThrownBy(() -> errors.checkMemory("the work continues"))
        .hasMessageContaining(" waits for off-heap memory; ");
    errors.runShort("flush", new OutOfMemoryError("Java heap space"), 0);
    assertThatThrownBy(() -> errors.checkMemory("the work continues"))
        .isInstanceOf(OffHeapExhaustedException.class)
        .hasMessageContaining(" waits for heap memory; ")
        .hasMessageContaining("Java heap space");
  }

  @Test
  void runShort_afterAFailureOfTheSameJob_replacesIt() {
    errors.failResumably("flush", one, 0);
    errors.runShort("flush", memory, 0);
    assertThat(errors.isOpen()).isTrue();
    errors.failResumably("flush", two, 0);
    assertThat(errors.isShortOfMemory()).isFalse();
    checkShut(true, two);
  }

  @Test
  void beginClose_ofAFailedGate_throwsAsClosed() {
    errors.fail("a write", one);
    errors.beginClose();
    errors.beginClose();
    assertThat(errors.isClosing()).isTrue();
    assertThat(errors.failure()).isSameAs(one);
    assertThatThrownBy(errors::check).isInstanceOf(DBClosedException.class);
    assertThatThrownBy(errors::checkWrite).isInstanceOf(DBClosedException.class);
    assertThatThrownBy(errors::checkNotClosing).isInstanceOf(DBClosedException.class);
    assertThatThrownBy(errors::checkResumable).isInstanceOf(DBClosedException.class);
  }

  @Test
  void listeners_areCalledAfterEachChangeAndFindIt() {
    AtomicInteger calls = new AtomicInteger();
    errors.onChange(calls::incrementAndGet);
    errors.onChange(() -> assertThat(errors.isOpen()).isEqualTo(calls.get() % 2 == 0));
    errors.failResumably("flush", one, 0);
    assertThat(calls).hasValue(1);
    errors.succeed("flush");
    assertThat(calls).hasValue(2);
    errors.succeed("flush");
    assertThat(calls).hasValue(2);
    errors.fail("a write", one);
    assertThat(calls).hasValue(3);
  }

  @Test
  void listeners_afterOneThatThrows_areCalledAllTheSame() {
    IllegalStateException thrown = new IllegalStateException("from a listener");
    AtomicInteger calls = new AtomicInteger();
    errors.onChange(
        () -> {
          throw thrown;
        });
    errors.onChange(
        () -> {
          throw new IllegalStateException("from the next one");
        });
    errors.onChange(calls::incrementAndGet);
    assertThatThrownBy(() -> errors.fail("a write", one)).isSameAs(thrown);
    assertThat(calls).hasValue(1);
    checkShut(false, one);
  }

  /** There may be no heap memory: then writes must be refused, and waiting threads must wake. */
  @Test
  void fail_untilItsListenersWereCalled_allocatesNothing() {
    assertThat(allocatedUntilListenersAreCalled(fresh -> fresh.fail("a write", one))).isZero();
  }

  /** Otherwise the close would go on beside writes. */
  @Test
  void beginClose_untilItsListenersWereCalled_allocatesNothing() {
    assertThat(allocatedUntilListenersAreCalled(ErrorHandler::beginClose)).isZero();
  }

  private static long allocatedUntilListenersAreCalled(Consumer<ErrorHandler> change) {
    ThreadMXBean threads = (ThreadMXBean) ManagementFactory.getThreadMXBean();
    long id = Thread.currentThread().getId();
    long[] atTheCall = new long[1];
    long least = Long.MAX_VALUE;
    for (int round = 0; round < 10; round++) {
      ErrorHandler fresh = new ErrorHandler(new Events("db", null));
      fresh.onChange(() -> atTheCall[0] = threads.getThreadAllocatedBytes(id));
      long before = threads.getThreadAllocatedBytes(id);
      change.accept(fresh);
      least = Math.min(least, atTheCall[0] - before);
    }
    return least;
  }

  @Test
  void failures_ofBothKinds_areEventsOnce() {
    List<FailureEvent> heard = new ArrayList<>();
    Events events = new Events("db", event -> heard.add((FailureEvent) event));
    events.onPost(events::deliver);
    ErrorHandler told = new ErrorHandler(events);
    FailureEvent flush = new FailureEvent("db", "flush", one, true);
    told.failResumably("flush", one, 0);
    told.failResumably("flush", two, 0);
    told.failResumably("compaction", two, 0);
    told.runShort("flush", memory, 0);
    assertThat(heard).containsExactly(flush);
    told.succeed("flush");
    told.succeed("compaction");
    told.failResumably("flush", one, 0);
    assertThat(heard).containsExactly(flush, flush);
    FailureEvent write = new FailureEvent("db", "a write", two, false);
    told.fail("a write", two);
    told.fail("a write", one);
    assertThat(heard).containsExactly(flush, flush, write);
  }

  @Test
  void failure_whileJobsOnlyWaitForMemory_isNull() {
    assertThat(errors.failure()).isNull();
    errors.runShort("flush", memory, 0);
    assertThat(errors.failure()).isNull();
    errors.beginClose();
    assertThat(errors.failure()).isNull();
  }
}
