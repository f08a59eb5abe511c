package dev.kv.core.write;

import static dev.kv.core.Bytes.bytes;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.kv.core.Call;
import dev.kv.core.db.DbTestBase;
import dev.kv.core.event.Events;
import dev.kv.core.memtable.MemTable;
import dev.kv.core.version.Levels;
import dev.kv.errors.DBClosedException;
import dev.kv.errors.DBIOException;
import dev.kv.errors.OffHeapExhaustedException;
import dev.kv.event.DBEvent;
import dev.kv.event.StallEvent;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;

@Timeout(60)
final class WriteControllerTest {
  private static final int ARENA = 1 << 20;

  private final FakeTarget target = new FakeTarget(ARENA);
  private final ErrorHandler errors = new ErrorHandler(new Events("db", null));
  private final WriteController controller =
      new WriteController(target, target.stallInputs, errors, new Events("db", null));
  private final List<DBEvent> heard = new ArrayList<>();

  /** How long the calls took in which {@link #nanosForOneMiB} was delayed. */
  private long delayedNanos;

  @Test
  void makeRoom_belowTheSlowdownTrigger_holdsNobodyBack() {
    target.stallInputs.setLevel0Tables(Levels.LEVEL_0_SLOWDOWN_TRIGGER - 1);
    for (int i = 0; i < 1000; i++) {
      controller.makeRoom(100_000, 1);
    }
    assertThat(controller.stalls().delays()).isZero();
    assertThat(controller.stalls().stops()).isZero();
    assertThat(controller.stalls().micros()).isZero();
  }

  @Test
  void makeRoom_withMoreTablesInLevel0_delaysMore() {
    long at8 = nanosForOneMiB(Levels.LEVEL_0_SLOWDOWN_TRIGGER);
    long at11 = nanosForOneMiB(Levels.LEVEL_0_STOP_TRIGGER - 1);
    assertThat(at8).isGreaterThan(TimeUnit.MILLISECONDS.toNanos(6));
    assertThat(at11).isGreaterThan(TimeUnit.MILLISECONDS.toNanos(240));
    assertThat(controller.stalls().delays()).isPositive();
    assertThat(controller.stalls().stops()).isZero();
    assertThat(TimeUnit.MICROSECONDS.toNanos(controller.stalls().micros()))
        .isBetween(delayedNanos / 2, delayedNanos);
  }

  private long nanosForOneMiB(int level0Files) {
    target.stallInputs.setLevel0Tables(level0Files);
    long start = System.nanoTime();
    for (int i = 0; i < 1024; i++) {
      long before = System.nanoTime();
      long delays = controller.stalls().delays();
      controller.makeRoom(1 << 10, 1);
      if (controller.stalls().delays() > delays) {
        delayedNanos += System.nanoTime() - before;
      }
    }
    return System.nanoTime() - start;
  }

  /** A delay is due once it is a millisecond, at 128, 64, 16, and 4 MiB/s. */
  @ParameterizedTest
  @CsvSource({"8, 134217", "9, 67108", "10, 16777", "11, 4194", "12, 4194", "20, 4194"})
  void makeRoom_atTheRateOfLevel0_isDelayedFromAMillisecondOn(int level0Tables, int bytes) {
    target.stallInputs.setLevel0Tables(level0Tables);
    newController().makeRoom(bytes, 1);
    assertThat(heard).isEmpty();
    newController().makeRoom(bytes + 1, 1);
    assertThat(heard)
        .singleElement()
        .isInstanceOfSatisfying(
            StallEvent.class,
            event -> {
              assertThat(event.reason()).isEqualTo(StallEvent.Reason.LEVEL_0_SLOWDOWN);
              assertThat(event.level0Tables()).isEqualTo(level0Tables);
              assertThat(event.micros()).isGreaterThanOrEqualTo(1000);
            });
  }

  private WriteController newController() {
    Events events = new Events("db", heard::add);
    events.onPost(events::deliver);
    return new WriteController(target, target.stallInputs, errors, events);
  }

  @Test
  void makeRoom_delayedInAnInterruptedThread_keepsTheFlag() {
    target.stallInputs.setLevel0Tables(Levels.LEVEL_0_SLOWDOWN_TRIGGER);
    Thread.currentThread().interrupt();
    controller.makeRoom(300_000, 1);
    assertThat(Thread.interrupted()).isTrue();
    assertThat(controller.stalls().delays()).isEqualTo(1);
    assertThat(controller.stalls().micros()).isGreaterThan(1000);
  }

