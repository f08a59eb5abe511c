package dev.kv.core.change;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.kv.DB;
import dev.kv.DBIterator;
import dev.kv.Options;
import dev.kv.ReadOptions;
import dev.kv.Snapshot;
import dev.kv.WriteOptions;
import dev.kv.core.Latches;
import dev.kv.core.compaction.OutputContext;
import dev.kv.core.db.DbTestBase;
import dev.kv.core.db.HookedEnv;
import dev.kv.core.env.FileName;
import dev.kv.core.key.KeyBounds;
import dev.kv.core.key.KeyRange;
import dev.kv.core.version.Levels;
import dev.kv.core.version.Version;
import dev.kv.core.version.VersionEdit;
import dev.kv.env.Env;
import dev.kv.errors.DBClosedException;
import dev.kv.errors.DBException;
import dev.kv.errors.DBIOException;
import dev.kv.errors.OffHeapExhaustedException;
import dev.kv.errors.OutcomeUnknownException;
import dev.kv.testing.FaultEnv;
import dev.kv.testing.StrictMemEnv;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Random;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicReference;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * The rules for changes that do not pass the log. Each test fails without one of them. The change
 * is a range delete, with something that happens while it is prepared.
 */
class VersionMutatorTest extends DbTestBase {
  private static final Path POWER = Path.of("/power/db");

  /** How many changes were told that they are installed. */
  private int installed;

  private Runnable whenInstalled = () -> {};

  /** Runs an action in the middle of a range delete, with exclusive access held. */
  private final class Change implements VersionMutation {
    private final VersionMutation target;
    private final Runnable inTheMiddle;

    Change(@Nullable String from, @Nullable String to, Runnable inTheMiddle) {
      this.target = new RangeDelete(parts().jobs(), bounds(from, to));
      this.inTheMiddle = inTheMiddle;
    }

    @Override
    public String name() {
      return target.name();
    }

    @Override
    public KeyBounds range() {
      return target.range();
    }

    @Override
    public boolean isNeeded(Version version) {
      return target.isNeeded(version);
    }

    @Override
    public VersionEdit prepare(Version version, long sequence, OutputContext outputs) {
      VersionEdit edit = target.prepare(version, sequence, outputs);
      inTheMiddle.run();
      return edit;
    }

    @Override
    public void installed() {
      target.installed();
      installed++;
      whenInstalled.run();
    }
  }

  private static KeyBounds bounds(@Nullable String from, @Nullable String to) {
    return new KeyBounds(from == null ? null : b(from), to == null ? null : b(to));
  }

  private void deleteRange(@Nullable String from, @Nullable String to, Runnable inTheMiddle) {
    assertThat(parts().changes().make(new Change(from, to, inTheMiddle))).isTrue();
  }

  private static CompletableFuture<Void> start(Runnable action) {
    CompletableFuture<Void> done = new CompletableFuture<>();
    Thread thread =
        new Thread(
            () -> {
              try {
                action.run();
                done.complete(null);
              } catch (Throwable e) {
                done.completeExceptionally(e);
              }
            });
    thread.setDaemon(true);
    thread.start();
    return done;
  }

  private static void join(CompletableFuture<Void> done) throws Exception {
    try {
      done.get(60, TimeUnit.SECONDS);
    } catch (ExecutionException e) {
      throw new AssertionError(e.getCause());
    }
  }

  @Test
  void failureAfterTheInstall_isNoneOfTheChange() {
    open();
    put("t1", "1");
    db.admin().flush();
    whenInstalled =
        () -> {
          throw new IllegalStateException("simulated");
        };
    deleteRange("t", "u", () -> {});
    assertThat(installed).isEqualTo(1);
    put("t2", "2");
    assertThat(contents()).isEqualTo("(t2->2)");
  }

  // Rule 1: the sequence number is logged first.

  /** A database on a disk that forgets, whose flushes can be held up. */
  private final class PowerLoss implements AutoCloseable {
    final StrictMemEnv disk = new StrictMemEnv();
    final FaultEnv env = new FaultEnv(disk);
    final CountDownLatch flushes = new CountDownLatch(1);

