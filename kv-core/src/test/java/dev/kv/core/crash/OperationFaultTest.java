package dev.kv.core.crash;

import static org.assertj.core.api.Assertions.assertThat;

import dev.kv.DB;
import dev.kv.Options;
import dev.kv.errors.DBException;
import dev.kv.errors.DBReadOnlyException;
import dev.kv.testing.FaultEnv;
import dev.kv.testing.FaultEnv.Fault;
import dev.kv.testing.FaultMode;
import dev.kv.testing.StrictMemEnv;
import java.nio.file.Path;
import java.util.SplittableRandom;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/**
 * Fails each operation on the file system, one operation per run: of the open, of writes, flushes
 * and compactions, and of the close. A call that fails must throw a {@link DBException}. No call
 * may wait forever, and reads must still work. When the file system works again, everything
 * acknowledged must be there. After loss of power, everything acknowledged as durable must be
 * there.
 */
@Tag("slow")
@ExtendWith(Quiet.class)
class OperationFaultTest {
  private static final Path DIRECTORY = Path.of("/faults/db");
  private static final int BATCHES = 30;
  private static final int WORKLOADS = Seeds.LONG ? 10 : 1;
  private static final int PAIRS = Seeds.LONG ? 2000 : 40;

  /** The quick size fails one operation in three, and other ones in each mode. */
  private static final int STEP = Seeds.LONG ? 1 : 3;

  /**
   * The number of ticks after which a run hangs. The test counts ticks and does not read the clock:
   * if the whole machine stops, the ticks stop too.
   */
  private static final int HANG_TICKS = 250;

  private static final long TICK_MILLIS = 100;

  private static long runs;
  private static long silent;
  private static int longestTicks;

  @AfterAll
  static void report() {
    System.out.println(
        "OperationFaultTest: runs "
            + runs
            + ", faults without effect "
            + silent
            + ", none over "
            + TICK_MILLIS * longestTicks
            + " ms");
  }

  @ParameterizedTest
  @EnumSource
  void operation_failing_isReportedOrHarmless(FaultMode mode) {
    failEach(mode, 0);
  }

  @ParameterizedTest
  @EnumSource
  void operation_failingBesideRangeDeletes_isReportedOrHarmless(FaultMode mode) {
    failEach(mode, 9);
  }

  private static void failEach(FaultMode mode, int rangeEvery) {
    for (int workload = 0; workload < WORKLOADS; workload++) {
      Setting setting = Setting.of(mode.ordinal() + workload);
      History history = new History(workload, 40, 3000).withRangeDeletes(rangeEvery);
      boolean injected = true;
      long k = 1 + mode.ordinal() % STEP;
      for (; injected; k += STEP) {
        Run run = new Run(setting, history, mode + " at operation " + k + " of " + setting);
        long at = k;
        injected = within(run, env -> mode.inject(env, at));
      }
      assertThat(k)
          .as("operations of a run")
          .isGreaterThan(mode == FaultMode.SYNCS_FAIL ? 50 : 150);
    }
  }

  /**
   * Does the same if the open has nothing to recover. The first write then creates the files that
   * other opens create.
   */
  @ParameterizedTest
  @EnumSource
  void operationOfAFirstWrite_failing_isReportedOrHarmless(FaultMode mode) {
    Setting setting = mode.ordinal() % 2 == 0 ? Setting.DEFAULT : Setting.WRITTEN_LOG;
    boolean injected = true;
    long k = 1 + mode.ordinal() % STEP;
    for (; injected; k += STEP) {
      String what = mode + " at operation " + k + " of a first write, " + setting;
      Run run = new Run(setting, new History(3, 40, 300), what);
      run.prepare();
      long at = k;
      injected = within(run, env -> mode.inject(env, at));
    }
    assertThat(k).as("operations of a run").isGreaterThan(mode == FaultMode.SYNCS_FAIL ? 10 : 40);
  }

  @ParameterizedTest
  @EnumSource
  void twoOperations_failing_areReportedOrHarmless(Setting setting) {
    SplittableRandom random = new SplittableRandom(Long.getLong("kv.seed", 5));
    for (int i = 0; i < PAIRS / Setting.values().length; i++) {
      long first = 1 + random.nextInt(200);
      long second = first + 1 + random.nextInt(40);
      Fault fault = Fault.values()[random.nextInt(3)];
      String what = fault + " at operations " + first + " and " + second + " of " + setting;
      Run run = new Run(setting, new History(i, 40, 3000), what);
      within(
          run,
          env ->
              env.fail(fault, 2, each -> env.operations() == first || env.operations() >= second));
    }
  }

  private interface Injection {
    void into(FaultEnv env);
  }

