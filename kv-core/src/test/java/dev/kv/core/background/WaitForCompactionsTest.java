package dev.kv.core.background;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.kv.DB;
import dev.kv.Options;
import dev.kv.SharedResources;
import dev.kv.core.Call;
import dev.kv.core.Latches;
import dev.kv.core.db.DbTestBase;
import dev.kv.core.env.FileName;
import dev.kv.core.env.FileNames;
import dev.kv.core.env.Uninterrupted;
import dev.kv.core.state.ObsoleteFiles;
import dev.kv.core.version.Levels;
import dev.kv.core.version.Version;
import dev.kv.env.Env;
import dev.kv.errors.DBClosedException;
import dev.kv.errors.DBReadOnlyException;
import dev.kv.testing.FaultEnv;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Random;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.LockSupport;
import org.junit.jupiter.api.Test;

/** {@link DBAdmin#waitForCompactions}. */
class WaitForCompactionsTest extends DbTestBase {
  private void writeTables(int count) {
    Random random = new Random(7);
    for (int table = 0; table < count; table++) {
      for (int i = 0; i < 20; i++) {
        put(key(random.nextInt(500)), randomValue(random, 1000));
      }
      db.admin().flush();
    }
  }

  @Test
  void waitForCompactions_afterManyFlushes_returnsWhenNothingIsDue() {
    open();
    writeTables(30);
    db.admin().waitForCompactions();
    assertThat(filesAt(0)).isLessThan(Levels.LEVEL_0_COMPACTION_TRIGGER);
    assertThat(parts().compactor().isDue()).isFalse();
  }

  @Test
  void waitForCompactions_rightAfterAnOpenThatFindsOneDue_doesNotReturnBeforeIt() {
    open();
    db.admin().suspendCompactions();
    writeTables(8);
    assertThat(filesAt(0)).isGreaterThanOrEqualTo(Levels.LEVEL_0_COMPACTION_TRIGGER);
    reopen();
    db.admin().waitForCompactions();
    assertThat(filesAt(0)).isLessThan(Levels.LEVEL_0_COMPACTION_TRIGGER);
  }

  @Test
  void waitForCompactions_whileTheyAreSuspended_waitsForNone() {
    open();
    db.admin().suspendCompactions();
    writeTables(8);
    int tables = filesAt(0);
    db.admin().waitForCompactions();
    assertThat(filesAt(0)).isEqualTo(tables);
    db.admin().resumeCompactions();
    db.admin().waitForCompactions();
    assertThat(filesAt(0)).isLessThan(Levels.LEVEL_0_COMPACTION_TRIGGER);
  }

  @Test
  void compactRange_whileTheyAreSuspended_throwsAndSaysWhatToCall() {
    open();
    writeTables(3);
    db.admin().suspendCompactions();
    db.admin().suspendCompactions();
    db.admin().resumeCompactions();
    assertThatThrownBy(() -> db.admin().compactRange(null, null))
        .isInstanceOf(IllegalStateException.class)
        .hasMessageContaining("resumeCompactions");
    assertThatThrownBy(() -> db.admin().compactDeletes(Duration.ZERO))
        .isInstanceOf(IllegalStateException.class)
        .hasMessageContaining("resumeCompactions");
    db.admin().resumeCompactions();
    db.admin().compactRange(null, null);
    assertThat(filesAt(0)).isZero();
  }

  @Test
  void waitForCompactions_whenOneFails_throws() {
    FaultEnv env = new FaultEnv(Env.inMemory());
    open(options.toBuilder().env(env).build());
    db.admin().suspendCompactions();
    writeTables(8);
    env.fail(
        FaultEnv.Fault.ERROR,
        Long.MAX_VALUE,
        operation -> operation.kind() == FaultEnv.Kind.CREATE && operation.isOn(".ldb"));
    db.admin().resumeCompactions();
    assertThatThrownBy(db.admin()::waitForCompactions).isInstanceOf(DBReadOnlyException.class);
    env.heal();
    db.admin().resume();
    db.admin().waitForCompactions();
    assertThat(filesAt(0)).isLessThan(Levels.LEVEL_0_COMPACTION_TRIGGER);
  }