    PowerLoss() {
      open(POWER);
    }

    private void open(Path where) {
      options = defaults().toBuilder().env(env).build();
      db = openOther(where, options);
    }

    void holdFlushes() {
      env.watch(
          operation -> {
            if (operation.kind() == FaultEnv.Kind.SYNC
                && operation.isOn(".ldb")
                && Thread.currentThread().getName().startsWith("kv-flush")) {
              Latches.await(flushes);
            }
          });
    }

    /** Returns the values of keys after a loss of everything that is not synced. */
    List<String> valuesAfter(String... keys) {
      return values(disk.crashClone(0, 1), keys);
    }

    private List<String> values(StrictMemEnv left, String... keys) {
      List<String> values = new ArrayList<>();
      Options found = options.toBuilder().env(left).build();
      try (DB after = DB.open(POWER, found)) {
        for (String each : keys) {
          values.add(s(after.get(b(each))));
        }
      }
      return values;
    }

    @Override
    public void close() {
      flushes.countDown();
    }
  }

  @Test
  void unsyncedWrites_beforeAChange_areDurableWithIt() {
    try (PowerLoss power = new PowerLoss()) {
      put("t1", "1");
      db.admin().flush();
      put("a", "unsynced");
      deleteRange("t", "u", () -> {});
      assertThat(power.valuesAfter("a", "t1")).containsExactly("unsynced", NOT_FOUND);
    }
  }

  @Test
  void unsyncedWrites_beforeAChange_areDurableBeforeItsEditIs() {
    try (PowerLoss power = new PowerLoss()) {
      put("t1", "1");
      db.admin().flush();
      put("a", "unsynced");
      List<StrictMemEnv> moments = new CopyOnWriteArrayList<>();
      power.env.watch(operation -> moments.add(power.disk.crashClone(0, 1)));
      deleteRange("t", "u", () -> {});
      power.env.watch(operation -> {});
      Set<List<String>> found = new HashSet<>();
      moments.forEach(left -> found.add(power.values(left, "a", "t1")));
      assertThat(found)
          .contains(List.of("unsynced", NOT_FOUND))
          .isSubsetOf(
              List.of(NOT_FOUND, "1"), List.of("unsynced", "1"), List.of("unsynced", NOT_FOUND));
    }
  }

  @Test
  void syncedWrite_inTheLogAfterTheOneOfAChange_survivesPowerLoss() {
    try (PowerLoss power = new PowerLoss()) {
      put("t1", "1");
      db.admin().flush();
      put("a", "1");
      deleteRange("t", "u", () -> {});
      power.holdFlushes();
      switchMemTable();
      db.put(WriteOptions.SYNC, b("b"), b("2"));
      assertThat(power.valuesAfter("a", "b", "t1")).containsExactly("1", "2", NOT_FOUND);
    }
  }

  @Test
  void syncedWrite_afterAChangeThatBeganTheLog_survivesPowerLoss() {
    try (PowerLoss power = new PowerLoss()) {
      put("t1", "1");
      db.admin().flush();
      put("a", "1");
      power.holdFlushes();
      switchMemTable();
      deleteRange("t", "u", () -> {});
      db.put(WriteOptions.SYNC, b("b"), b("2"));
      assertThat(power.valuesAfter("a", "b", "t1")).containsExactly("1", "2", NOT_FOUND);
    }
  }

  @Test
  void numberOfAChange_isNotGivenToAWriteAfterAReopen() {
    open();
    put("t1", "1");
    put("u1", "1");
    db.admin().flush();
    deleteRange("t", "u", () -> {});
    long before;
    try (Snapshot snapshot = db.snapshot()) {
      before = snapshot.sequence();
    }
    assertThat(before).isEqualTo(3);
    assertThat(parts().versions().lastSequence()).isEqualTo(3);
    reopen();
    try (Snapshot snapshot = db.snapshot()) {
      assertThat(snapshot.sequence()).isEqualTo(before);
    }
    put("t1", "2");
    db.admin().flush();
    compact(null, null);
    assertThat(contents()).isEqualTo("(t1->2)(u1->1)");
  }

