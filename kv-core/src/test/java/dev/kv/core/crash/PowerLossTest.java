package dev.kv.core.crash;

import static org.assertj.core.api.Assertions.assertThat;

import dev.kv.DB;
import dev.kv.Options;
import dev.kv.WriteOptions;
import dev.kv.env.Env;
import dev.kv.options.RecoveryMode;
import dev.kv.testing.FaultEnv;
import dev.kv.testing.StrictMemEnv;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.Random;
import java.util.SplittableRandom;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import java.util.concurrent.locks.LockSupport;
import java.util.concurrent.locks.ReentrantLock;
import java.util.stream.LongStream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * Simulates loss of power before operations on the disk, on whatever thread does them, and keeps a
 * part of the unsynced data. An open must find a prefix of the batches that includes everything
 * acknowledged as durable, and must be able to continue. Some of these opens lose power a second
 * time.
 */
@Tag("one-jdk")
@ExtendWith(Quiet.class)
class PowerLossTest {
  private static final Path DIRECTORY = Path.of("/power-loss/db");

  /** The random tests check one crash in this many operations. */
  private static final int EVERY = 12;

  /** The quick size of the slow tests checks one crash in this many operations. */
  private static final int SLOW_EVERY = Seeds.LONG ? 1 : 3;

  /** The least number of crashes of a slow test that checks one in {@link #SLOW_EVERY}. */
  private static final int SLOW_CLONES = Seeds.LONG ? 700 : 115;

  private static final int BATCHES_PER_MEMTABLE = 16;
  private static final long POLL_NANOS = 50_000;

  private static final AtomicInteger clones = new AtomicInteger();

  private StrictMemEnv disk = new StrictMemEnv();
  private History history = new History(0, 1, 1);
  private Setting setting = Setting.DEFAULT;

  /** The last batch that was acknowledged as durable, and the last one that was begun. */
  private volatile int durable;

  private volatile int begun;

  /** True if the database is reopened before each batch, with nothing to recover. */
  private boolean reopening;

  private int rangeEvery;
  private RecoveryMode mode = RecoveryMode.TORN_WRITES;

  private final ReentrantLock checking = new ReentrantLock();
  private final PercentKept kept = new PercentKept();
  private final AtomicReference<@Nullable Throwable> failure = new AtomicReference<>();

  static LongStream seeds() {
    return Seeds.of(PowerLossTest.class, 4, 5000);
  }

  @Test
  void crash_beforeEachOperation_leavesAPrefixWithAllSyncedWrites() throws Throwable {
    int before = clones.get();
    run(7, 1, Seeds.LONG ? 60 : 36);
    assertThat(clones.get() - before).as("crash clones").isGreaterThan(Seeds.LONG ? 700 : 175);
  }

  @Test
  @Tag("slow")
  void crash_beforeEachOperationBesideRangeDeletes_leavesAPrefixWithAllSyncedWrites()
      throws Throwable {
    int before = clones.get();
    rangeEvery = 3;
    run(9, SLOW_EVERY, 40);
    assertThat(clones.get() - before).as("crash clones").isGreaterThan(SLOW_CLONES);
  }

  /** Tests several opens that have nothing to recover, and the first write after them. */
  @Test
  @Tag("slow")
  void crash_beforeEachOperationOfFirstWrites_leavesAPrefixWithAllSyncedWrites() throws Throwable {
    int before = clones.get();
    reopening = true;
    for (Setting each : Setting.values()) {
      disk = new StrictMemEnv();
      durable = 0;
      begun = 0;
      run(each.ordinal(), SLOW_EVERY, 3);
    }
    assertThat(clones.get() - before).as("crash clones").isGreaterThan(SLOW_CLONES);
  }

  /**
   * The modes that accept damage in a log find no less after loss of power. CPP_COMPAT continues
   * after it, so batches in the middle may be missing, if they were not synced.
   */
  @Tag("slow")
  @ParameterizedTest
  @EnumSource(names = {"POINT_IN_TIME", "CPP_COMPAT"})
  void crash_openedInAnotherMode_leavesAllSyncedWrites(RecoveryMode other) throws Throwable {
    mode = other;
    int before = clones.get();
    for (long seed = 1; seed <= (Seeds.LONG ? 500 : 3); seed++) {
      disk = new StrictMemEnv();
      durable = 0;
      begun = 0;
      run(seed, EVERY, 80);
    }
    assertThat(clones.get() - before).as("crash clones").isGreaterThan(Seeds.LONG ? 100 : 50);
  }

  @AfterAll
  static void report() {
    System.out.println("PowerLossTest: crash clones " + clones);
  }

  @Tag("slow")
  @ParameterizedTest
  @MethodSource("seeds")
  void crash_beforeRandomOperations_leavesAPrefixWithAllSyncedWrites(long seed) throws Throwable {
    rangeEvery = seed % 3 == 0 ? 4 : 0;
    run(seed, EVERY, 80);
  }

