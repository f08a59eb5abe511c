package dev.kv.core.db;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.kv.DB;
import dev.kv.SharedResources;
import dev.kv.WriteBatch;
import dev.kv.WriteOptions;
import dev.kv.core.Call;
import dev.kv.core.Latches;
import dev.kv.env.Env;
import dev.kv.env.ForwardingEnv;
import dev.kv.errors.ConflictException;
import dev.kv.errors.DBClosedException;
import dev.kv.errors.DBReadOnlyException;
import dev.kv.errors.OutcomeUnknownException;
import dev.kv.space.Space;
import dev.kv.testing.FaultEnv;
import dev.kv.testing.StrictMemEnv;
import dev.kv.ttl.TimeToLive;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class AsyncSyncsTest extends DbTestBase {
  private static final Path POWER = Path.of("/power/db");
  private static final long SECONDS = 60;

  private final StrictMemEnv disk = new StrictMemEnv();
  private final FaultEnv env = new FaultEnv(disk);

  @BeforeEach
  void openOnADiskThatForgets() {
    options = defaults().toBuilder().env(env).build();
    db = openOther(POWER, options);
  }

  private static WriteBatch batch(String key, String value) {
    return WriteBatch.create().put(b(key), b(value));
  }

  private static void await(CompletionStage<?> stage) throws Exception {
    stage.toCompletableFuture().get(SECONDS, TimeUnit.SECONDS);
  }

  private static Throwable failureOf(CompletionStage<?> stage) throws Exception {
    try {
      await(stage);
    } catch (ExecutionException e) {
      return e.getCause();
    }
    throw new AssertionError("the stage did not fail");
  }

  /** Returns the value that a key has after a loss of everything that is not synced. */
  private String afterPowerLoss(String key) {
    try (DB after = DB.open(POWER, options.toBuilder().env(disk.crashClone(0, 1)).build())) {
      return s(after.get(b(key)));
    }
  }

  private void failNextSyncOfALog() {
    env.fail(FaultEnv.Fault.ERROR, 1, operation -> isSyncOf(".log", operation));
  }

  @Test
  void writeAsync_withSync_isVisibleAtOnceAndDurableWhenItIsComplete() throws Exception {
    db.put(b("first"), b("0"));
    CountDownLatch begun = new CountDownLatch(1);
    CountDownLatch gate = holdSyncs(env, ".log", begun);
    CompletionStage<Void> stage = db.writeAsync(WriteOptions.SYNC, batch("k", "v"));
    assertThat(s(db.get(b("k")))).isEqualTo("v");
    assertThat(begun.await(SECONDS, TimeUnit.SECONDS)).isTrue();
    assertThat(stage.toCompletableFuture()).isNotDone();
    assertThat(afterPowerLoss("k")).isEqualTo(NOT_FOUND);
    gate.countDown();
    await(stage);
    assertThat(afterPowerLoss("k")).isEqualTo("v");
    assertThat(afterPowerLoss("first")).isEqualTo("0");
  }

  @Test
  void deletePrefix_thatFindsNothingBesideAClose_makesEarlierWritesDurable() throws Exception {
    db.put(b("k"), b("v"));
    CountDownLatch begun = new CountDownLatch(1);
    CountDownLatch gate = holdSyncs(env, ".log", begun);
    Call delete = Call.start(() -> db.deletePrefix(b("none")));
    assertThat(begun.await(SECONDS, TimeUnit.SECONDS)).isTrue();
    Call close = Call.start(db::close);
    close.awaitParked();
    gate.countDown();
    assertThat(delete.outcome()).isNull();
    assertThat(close.outcome()).isNull();
    assertThat(afterPowerLoss("k")).isEqualTo("v");
  }

  @Test
  void writeAsync_withoutSync_isCompleteAtOnceAndSyncsNothing() {
    long syncs = syncs();
    CompletionStage<Void> stage = db.writeAsync(WriteOptions.DEFAULT, batch("k", "v"));
    assertThat(stage.toCompletableFuture()).isCompleted();
    assertThat(syncs()).isEqualTo(syncs);
  }

  @Test
  void aThousandWrites_besideASync_shareTheNextOne() throws Exception {
    db.put(WriteOptions.SYNC, b("first"), b("0"));
    db.put(b("second"), b("0"));
    long before = syncs();
    CountDownLatch begun = new CountDownLatch(1);
    CountDownLatch gate = holdSyncs(env, ".log", begun);
    List<CompletionStage<Void>> stages = new ArrayList<>();
    stages.add(db.syncAsync());
    assertThat(begun.await(SECONDS, TimeUnit.SECONDS)).isTrue();
    for (int i = 0; i < 1000; i++) { // the sync under way does not hold them up
      stages.add(db.writeAsync(WriteOptions.SYNC, batch("k" + i, "v")));
    }
    gate.countDown();
    for (CompletionStage<Void> each : stages) {
      await(each);
    }
    for (String key : List.of("k0", "k500", "k999")) {
      assertThat(afterPowerLoss(key)).isEqualTo("v");
    }
    assertThat(syncs() - before).isEqualTo(2);
  }

  private long syncs() {
    return db.admin().stats().writes().syncs();
  }

  /** The memtable is switched between writes, so that a sync meets several logs. */
  @Test
  void writeAsync_besideSwitchesOfTheLog_isDurableWhenItIsComplete() throws Exception {
    for (int i = 0; i < 20; i++) {
      CompletionStage<Void> stage = db.writeAsync(WriteOptions.SYNC, batch("k" + i, "v" + i));
      if (i % 3 == 0) {
        db.admin().flush();
      }
      await(stage);
      for (int j = 0; j <= i; j++) {
        assertThat(afterPowerLoss("k" + j)).isEqualTo("v" + j);
      }
    }
  }

  @Test
  void writeAsync_afterALogWhoseFlushIsHeldUp_makesThatLogDurableToo() throws Exception {
    CountDownLatch flushes = new CountDownLatch(1);
    env.watch(
        operation -> {
          if (operation.kind() == FaultEnv.Kind.SYNC && operation.isOn(".ldb")) {
            Latches.await(flushes);
          }
        });
    db.put(b("older"), b("1"));
    switchMemTable();
    await(db.writeAsync(WriteOptions.SYNC, batch("newer", "2")));
    assertThat(afterPowerLoss("older")).isEqualTo("1");
    assertThat(afterPowerLoss("newer")).isEqualTo("2");
    flushes.countDown();
  }

  @Test
  void writeAsync_ofALogThatCannotBeSyncedBesideAppends_isDurableToo() throws Exception {
    HookedEnv appending = new HookedEnv(disk);
    appending.noMappedLogs = true;
    db.close();
    options = options.toBuilder().env(appending).build();
    db = openOther(POWER, options);
    for (int i = 0; i < 20; i++) {
      await(db.writeAsync(WriteOptions.SYNC, batch("k" + i, "v")));
      assertThat(afterPowerLoss("k" + i)).isEqualTo("v");
    }
  }

  @Test
  void writeAsync_expectationThatDoesNotHold_failsTheStageAndWritesNothing() throws Exception {
    WriteBatch refused = batch("k", "v").expect(b("k"), b("other"));
    assertThat(failureOf(db.writeAsync(WriteOptions.SYNC, refused)))
        .isInstanceOf(ConflictException.class);
    assertThat(db.get(b("k"))).isNull();
  }

  @Test
  void failureOfTheSync_failsTheStage() throws Exception {
    db.put(b("first"), b("0"));
    failNextSyncOfALog();
    assertThat(failureOf(db.writeAsync(WriteOptions.SYNC, batch("k", "v"))))
        .isInstanceOf(OutcomeUnknownException.class);
    assertThat(failureOf(db.writeAsync(WriteOptions.SYNC, batch("k", "w"))))
        .as("the write was not done")
        .isInstanceOf(DBReadOnlyException.class);
    assertThat(failureOf(db.syncAsync()))
        .isInstanceOf(OutcomeUnknownException.class)
        .hasCauseInstanceOf(DBReadOnlyException.class);
  }

  /**
   * A flush that fails leaves the logs as they are. The write waits for the sync before its own.
   */
  @ParameterizedTest
  @ValueSource(booleans = {true, false})
  void writeAsync_besideAFlushThatFails_isDurableWhenItIsComplete(boolean closes) throws Exception {
    db.put(b("first"), b("0"));
    CountDownLatch flushing = new CountDownLatch(1);
    CountDownLatch flush = new CountDownLatch(1);
    CountDownLatch syncing = new CountDownLatch(1);
    CountDownLatch sync = new CountDownLatch(1);
    env.watch(
        operation -> {
          if (isSyncOf(".ldb", operation)) {
            flushing.countDown();
            Latches.await(flush);
          } else if (isSyncOf(".log", operation)) {
            syncing.countDown();
            Latches.await(sync);
          }
        });
    env.fail(FaultEnv.Fault.ERROR, Long.MAX_VALUE, operation -> isSyncOf(".ldb", operation));
    Call failing = Call.start(db.admin()::flush);
    Latches.await(flushing);
    CompletionStage<Void> before = db.writeAsync(WriteOptions.SYNC, batch("a", "1"));
    Latches.await(syncing);
    CompletionStage<Void> stage = db.writeAsync(WriteOptions.SYNC, batch("b", "2"));
    flush.countDown();
    assertThat(failing.outcome()).isInstanceOf(DBReadOnlyException.class);
    Call close = Call.start(closes ? db::close : () -> {});
    if (closes) {
      await("the close", () -> isClosed(db));
    }
    sync.countDown();
    await(before);
    await(stage);
    assertThat(close.outcome()).isNull();
    assertThat(afterPowerLoss("b")).isEqualTo("2");
  }

  @Test
  void close_completesTheStagesOfAllWrites() throws Exception {
    List<CompletionStage<Void>> stages = new ArrayList<>();
    for (int i = 0; i < 100; i++) {
      stages.add(db.writeAsync(WriteOptions.SYNC, batch("k" + i, "v")));
    }
    db.close();
    for (CompletionStage<Void> each : stages) {
      await(each);
    }
    assertThat(afterPowerLoss("k99")).isEqualTo("v");
    assertThat(failureOf(db.writeAsync(WriteOptions.SYNC, batch("k", "v"))))
        .isInstanceOf(DBClosedException.class);
    assertThat(failureOf(db.syncAsync()))
        .as("a write may have ended before the close")
        .isInstanceOf(OutcomeUnknownException.class)
        .hasCauseInstanceOf(DBClosedException.class);
  }

  /** The flushes of both databases have one thread, which the other database holds up. */
  @Test
  void close_whileAWriterIsStalledAndASyncWaitsForIt_endsTheStallAndSyncs() throws Exception {
    db.close();
    CountDownLatch begun = new CountDownLatch(1);
    CountDownLatch gate = holdSyncs(env, ".ldb", begun);
    try (SharedResources shared = SharedResources.builder().build()) {
      options = options.toBuilder().writeBufferSize(64 << 10).sharedResources(shared).build();
      try (DB other = DB.open(Path.of("/power/other"), options)) {
        other.put(b("k"), b("v"));
        Call flush = Call.start(other.admin()::flush);
        Latches.await(begun);
        db = DB.open(POWER, options);
        db.put(b("first"), b("1"));
        DB stalled = db;
        AtomicInteger written = new AtomicInteger();
        Call writer =
            Call.start(
                () -> {
                  while (true) {
                    stalled.put(b("k" + written.get()), new byte[1000]);
                    written.incrementAndGet();
                  }
                });
        writer.awaitParked();
        CompletionStage<Void> stage = db.syncAsync();
        Call close = Call.start(db::close);
        assertThat(close.outcome()).isNull();
        await(stage);
        assertThat(writer.outcome()).isInstanceOf(DBClosedException.class);
        gate.countDown();
        assertThat(flush.outcome()).isNull();
      } finally {
        gate.countDown();
      }
      options = options.toBuilder().sharedResources(null).build();
    }
    assertThat(afterPowerLoss("first")).isEqualTo("1");
  }

  @Test
  void close_whileTheLogFails_failsTheStagesThatAreLeft() throws Exception {
    db.put(b("first"), b("0"));
    failNextSyncOfALog();
    CountDownLatch begun = new CountDownLatch(1);
    CountDownLatch gate = holdSyncs(env, ".log", begun);
    Call writer = Call.start(() -> db.put(WriteOptions.SYNC, b("k"), b("v")));
    Latches.await(begun);
    CompletionStage<Void> stage = db.syncAsync();
    Call close = Call.start(db::close);
    await("the close", () -> isClosed(db));
    gate.countDown();
    assertThat(writer.outcome()).isInstanceOf(OutcomeUnknownException.class);
    assertThat(failureOf(stage)).isInstanceOf(OutcomeUnknownException.class);
    assertThat(close.outcome()).isNull();
  }

  @Test
  void whatDependsOnAStage_canWriteWaitAndClose() throws Exception {
    CompletionStage<Void> chain =
        db.writeAsync(WriteOptions.SYNC, batch("a", "1"))
            .thenCompose(done -> db.writeAsync(WriteOptions.SYNC, batch("b", "2")))
            .thenRun(() -> db.put(WriteOptions.SYNC, b("c"), b("3")))
            .thenRun(db::close);
    await(chain);
    assertThat(afterPowerLoss("c")).isEqualTo("3");
  }

  @Test
  void writeAsync_ofASpaceAndOfTimeToLive_isDurableToo() throws Exception {
    Space space = Space.of(db, "s/");
    TimeToLive mortal = TimeToLive.of(Space.of(db, "t/"), Duration.ofHours(1));
    await(
        CompletableFuture.allOf(
            space.writeAsync(WriteOptions.SYNC, batch("k", "v")).toCompletableFuture(),
            mortal.writeAsync(WriteOptions.SYNC, batch("k", "v")).toCompletableFuture()));
    assertThat(s(space.get(b("k")))).isEqualTo("v");
    assertThat(s(mortal.get(b("k")))).isEqualTo("v");
    assertThat(afterPowerLoss("s/k")).isEqualTo("v");
    assertThat(afterPowerLoss("t/k")).isNotEqualTo(NOT_FOUND);
  }

  @Test
  void nullArguments_areRefusedAtTheCall() {
    assertThatThrownBy(() -> db.writeAsync(null, WriteBatch.create())).hasMessage("options");
    assertThatThrownBy(() -> db.writeAsync(WriteOptions.SYNC, null)).hasMessage("batch");
  }

  // Without a database.

  @Test
  void request_isCompleteAfterASyncThatBeginsLater() throws Exception {
    AtomicInteger syncs = new AtomicInteger();
    AsyncSyncs asynchronous =
        new AsyncSyncs(Env.fileSystem(), syncs::incrementAndGet, syncs::incrementAndGet, null);
    for (int i = 1; i <= 3; i++) {
      await(asynchronous.request());
      assertThat(syncs).hasValue(i);
    }
    asynchronous.close();
    assertThat(syncs).as("there was nothing left").hasValue(3);
  }

  @Test
  void request_whoseSyncFails_failsAlone() throws Exception {
    AtomicReference<Error> failure = new AtomicReference<>(new AssertionError("simulated"));
    AsyncSyncs asynchronous =
        new AsyncSyncs(
            Env.fileSystem(),
            () -> {
              Error error = failure.getAndSet(null);
              if (error != null) {
                throw error;
              }
            },
            () -> {},
            null);
    assertThat(failureOf(asynchronous.request())).isInstanceOf(AssertionError.class);
    await(asynchronous.request());
    asynchronous.close();
  }

  private static Runnable gated(CountDownLatch begun, CountDownLatch gate) {
    return () -> {
      begun.countDown();
      Latches.await(gate);
    };
  }

  @Test
  void requests_whoseStagesFindNoThread_areAllAnswered() throws Exception {
    CountDownLatch begun = new CountDownLatch(1);
    CountDownLatch gate = new CountDownLatch(1);
    AsyncSyncs asynchronous =
        new AsyncSyncs(
            Env.fileSystem(),
            gated(begun, gate),
            () -> {},
            completion -> {
              throw new InternalError("simulated");
            });
    List<CompletionStage<Void>> stages = new ArrayList<>();
    stages.add(asynchronous.request());
    Latches.await(begun);
    stages.add(asynchronous.request());
    stages.add(asynchronous.request());
    gate.countDown();
    for (CompletionStage<Void> each : stages) {
      await(each);
    }
    asynchronous.close();
  }

  @Test
  void request_withoutAThread_failsWithTheCause() throws Exception {
    OutOfMemoryError cause = new OutOfMemoryError("unable to create native thread");
    Env exhausted =
        new ForwardingEnv(Env.inMemory()) {
          @Override
          public Thread startThread(String name, Runnable task) {
            throw cause;
          }
        };
    AsyncSyncs asynchronous = new AsyncSyncs(exhausted, () -> {}, () -> {}, null);
    assertThat(failureOf(asynchronous.request()))
        .isInstanceOf(OutcomeUnknownException.class)
        .hasCause(cause);
    asynchronous.close();
  }

  @Test
  void close_servesTheRequestsSoFarAndRefusesLaterOnes() throws Exception {
    CountDownLatch begun = new CountDownLatch(1);
    CountDownLatch gate = new CountDownLatch(1);
    AtomicInteger lastSyncs = new AtomicInteger();
    AsyncSyncs asynchronous =
        new AsyncSyncs(Env.fileSystem(), gated(begun, gate), lastSyncs::incrementAndGet, null);
    CompletionStage<Void> running = asynchronous.request();
    Latches.await(begun);
    CompletionStage<Void> waiting = asynchronous.request();
    Call close = Call.start(asynchronous::close);
    close.awaitParked();
    gate.countDown();
    assertThat(close.outcome()).isNull();
    await(running);
    await(waiting);
    assertThat(lastSyncs).hasValue(1);
    assertThat(failureOf(asynchronous.request()))
        .isInstanceOf(OutcomeUnknownException.class)
        .hasCauseInstanceOf(DBClosedException.class);
  }
}