  // Rule 2: one edit.

  @Test
  void prepare_thatThrows_changesNothingAndLeavesNoFile() {
    open();
    put("a", "1");
    put("t1", "1");
    db.admin().flush();
    List<String> before = files(FileName.Kind.TABLE);
    IllegalMonitorStateException own = new IllegalMonitorStateException();
    assertThatThrownBy(
            () ->
                deleteRange(
                    "t",
                    "u",
                    () -> {
                      throw own;
                    }))
        .isSameAs(own);
    assertThat(files(FileName.Kind.TABLE)).isEqualTo(before);
    assertThat(installed).isZero();
    put("b", "2");
    assertThat(contents()).isEqualTo("(a->1)(b->2)(t1->1)");
    reopen();
    assertThat(contents()).isEqualTo("(a->1)(b->2)(t1->1)");
    deleteRange("t", "u", () -> {});
    assertThat(contents()).isEqualTo("(a->1)(b->2)");
  }

  static List<RuntimeException> shortages() {
    return List.of(new DBIOException("no space"), new OffHeapExhaustedException("no memory"));
  }

  @ParameterizedTest
  @MethodSource("shortages")
  void prepare_thatFailsForAShortage_saysThatItMayBeTriedAgain(RuntimeException shortage) {
    open();
    put("t1", "1");
    db.admin().flush();
    assertThatThrownBy(
            () ->
                deleteRange(
                    "t",
                    "u",
                    () -> {
                      throw shortage;
                    }))
        .isInstanceOf(shortage.getClass())
        .hasCause(shortage)
        .hasMessage("a range delete was not done and may be tried again: " + shortage.getMessage());
    deleteRange("t", "u", () -> {});
    assertThat(contents()).isEmpty();
  }

  @Test
  void change_thatIsNotNeeded_doesNothingAndSaysSo() {
    open();
    put("a", "1");
    db.admin().flush();
    assertThat(parts().changes().make(new Change("t", "u", () -> {}))).isFalse();
    assertThat(installed).isZero();
    assertThat(parts().versions().lastSequence()).isEqualTo(1);
    assertThat(contents()).isEqualTo("(a->1)");
  }

  /** It stays protected while it is written, but not longer. */
  @Test
  void tableOfAChange_thatWasCompactedAway_isDeleted() {
    open();
    put("a", "1");
    put("t1", "1");
    put("z", "1");
    db.admin().flush();
    deleteRange("t", "u", () -> {});
    assertThat(installed).isEqualTo(1);
    assertThat(files(FileName.Kind.TABLE)).as("with the one of the tombstone").hasSize(2);
    compact(null, null);
    await("the deletion of the two", () -> files(FileName.Kind.TABLE).size() == 1);
    assertThat(contents()).isEqualTo("(a->1)(z->1)");
  }

  @Test
  void manifest_thatFailsDuringAChange_endsWritingWithAnUnknownOutcome() {
    HookedEnv env = new HookedEnv(defaults().env());
    open(defaults().toBuilder().env(env).build());
    put("t1", "1");
    db.admin().flush();
    assertThatThrownBy(() -> deleteRange("t", "u", () -> env.manifestSyncFails = true))
        .isInstanceOf(OutcomeUnknownException.class)
        .hasMessageStartingWith("a range delete failed")
        .hasMessageContaining("unknown");
    assertThat(installed).isZero();
    assertThatThrownBy(() -> put("b", "2")).isInstanceOf(DBException.class);
    assertThat(get("t1")).isEqualTo("1");
    env.manifestSyncFails = false;
  }

  // Rule 3: views stay as they are.