  private void run(long seed, int every, int batches) throws Throwable {
    history = new History(seed, 60, 2500).withRangeDeletes(rangeEvery);
    setting = Setting.of(seed);
    disk.createDurableDirectory(DIRECTORY.getParent());
    FaultEnv env = new FaultEnv(disk);
    Random choices = new Random(seed);
    boolean slowTables = seed % 2 == 0;
    Thread writer = Thread.currentThread();
    env.watch(
        operation -> {
          if (slowTables && operation.isOn(".ldb") && operation.kind() == FaultEnv.Kind.SYNC) {
            awaitAnotherMemtable(writer);
          }
          crash(operation, every, choices);
        });
    Options options = setting.options(env);
    DB db = DB.open(DIRECTORY, options);
    try {
      for (int number = 1; number <= batches && failure.get() == null; number++) {
        boolean sync = choices.nextInt(10) == 0;
        begun = number;
        if (reopening || choices.nextInt(20) == 0) {
          db = reopenWithNothingToRecover(db, options, number - 1);
        }
        history.apply(db, number, sync);
        durable = history.isDurable(number, sync) ? number : durable;
        int after = choices.nextInt(60);
        if (after == 0) {
          db.close();
          db = DB.open(DIRECTORY, options);
        } else if (after == 1) {
          db.admin().compactRange(null, null);
          durable = number;
        } else if (after == 2) {
          db.admin().flush();
          durable = number;
        }
      }
    } finally {
      db.close();
      env.watch(operation -> {});
    }
    Throwable failed = failure.get();
    if (failed != null) {
      throw new AssertionError(Seeds.again(PowerLossTest.class, seed), failed);
    }
  }

  /**
   * Waits until the writer has filled about one more memtable, or waits itself. So there are two
   * live logs. A sync on the writer's own thread, which belongs to a recovery, does not wait.
   */
  private void awaitAnotherMemtable(Thread writer) {
    if (Thread.currentThread() == writer) {
      return;
    }
    int enough = begun + BATCHES_PER_MEMTABLE;
    while (begun < enough && writer.getState() == Thread.State.RUNNABLE) {
      LockSupport.parkNanos(POLL_NANOS);
    }
  }

  private DB reopenWithNothingToRecover(DB db, Options options, int batches) {
    db.admin().flush();
    durable = batches;
    db.close();
    DB reopened = db;
    for (int i = 0; i < 2; i++) {
      reopened.close();
      reopened = DB.open(DIRECTORY, options);
      history.expectPrefix(reopened, batches, batches);
    }
    return reopened;
  }

  /**
   * Checks what loss of power would leave now. Reads the acknowledged batch first and the begun
   * batch last, because the writer goes on.
   */
  private void crash(FaultEnv.Operation operation, int every, Random choices) {
    if (operation.kind() == FaultEnv.Kind.READ || operation.kind() == FaultEnv.Kind.OPEN) {
      return; // does not change the disk
    }
    checking.lock();
    try {
      if (failure.get() != null || (every > 1 && choices.nextInt(every) != 0)) {
        return;
      }
      for (int percent : kept.next()) {
        int number = clones.incrementAndGet();
        int least = durable;
        StrictMemEnv found = disk.crashClone(percent, number);
        try {
          check(found, least, begun, number % 8 == 0 ? number : -1);
        } catch (Throwable e) {
          String what = "before " + operation + ", " + percent + " % kept, clone " + number;
          failure.compareAndSet(null, new AssertionError(what, e));
        }
      }
    } finally {
      checking.unlock();
    }
  }

  /**
   * Opens a database after a crash. If {@code againSeed} is not negative, power is lost again
   * before one of the operations of this open.
   */
  private void check(StrictMemEnv found, int least, int most, long againSeed) throws Exception {
    int prefix;
    if (againSeed >= 0) {
      FaultEnv env = new FaultEnv(found);
      SplittableRandom choices = new SplittableRandom(againSeed);
      AtomicReference<@Nullable StrictMemEnv> again = new AtomicReference<>();
      long at = choices.nextInt(60);
      env.watch(
          operation -> {
            if (env.operations() >= at && again.get() == null) {
              again.set(found.crashClone(choices.nextInt(101), againSeed));
            }
          });
      prefix = openAndExpect(found, options(env), least, most);
      StrictMemEnv second = again.get();
      if (second != null) {
        clones.incrementAndGet();
        openAndExpect(second, options(second), least, prefix + 1);
      }
    } else {
      prefix = openAndExpect(found, options(found), least, most);
    }
    assertThat(prefix).isBetween(least, most);
  }

  private Options options(Env env) {
    return setting.options(env).toBuilder().recoveryMode(mode).build();
  }

  /**
   * Opens the database, checks it, writes a batch with sync, and checks it again after the loss of
   * everything unsynced.
   */
  private int openAndExpect(StrictMemEnv env, Options options, int least, int most)
      throws Exception {
    if (mode == RecoveryMode.CPP_COMPAT) {
      return openAndExpectNothingLost(env, options, least, most);
    }
    int prefix;
    if (least % 2 == 0) {
      try (DB db = DB.open(DIRECTORY, options)) {
        history.expectPrefix(db, least, most);
      }
    }
    try (DB db = DB.open(DIRECTORY, options)) {
      prefix = history.expectPrefix(db, least, most);
      history.apply(db, prefix + 1, true);
    }
    if (prefix % 4 != 0) {
      return prefix;
    }
    StrictMemEnv later = env.crashClone(0, 1);
    try (DB db = DB.open(DIRECTORY, options(later))) {
      history.expectPrefix(db, prefix + 1, prefix + 1);
    }
    return prefix;
  }

  private int openAndExpectNothingLost(StrictMemEnv env, Options options, int least, int most) {
    byte[] more = "more".getBytes(StandardCharsets.UTF_8);
    try (DB db = DB.open(DIRECTORY, options)) {
      history.expectNothingLost(db, least, most);
      db.put(WriteOptions.SYNC, more, more);
      assertThat(db.get(more)).isEqualTo(more);
      db.delete(WriteOptions.SYNC, more);
    }
    try (DB db = DB.open(DIRECTORY, options(env.crashClone(0, 1)))) {
      history.expectNothingLost(db, least, most);
    }
    return most;
  }
}