  @Test
  void makeRoom_whileASwitchIsWanted_switchesAMemTableWithEntries() {
    target.stallInputs.wantSwitch(true);
    fillALittle(); // there was nothing to switch
    assertThat(target.memtables).hasSize(1);
    assertThat(target.stallInputs.isSwitchWanted()).isFalse();
    target.stallInputs.wantSwitch(true);
    controller.makeRoom(0, 0); // for no entry
    assertThat(target.memtables).hasSize(1);
    controller.makeRoom(10, 1);
    assertThat(target.memtables).hasSize(2);
  }

  @Test
  void makeRoom_whileASwitchIsWantedAndAFlushIsBehind_waitsForNobody() {
    fillALittle();
    target.stallInputs.wantSwitch(true);
    target.stallInputs.setWaitingMemTables(1);
    controller.makeRoom(10, 1);
    assertThat(target.memtables).hasSize(1);
    assertThat(target.stallInputs.isSwitchWanted()).isTrue();
    assertThat(controller.stalls().stops()).isZero();
  }

  @ParameterizedTest
  @EnumSource(names = {"FLUSH_BEHIND", "LEVEL_0_STOP"})
  void makeRoom_thatWaits_isToldWithItsReason(StallEvent.Reason reason) throws Exception {
    fillALittle();
    boolean flush = reason == StallEvent.Reason.FLUSH_BEHIND;
    target.stallInputs.setWaitingMemTables(flush ? 1 : 0);
    target.stallInputs.setLevel0Tables(flush ? 0 : Levels.LEVEL_0_STOP_TRIGGER);
    WriteController stopped = newController();
    Call writer = Call.start(() -> stopped.makeRoom(2 * ARENA, 1));
    DbTestBase.await("the stop", () -> stopped.stalls().stops() > 0);
    target.stallInputs.setWaitingMemTables(0);
    target.stallInputs.setLevel0Tables(0);
    stopped.progress();
    assertThat(writer.outcome()).isNull();
    assertThat(heard)
        .last()
        .isInstanceOfSatisfying(
            StallEvent.class, event -> assertThat(event.reason()).isEqualTo(reason));
  }

  @Test
  void makeRoom_byASlowWriter_isNotDelayed() throws InterruptedException {
    target.stallInputs.setLevel0Tables(Levels.LEVEL_0_SLOWDOWN_TRIGGER);
    for (int i = 0; i < 20; i++) {
      controller.makeRoom(1 << 10, 1);
      Thread.sleep(1);
    }
    assertThat(controller.stalls().delays()).isZero();
  }

  @Test
  void makeRoom_withAFullLevel0ButRoom_isOnlyDelayed() {
    target.stallInputs.setLevel0Tables(Levels.LEVEL_0_STOP_TRIGGER + 5);
    controller.makeRoom(100, 1);
    assertThat(controller.stalls().stops()).isZero();
  }

  @Test
  void switch_whileLevel0IsFull_waitsForACompaction() throws InterruptedException {
    target.stallInputs.setLevel0Tables(Levels.LEVEL_0_STOP_TRIGGER);
    fillALittle();
    Call writer = Call.start(() -> controller.makeRoom(2 * ARENA, 1));
    awaitStop();
    controller.progress();
    Thread.sleep(20);
    assertThat(target.memtables).hasSize(1);

    target.stallInputs.setLevel0Tables(Levels.LEVEL_0_STOP_TRIGGER - 1);
    controller.progress();
    assertThat(writer.outcome()).isNull();
    assertThat(target.memtables).hasSize(2);
    assertThat(controller.stalls().stops()).isEqualTo(1);
    assertThat(controller.stalls().micros()).isGreaterThan(10_000);
  }

  @Test
  void makeRoom_inAnEmptyMemTableWithoutRoom_replacesItAndWaitsForNobody() {
    target.stallInputs.setLevel0Tables(Levels.LEVEL_0_STOP_TRIGGER);
    target.stallInputs.setWaitingMemTables(1);
    MemTable empty = target.memtable();
    controller.makeRoom(2 * ARENA, 1);
    assertThat(target.memtable()).isNotSameAs(empty);
    assertThat(target.memtable().ensureRoomFor(2 * ARENA, 1)).isTrue();
    assertThat(target.logs).hasSize(1);
    assertThat(controller.stalls().stops()).isZero();
  }

  @Test
  void forceSwitch_whileLevel0IsFull_doesNotWait() {
    target.stallInputs.setLevel0Tables(Levels.LEVEL_0_STOP_TRIGGER);
    fillALittle();
    controller.forceSwitch();
    assertThat(target.memtables).hasSize(2);
  }