  @Test
  void views_fromBeforeAndFromTheMiddleOfAChange_showTheStateBefore() {
    open();
    for (int i = 0; i < 100; i++) {
      put(key(i), "v" + i);
    }
    db.admin().flush();
    compact(null, null);
    Snapshot before = db.snapshot();
    AtomicReference<Snapshot> middle = new AtomicReference<>();
    DBIterator open = db.iterator();
    deleteRange(
        key(10),
        key(90),
        () -> {
          middle.set(db.snapshot());
          assertThat(get(key(50))).isEqualTo("v50");
        });
    Snapshot after = db.snapshot();
    compact(null, null);
    assertThat(get(key(50))).isEqualTo(NOT_FOUND);
    assertThat(get(key(50), after)).isEqualTo(NOT_FOUND);
    for (Snapshot each : List.of(before, middle.get())) {
      for (int i = 0; i < 100; i++) {
        assertThat(get(key(i), each)).isEqualTo("v" + i);
      }
      assertThat(count(db.iterator(ReadOptions.at(each)))).isEqualTo(100);
    }
    assertThat(count(open)).isEqualTo(100);
    assertThat(count(db.iterator(ReadOptions.at(after)))).isEqualTo(20);
    before.close();
    middle.get().close();
    after.close();
  }

  private static int count(DBIterator cursor) {
    int count = 0;
    try (cursor) {
      for (cursor.seekToFirst(); cursor.isValid(); cursor.next()) {
        count++;
      }
    }
    return count;
  }

  @Test
  void snapshot_acrossSeveralChanges_keepsTheFirstStateAndFreesItsTablesAtTheEnd() {
    open();
    put("a", "1");
    db.admin().flush();
    put("b", "1");
    db.admin().flush();
    Snapshot first = db.snapshot();
    deleteRange("a", "b", () -> {});
    put("b", "2");
    Snapshot second = db.snapshot();
    deleteRange("b", "c", () -> {});
    assertThat(get("a", first) + get("b", first)).isEqualTo("11");
    assertThat(get("b", second)).isEqualTo("2");
    assertThat(get("a", second)).isEqualTo(NOT_FOUND);
    assertThat(contents()).isEmpty();
    assertThat(files(FileName.Kind.TABLE)).hasSizeGreaterThan(1);
    first.close();
    second.close();
    await("the deletion of the tables", () -> files(FileName.Kind.TABLE).isEmpty());
  }

  @Test
  void close_withASnapshotThatKeepsAState_freesIt() {
    open();
    put("a", "1");
    db.admin().flush();
    Snapshot snapshot = db.snapshot();
    DBIterator cursor = db.iterator(ReadOptions.at(snapshot));
    deleteRange("a", "b", () -> {});
    DBIterator later = db.iterator(ReadOptions.at(snapshot));
    db.close();
    assertThatThrownBy(() -> get("a", snapshot)).isInstanceOf(DBClosedException.class);
    snapshot.close();
    cursor.close();
    later.close();
  }

  // Rule 4: the range is reserved.

  /** A merge of a table that is removed and one that stays would bring entries back. */
  @Test
  void compaction_thatBecomesDueDuringAChange_waitsForIt() {
    open(defaults().toBuilder().maxFileSize(1 << 20).build());
    db.admin().suspendCompactions();
    for (int table = 0; table < 8; table++) {
      put(key(table % 2 * 10), "a" + table);
      put(key(20), "b" + table);
      db.admin().flush();
    }
    String levels = filesPerLevel();
    deleteRange(
        key(0),
        key(15),
        () -> {
          db.admin().resumeCompactions();
          assertThat(parts().compactor().next()).isNull();
          assertThat(parts().compactor().isDue()).as("it is not running").isTrue();
          assertThat(filesPerLevel()).isEqualTo(levels);
        });
    await("the compaction", () -> filesAt(0) < 4);
    assertThat(contents()).isEqualTo("(key000020->b7)");
  }

  @Test
  void flush_duringAChange_staysInLevelZeroInItsRange() {
    open();
    put("t1", "1");
    put("t9", "1");
    db.admin().flush();
    compact(null, null);
    put("a", "2");
    put("z", "2");
    deleteRange(
        "t",
        "u",
        () -> {
          // What the leader does when the memtable is full.
          try {
            parts().memTables().makeRoom(0, 0, true);
          } catch (IOException e) {
            throw new AssertionError(e);
          }
          parts().memTables().awaitFlushes();
          assertThat(filesAt(0)).isEqualTo(1);
        });
    assertThat(contents()).isEqualTo("(a->2)(z->2)");
    assertThat(filesPerLevel()).isEqualTo("1");
  }