  @Test
  void waitForCompactions_whenOneFailsThatBeganBeforeTheResume_doesNotThrow() throws Exception {
    FaultEnv env = new FaultEnv(Env.inMemory());
    open(options.toBuilder().env(env).build());
    db.admin().suspendCompactions();
    writeTables(8);
    AtomicInteger created = new AtomicInteger();
    CountDownLatch secondRuns = new CountDownLatch(1);
    CountDownLatch secondMayFail = new CountDownLatch(1);
    env.fail(
        FaultEnv.Fault.ERROR,
        Long.MAX_VALUE,
        operation -> {
          boolean isOutput = operation.kind() == FaultEnv.Kind.CREATE && operation.isOn(".ldb");
          int nth = isOutput ? created.incrementAndGet() : 0;
          if (nth == 2) {
            secondRuns.countDown();
            Uninterrupted.await(() -> secondMayFail.await(30, TimeUnit.SECONDS));
          }
          return nth == 1 || nth == 2;
        });
    db.admin().resumeCompactions();
    assertThatThrownBy(db.admin()::waitForCompactions).isInstanceOf(DBReadOnlyException.class);
    await(
        "another thread that runs the compaction",
        () -> {
          parts().wakeups().compactionWanted();
          return secondRuns.getCount() == 0;
        });
    try {
      db.admin().resume();
    } finally {
      secondMayFail.countDown();
    }
    db.admin().waitForCompactions();
    assertThat(env.injected()).isEqualTo(2);
    assertThat(filesAt(0)).isLessThan(Levels.LEVEL_0_COMPACTION_TRIGGER);
  }

  @Test
  void suspendCompactions_whenAFlushFailsDuringTheWait_throwsAndSuspendsNone() throws Exception {
    FaultEnv env = new FaultEnv(Env.inMemory());
    open(options.toBuilder().env(env).build());
    db.admin().suspendCompactions();
    writeTables(8);
    CountDownLatch runs = new CountDownLatch(1);
    CountDownLatch mayEnd = new CountDownLatch(1);
    env.watch(
        operation -> {
          if (operation.kind() == FaultEnv.Kind.CREATE && operation.isOn(".ldb")) {
            runs.countDown();
            Uninterrupted.await(() -> mayEnd.await(30, TimeUnit.SECONDS));
          }
        });
    db.admin().resumeCompactions();
    runs.await();
    Call suspending = Call.start(db.admin()::suspendCompactions);
    await("the wait", parts().compactor()::isSuspended);
    assertThatThrownBy(() -> db.admin().resumeCompactions())
        .as("a suspension that has not returned cannot be undone by another thread")
        .isInstanceOf(IllegalStateException.class);
    parts().jobs().errors().failResumably("a flush", new IOException("simulated"), 0);
    assertThat(suspending.outcome()).isInstanceOf(DBReadOnlyException.class);
    assertThat(parts().compactor().isSuspended()).isFalse();
    mayEnd.countDown();
    parts().jobs().errors().succeed("a flush");
    db.admin().waitForCompactions();
    assertThat(filesAt(0)).isLessThan(Levels.LEVEL_0_COMPACTION_TRIGGER);
    assertThat(parts().memTables().stallInputs().areCompactionsUrgent()).isFalse();
    db.admin().suspendCompactions();
    assertThat(parts().compactor().isSuspended()).isTrue();
    db.admin().resumeCompactions();
  }

  @Test
  void waitForCompactions_closed_throws() {
    open();
    put("a", "1");
    close();
    assertThatThrownBy(db.admin()::waitForCompactions).isInstanceOf(DBClosedException.class);
  }

  @Test
  void compactRangeAndWaitForCompactions_whenTheyReturn_haveDeletedTheInputs() throws IOException {
    FaultEnv env = new FaultEnv(Env.inMemory());
    env.watch(
        operation -> {
          // The thread of the compaction is slow to delete, and the caller does not wait for it.
          if (operation.kind() == FaultEnv.Kind.LIST
              && Thread.currentThread().getName().startsWith("kv-compact")) {
            LockSupport.parkNanos(2_000_000);
          }
        });
    open(options.toBuilder().env(env).build());
    for (int round = 0; round < 20; round++) {
      writeTables(3);
      db.admin().compactRange(null, null);
      assertThat(tablesOnDisk(env)).as("after compactRange").isEqualTo(liveTables());
      writeTables(5);
      db.admin().waitForCompactions();
      assertThat(tablesOnDisk(env)).as("after waitForCompactions").isEqualTo(liveTables());
    }
  }