  @Test
  void forceSwitch_whileAFlushIsBehind_waitsForIt() throws InterruptedException {
    target.stallInputs.setWaitingMemTables(1);
    fillALittle();
    Call writer = Call.start(controller::forceSwitch);
    awaitStop();
    assertThat(target.memtables).hasSize(1);
    target.stallInputs.setWaitingMemTables(0);
    controller.progress();
    assertThat(writer.outcome()).isNull();
    assertThat(target.memtables).hasSize(2);
  }

  @Test
  void close_besideAWriterThatIsDelayed_endsTheWriter() throws InterruptedException {
    target.stallInputs.setLevel0Tables(Levels.LEVEL_0_STOP_TRIGGER - 1);
    Call writer =
        Call.start(
            () -> {
              while (true) {
                controller.makeRoom(100_000, 1);
              }
            });
    Thread.sleep(20);
    errors.onChange(controller::progress);
    errors.beginClose();
    assertThat(writer.outcome()).isInstanceOf(DBClosedException.class);
  }

  @Test
  void makeRoom_whileAFlushWantsMemory_throwsAfterAWhileAndGoesOnAfterTheFlush() {
    fillALittle();
    target.stallInputs.setWaitingMemTables(1);
    errors.runShort("flush", new OffHeapExhaustedException("simulated"), 0);
    long start = System.nanoTime();
    for (int i = 0; i < 2; i++) {
      assertThatThrownBy(() -> controller.makeRoom(2 * ARENA, 1))
          .isInstanceOf(OffHeapExhaustedException.class)
          .hasMessageContaining("the write was not done and may be tried again");
    }
    assertThat(System.nanoTime() - start)
        .isGreaterThanOrEqualTo(2 * ErrorHandler.MAX_SHORTAGE_WAIT_NANOS);
    assertThat(controller.stalls().stops()).isEqualTo(2);
    target.stallInputs.setWaitingMemTables(0);
    controller.makeRoom(2 * ARENA, 1);
    assertThat(target.memtables).hasSize(2);
  }

  @Test
  void makeRoom_waitingWhenAFlushBeginsToWantMemory_throwsAfterAWhile() throws Exception {
    errors.onChange(controller::progress);
    fillALittle();
    target.stallInputs.setWaitingMemTables(1);
    Call writer = Call.start(() -> controller.makeRoom(2 * ARENA, 1));
    awaitStop();
    errors.runShort("flush", new OffHeapExhaustedException("simulated"), 0);
    assertThat(writer.outcome()).isInstanceOf(OffHeapExhaustedException.class);
  }

  /** The flush may not have been woken, because memory was short. */
  @Test
  void makeRoom_waitingForAFlush_wakesItOnceASecond() {
    fillALittle();
    target.stallInputs.setWaitingMemTables(1);
    AtomicInteger wakes = new AtomicInteger();
    target.whenWoken =
        () -> target.stallInputs.setWaitingMemTables(wakes.incrementAndGet() < 2 ? 1 : 0);
    long start = System.nanoTime();
    controller.makeRoom(2 * ARENA, 1);
    assertThat(System.nanoTime() - start)
        .isGreaterThanOrEqualTo(2 * ErrorHandler.MAX_SHORTAGE_WAIT_NANOS);
    assertThat(target.memtables).hasSize(2);
  }

  @Test
  void makeRoom_thatThrowsForAShortage_hasWokenTheWork() {
    fillALittle();
    target.stallInputs.setWaitingMemTables(1);
    AtomicInteger wakes = new AtomicInteger();
    target.whenWoken = wakes::incrementAndGet;
    errors.runShortUnnoted(new OutOfMemoryError("simulated"));
    assertThatThrownBy(() -> controller.makeRoom(2 * ARENA, 1))
        .isInstanceOf(OffHeapExhaustedException.class);
    assertThat(wakes).hasValue(1);
  }

  @Test
  void switch_thatCannotCreateALog_failsTheWriteAlone() {
    fillALittle();
    target.switchFailure = new IOException("no space");
    assertThatThrownBy(() -> controller.makeRoom(2 * ARENA, 1))
        .isInstanceOf(DBIOException.class)
        .hasRootCauseMessage("no space");
    errors.check();
  }

  private void fillALittle() {
    CommitPipeline pipeline = target.pipeline(errors, 0);
    pipeline.put(bytes("a"), bytes("1"), false);
  }

  private void awaitStop() throws InterruptedException {
    long end = System.nanoTime() + TimeUnit.SECONDS.toNanos(60);
    while (controller.stalls().stops() == 0) {
      assertThat(System.nanoTime()).isLessThan(end);
      Thread.sleep(1);
    }
  }
}