  /**
   * A compaction that runs when a change begins has taken tables of the range, and its edit will
   * name them. Meanwhile, a full level 0 must not stall a writer: it could not be compacted.
   */
  @Test
  void change_besideARunningCompaction_waitsForItAndStallsNoWriter() throws Exception {
    FaultEnv env = new FaultEnv(Env.inMemory());
    options = defaults().toBuilder().env(env).writeBufferSize(64 << 10).build();
    open(options);
    for (int round = 0; round < 2; round++) {
      for (int i = 0; i < 100; i++) {
        put(key(i), "r" + round);
      }
      db.admin().flush();
    }
    CountDownLatch reached = new CountDownLatch(1);
    CountDownLatch errors = new CountDownLatch(1);
    env.watch(
        operation -> {
          if (operation.kind() == FaultEnv.Kind.SYNC
              && operation.isOn(".ldb")
              && Thread.currentThread().getName().startsWith("kv-compact")) {
            reached.countDown();
            Latches.await(errors);
          }
        });
    CompletableFuture<Void> compaction = start(() -> compact(null, null));
    Latches.await(reached);
    CompletableFuture<Void> change = start(() -> deleteRange(key(10), key(50), () -> {}));
    await("the reservation", () -> isReserved(key(10)));
    for (int i = 0; i < 40; i++) {
      put(key(60), randomValue(new Random(i), 40_000));
    }
    await("a full level 0", () -> filesAt(0) > Levels.LEVEL_0_STOP_TRIGGER);
    assertThat(change).isNotDone();
    errors.countDown();
    join(change);
    join(compaction);
    assertThat(get(key(9))).isEqualTo("r1");
    assertThat(get(key(10))).isEqualTo(NOT_FOUND);
    assertThat(get(key(49))).isEqualTo(NOT_FOUND);
    assertThat(get(key(50))).isEqualTo("r1");
    compact(null, null);
    assertThat(get(key(49))).isEqualTo(NOT_FOUND);
  }

  /** It waits as the leader, and the change needs its place. */
  @Test
  void change_whileAWriterIsStalledByLevelZero_letsItGoOn() throws Exception {
    FaultEnv env = new FaultEnv(Env.inMemory());
    options = defaults().toBuilder().env(env).writeBufferSize(64 << 10).build();
    open(options);
    put("t1", "1");
    db.admin().flush();
    for (int round = 0; round < 2; round++) {
      put(key(1), "r" + round);
      db.admin().flush();
    }
    CountDownLatch compaction = new CountDownLatch(1);
    env.watch(
        operation -> {
          if (operation.kind() == FaultEnv.Kind.SYNC
              && operation.isOn(".ldb")
              && Thread.currentThread().getName().startsWith("kv-compact")) {
            Latches.await(compaction);
          }
        });
    CompletableFuture<Void> writes =
        start(
            () -> {
              while (db.admin().stats().writes().stalls().stops() == 0) {
                put(key(1), "v".repeat(40_000));
              }
            });
    await("the stall", () -> db.admin().stats().writes().stalls().stops() > 0);
    join(start(() -> deleteRange("t", "u", () -> {})));
    compaction.countDown();
    join(writes);
    assertThat(get("t1")).isEqualTo(NOT_FOUND);
    await("the compactions", () -> !parts().memTables().stallInputs().areCompactionsUrgent());
  }

  private boolean isReserved(String key) {
    parts().jobs().monitor().lock();
    try {
      return parts().jobs().running().isReserved(new KeyRange(b(key), b(key)));
    } finally {
      parts().jobs().monitor().unlock();
    }
  }