  /** Does a run. Returns true if the fault was injected. */
  private static boolean within(Run run, Injection injection) {
    runs++;
    CompletableFuture<Boolean> done = new CompletableFuture<>();
    Thread thread =
        new Thread(
            () -> {
              try {
                done.complete(run.run(injection));
              } catch (Throwable e) {
                done.completeExceptionally(e);
              }
            });
    thread.setDaemon(true);
    thread.start();
    for (int tick = 1; tick <= HANG_TICKS; tick++) {
      longestTicks = Math.max(longestTicks, tick);
      try {
        return done.get(TICK_MILLIS, TimeUnit.MILLISECONDS);
      } catch (TimeoutException goesOn) {
        continue;
      } catch (ExecutionException e) {
        throw new AssertionError(run.what + ", " + run.env.lastFault(), e.getCause());
      } catch (InterruptedException e) {
        throw new AssertionError(e);
      }
    }
    AssertionError hang = new AssertionError("hangs: " + run.what + ", " + run.env.lastFault());
    hang.setStackTrace(thread.getStackTrace());
    throw hang;
  }

  /** One workload, from the creation of the database to the check of its contents. */
  private static final class Run {
    private final Setting setting;
    private final History history;
    private final String what;
    private final StrictMemEnv disk = new StrictMemEnv();
    private final FaultEnv env = new FaultEnv(disk);
    private int batches = BATCHES;
    private int acknowledged;
    private int durable;
    private int begun;
    private boolean reported;
    private @Nullable DBException failure;

    Run(Setting setting, History history, String what) {
      this.setting = setting;
      this.history = history;
      this.what = what;
    }

    /** Creates a database with batches in a table and an empty log, without faults. */
    void prepare() {
      try (DB db = DB.open(DIRECTORY, setting.options(disk))) {
        for (int number = 1; number <= 3; number++) {
          history.apply(db, number, false);
        }
        db.admin().flush();
      }
      acknowledged = 3;
      durable = 3;
      begun = 3;
      batches = 8;
    }

    boolean run(Injection injection) throws Exception {
      disk.createDurableDirectory(DIRECTORY.getParent());
      injection.into(env);
      Options options = setting.options(env);
      DB db = open(options);
      if (db != null) {
        work(db);
        boolean injected = env.injected() > 0;
        env.heal();
        history.expectPrefix(db, acknowledged, begun);
        expectAfterPowerLoss();
        close(db);
        if (injected && !reported) {
          silent++;
        }
      }
      boolean injected = env.injected() > 0;
      env.heal();
      try (DB healed = DB.open(DIRECTORY, options)) {
        int found = history.expectPrefix(healed, acknowledged, begun);
        history.apply(healed, found + 1, true);
        healed.admin().compactRange(null, null);
        history.expectPrefix(healed, found + 1, found + 1);
      }
      return injected;
    }

    private @Nullable DB open(Options options) {
      try {
        return DB.open(DIRECTORY, options);
      } catch (DBException expected) {
        reported = true;
        return null;
      }
    }

    private void work(DB db) {
      for (int number = begun + 1; number <= batches; number++) {
        boolean sync = number % 7 == 0;
        begun = number;
        if (!succeeds(() -> history.apply(db, begun, sync))) {
          expectRefusedOrDone(db);
          return;
        }
        acknowledged = number;
        durable = history.isDurable(number, sync) ? number : durable;
        if (number % 10 == 0 && succeeds(db.admin()::flush)) {
          durable = number;
        }
      }
      if (succeeds(() -> db.admin().compactRange(null, null))) {
        durable = begun;
      }
    }

    /** Checks that a failed write can be retried only if its message says so. */
    private void expectRefusedOrDone(DB db) {
      boolean again = String.valueOf(failure).contains("may be tried again");
      boolean done = succeeds(() -> history.apply(db, begun, false));
      assertThat(done && !again).as("written after " + failure).isFalse();
      if (!again) {
        assertThat(failure).isInstanceOf(DBReadOnlyException.class);
      }
      acknowledged = done ? begun : acknowledged;
    }

    /** Runs an action that may fail. Returns true if it did not fail. */
    private boolean succeeds(Runnable action) {
      try {
        action.run();
        return true;
      } catch (DBException expected) {
        reported = true;
        failure = expected;
        return false;
      }
    }

    private void expectAfterPowerLoss() {
      for (int percent : new int[] {0, 50}) {
        StrictMemEnv found = disk.crashClone(percent, begun);
        try (DB db = DB.open(DIRECTORY, setting.options(found))) {
          history.expectPrefix(db, durable, begun);
        }
      }
    }

    private void close(DB db) {
      succeeds(db::close);
      db.close();
    }
  }
}