  @Test
  void flushAndOthers_whileTheFlushedLogIsNotClosed_wait() throws Exception {
    FaultEnv env = new FaultEnv(Env.inMemory());
    open(options.toBuilder().env(env).build());
    put("a", "1");
    CountDownLatch closes = new CountDownLatch(1);
    CountDownLatch mayClose = new CountDownLatch(1);
    env.watch(
        operation -> {
          if (operation.kind() == FaultEnv.Kind.CLOSE && operation.isOn(".log")) {
            closes.countDown();
            Latches.await(mayClose);
          }
        });
    Call flush = Call.start(db.admin()::flush);
    Latches.await(closes); // the table is installed
    Call range = Call.start(() -> db.admin().compactRange(null, null));
    Call deletes = Call.start(() -> db.admin().compactDeletes(Duration.ZERO));
    Call idle = Call.start(db.admin()::waitForCompactions);
    List<Call> calls = List.of(flush, range, deletes, idle);
    for (Call each : calls) {
      each.awaitParked();
    }
    mayClose.countDown();
    for (Call each : calls) {
      assertThat(each.outcome()).isNull();
    }
    assertThat(files(FileName.Kind.LOG)).hasSize(1);
  }

  @Test
  void collect_byAThreadThatTheCloseOvertook_deletesNothing() throws IOException {
    FaultEnv env = new FaultEnv(Env.inMemory());
    open(options.toBuilder().env(env).build());
    writeTables(2);
    List<Long> tables = tablesOnDisk(env);
    ObsoleteFiles obsolete = parts().jobs().obsolete();
    db.close();
    obsolete.collect();
    assertThat(tables).isNotEmpty();
    assertThat(tablesOnDisk(env)).isEqualTo(tables);
  }

  private List<Long> tablesOnDisk(Env env) throws IOException {
    List<Long> numbers = new ArrayList<>();
    for (String name : env.list(directory)) {
      FileName parsed = FileNames.parse(name);
      if (parsed != null && parsed.kind() == FileName.Kind.TABLE) {
        numbers.add(parsed.number());
      }
    }
    Collections.sort(numbers);
    return numbers;
  }

  private List<Long> liveTables() {
    List<Long> numbers = new ArrayList<>();
    Version version = parts().versions().acquireCurrent();
    try {
      version.forEachFileNumber(numbers::add);
    } finally {
      version.release();
    }
    Collections.sort(numbers);
    return numbers;
  }

  /** The only thread compacts another database, so nothing but the suspension ends the wait. */
  @Test
  void waitForCompactions_ofThoseThatAreSuspendedMeanwhile_ends() throws Exception {
    FaultEnv env = new FaultEnv(Env.inMemory());
    CountDownLatch runs = new CountDownLatch(1);
    CountDownLatch mayEnd = new CountDownLatch(1);
    try (SharedResources shared = SharedResources.builder().compactionThreads(1).build()) {
      Options both =
          options.toBuilder().createIfMissing(true).env(env).sharedResources(shared).build();
      open(both);
      try (DB other = DB.open(directory.resolveSibling("other"), both)) {
        other.admin().suspendCompactions();
        for (int table = 0; table < 8; table++) {
          other.put(b("a"), new byte[table]);
          other.put(b("z"), new byte[table]);
          other.admin().flush();
        }
        env.watch(
            operation -> {
              if (operation.kind() == FaultEnv.Kind.CREATE
                  && operation.isOn(".ldb")
                  && operation.path().toString().contains("other")) {
                runs.countDown();
                Uninterrupted.await(() -> mayEnd.await(30, TimeUnit.SECONDS));
              }
            });
        other.admin().resumeCompactions();
        try {
          runs.await();
          writeTables(8);
          Call waiting = Call.start(db.admin()::waitForCompactions);
          waiting.awaitParked();
          db.admin().suspendCompactions();
          assertThat(waiting.outcome()).isNull();
          db.admin().resumeCompactions();
        } finally {
          mayEnd.countDown();
        }
      }
      close();
    }
  }
}