  @Test
  void changes_ofOverlappingRanges_happenOneAfterTheOther() throws Exception {
    open();
    put("a", "1");
    put("t", "1");
    put("z", "1");
    db.admin().flush();
    AtomicReference<CompletableFuture<Void>> second = new AtomicReference<>();
    deleteRange(
        "s",
        "u",
        () -> {
          second.set(start(() -> deleteRange("a", "t", () -> {})));
          await("the second reservation", () -> isReserved("a"));
          assertThat(second.get()).isNotDone();
        });
    join(second.get());
    assertThat(contents()).isEqualTo("(z->1)");
  }

  /** A table that lies above the tables of a change must hold only newer entries of the range. */
  @ParameterizedTest
  @ValueSource(booleans = {false, true})
  void unflushedEntries_ofTheRange_areDeletedForGood(boolean immutable) throws Exception {
    open();
    put("t1", "old");
    put("u1", "old");
    db.admin().flush();
    put("t1", "new");
    put("u1", "new");
    if (immutable) {
      switchMemTable();
    }
    deleteRange("t", "u", () -> {});
    assertThat(contents()).isEqualTo("(u1->new)");
    assertThat(get("t1")).isEqualTo(NOT_FOUND);
    db.admin().flush();
    assertThat(get("t1")).isEqualTo(NOT_FOUND);
    compact(null, null);
    assertThat(contents()).isEqualTo("(u1->new)");
    assertThat(allEntriesFor("t1")).isEqualTo("[ ]");
  }

  /** Other threads go on writing, also to the range. */
  @Test
  void writeToTheRange_duringTheFirstFlushOfAChange_isDeletedToo() {
    FaultEnv env = new FaultEnv(Env.inMemory());
    options = defaults().toBuilder().env(env).build();
    open(options);
    put("t1", "old");
    AtomicBoolean wrote = new AtomicBoolean();
    env.watch(
        operation -> {
          if (operation.kind() == FaultEnv.Kind.SYNC
              && operation.isOn(".ldb")
              && wrote.compareAndSet(false, true)) {
            try {
              start(() -> put("t2", "new")).get(60, TimeUnit.SECONDS);
            } catch (InterruptedException | ExecutionException | TimeoutException e) {
              throw new AssertionError(e);
            }
          }
        });
    deleteRange("t", "u", () -> {});
    assertThat(wrote).isTrue();
    assertThat(contents()).isEmpty();
    db.admin().flush();
    compact(null, null);
    assertThat(contents()).isEmpty();
  }

  /** A write between the two flushes of a change is flushed as well. */
  @Test
  void writesToTheRange_duringAChange_areBeforeOrAfterIt() throws Exception {
    open();
    put("t0", "0");
    db.admin().flush();
    AtomicReference<CompletableFuture<Void>> writer = new AtomicReference<>();
    deleteRange(
        "t",
        "u",
        () -> {
          writer.set(start(() -> put("t1", "later")));
          assertThat(get("t1")).isEqualTo(NOT_FOUND);
        });
    join(writer.get());
    assertThat(contents()).isEqualTo("(t1->later)");
    db.admin().flush();
    compact(null, null);
    assertThat(contents()).isEqualTo("(t1->later)");
  }

  @Test
  void close_duringAChange_letsItEndFirst() throws Exception {
    open();
    put("t1", "1");
    db.admin().flush();
    AtomicReference<CompletableFuture<Void>> closing = new AtomicReference<>();
    deleteRange(
        "t",
        "u",
        () -> {
          closing.set(start(db::close));
          await("the close", () -> isClosed(db));
        });
    join(closing.get());
    open();
    assertThat(contents()).isEmpty();
  }

  @Test
  void close_whileAChangeWaitsForAnother_endsIt() throws Exception {
    open();
    DB closed = db;
    put("t1", "1");
    db.admin().flush();
    AtomicReference<CompletableFuture<Void>> second = new AtomicReference<>();
    deleteRange(
        "t",
        "u",
        () -> {
          second.set(start(() -> deleteRange("s", "u", () -> {})));
          await("the wait", () -> isReserved("s"));
          start(closed::close);
          await("the close", () -> isClosed(closed));
        });
    assertThatThrownBy(() -> second.get().get(60, TimeUnit.SECONDS))
        .hasCauseInstanceOf(DBClosedException.class);
  }
}
