package dev.kv.core.compaction;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.kv.DBIterator;
import dev.kv.Options;
import dev.kv.Snapshot;
import dev.kv.core.Call;
import dev.kv.core.db.DbTestBase;
import dev.kv.core.env.FileName;
import dev.kv.core.env.Uninterrupted;
import dev.kv.core.version.FileMetadata;
import dev.kv.core.version.Version;
import dev.kv.env.Env;
import dev.kv.env.ForwardingEnv;
import dev.kv.env.ForwardingRandomAccessFile;
import dev.kv.env.RandomAccessFile;
import dev.kv.env.WritableFile;
import dev.kv.options.CompressionType;
import dev.kv.testing.FaultEnv;
import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Random;
import java.util.TreeMap;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Flushes and compactions: what they drop, what they keep, and the shape that they leave. */
class CompactionTest extends DbTestBase {
  private static final long LONG_RUN_SEED = 155;

  private static Options writeBuffer(int bytes) {
    return defaults().toBuilder().writeBufferSize(bytes).build();
  }

  @Test
  void put_moreThanTheWriteBuffer_isFlushedInTheBackground() {
    open(writeBuffer(64 << 10));
    int before = totalFiles();
    for (int i = 0; i < 500; i++) {
      put(key(i), key(i) + "v".repeat(1000));
    }
    assertThat(totalFiles()).isGreaterThan(before);
    for (int round = 0; round < 2; round++) {
      for (int i = 0; i < 500; i++) {
        assertThat(get(key(i))).isEqualTo(key(i) + "v".repeat(1000));
      }
      reopen();
    }
  }

  @Test
  void compact_muchData_makesSeveralTables() {
    open(
        defaults().toBuilder()
            .writeBufferSize(100_000_000)
            .compression(CompressionType.NONE)
            .build());
    Random random = new Random(301);
    String[] values = new String[80];
    for (int i = 0; i < values.length; i++) {
      values[i] = randomValue(random, 100_000);
      put(key(i), values[i]);
    }
    reopen(options);
    compactLevel(0, null, null);
    assertThat(filesAt(0)).isZero();
    assertThat(filesAt(1)).isGreaterThan(1);
    for (int i = 0; i < values.length; i++) {
      assertThat(get(key(i))).isEqualTo(values[i]);
    }
  }

  @Test
  void compact_withAnEnvThatReturnsNullForATable_failsAndKeepsItsInputs() {
    AtomicBoolean broken = new AtomicBoolean();
    Env env =
        new ForwardingEnv(Env.inMemory()) {
          @Override
          @SuppressWarnings("NullAway") // against the contract
          public WritableFile createWritable(Path file) throws IOException {
            return broken.get() && file.toString().endsWith(".ldb")
                ? null
                : super.createWritable(file);
          }
        };
    open(defaults().toBuilder().env(env).build());
    put("a", "1");
    db.admin().flush();
    broken.set(true);
    put("b", "2");
    assertThatThrownBy(() -> db.admin().flush()).hasRootCauseInstanceOf(NullPointerException.class);
    broken.set(false);
    db.admin().resume();
    broken.set(true);
    assertThatThrownBy(() -> db.admin().compactRange(null, null))
        .hasRootCauseInstanceOf(NullPointerException.class);
    assertThat(get("a") + get("b")).isEqualTo("12");
    broken.set(false);
    reopen(options);
    assertThat(get("a") + get("b")).isEqualTo("12");
  }

  @Test
  void put_oneKeyOverAndOver_keepsTheNumberOfTablesSmall() {
    open(writeBuffer(100_000));
    int most = totalFiles() + 12 + 1; // where level 0 stops writers, a second memtable may wait
    Random random = new Random(301);
    String value = randomValue(random, 2 * 100_000);
    for (int i = 0; i < 5 * 12; i++) {
      put("key", value);
      assertThat(totalFiles()).isLessThanOrEqualTo(most + 2);
    }
  }

  @Test
  void compact_sparseUpdate_doesNotDragMuchOfTheNextLevelAlong() {
    open(defaults().toBuilder().compression(CompressionType.NONE).build());
    fillLevels("A", "Z");
    String value = "x".repeat(1000);
    put("A", "va");
    for (int i = 0; i < 20_000; i++) {
      put(String.format(Locale.ROOT, "B%010d", i), value);
    }
    put("C", "vc");
    db.admin().flush();
    compactLevel(0, null, null);
    put("A", "va2");
    put("B100", "bvalue2");
    put("C", "vc2");
    db.admin().flush();
    assertThat(mostOverlap()).isLessThanOrEqualTo(20 << 20);
    compactLevel(0, null, null);
    assertThat(mostOverlap()).isLessThanOrEqualTo(20 << 20);
    compactLevel(1, null, null);
    assertThat(mostOverlap()).isLessThanOrEqualTo(20 << 20);
  }

  /** Returns the most bytes of the next level that a table overlaps. */
  private long mostOverlap() {
    long most = 0;
    Version version = parts().versions().current();
    for (int level = 1; level < 6; level++) {
      for (FileMetadata file : version.files(level)) {
        List<FileMetadata> overlapping = version.overlapping(level + 1, file.userKeys());
        most = Math.max(most, Version.totalSize(overlapping));
      }
    }
    return most;
  }

  @Test
  void compact_hiddenValue_isRemovedOnceNoSnapshotSeesIt() {
    open();
    fillLevels("a", "z");
    String big = randomValue(new Random(301), 50_000);
    put("foo", big);
    put("pastfoo", "v");
    Snapshot snapshot = db.snapshot();
    put("foo", "tiny");
    put("pastfoo2", "v2");
    db.admin().flush();
    assertThat(filesAt(0)).isGreaterThan(0);
    assertThat(get("foo", snapshot)).isEqualTo(big);
    assertThat(size("", "pastfoo")).isBetween(50_000L, 60_000L);
    snapshot.close();
    assertThat(allEntriesFor("foo")).isEqualTo("[ tiny, " + big + " ]");
    compactLevel(0, null, "x");
    assertThat(allEntriesFor("foo")).isEqualTo("[ tiny ]");
    assertThat(filesAt(0)).isZero();
    assertThat(filesAt(1)).isGreaterThanOrEqualTo(1);
    compactLevel(1, null, "x");
    assertThat(allEntriesFor("foo")).isEqualTo("[ tiny ]");
    assertThat(size("", "pastfoo")).isBetween(0L, 1000L);
  }

  @Test
  void compact_tombstone_staysWhileADeeperLevelMayHoldTheKey() {
    open();
    put("foo", "v1");
    db.admin().flush();
    assertThat(filesAt(DEEPEST_FLUSH)).isEqualTo(1);
    put("a", "begin");
    put("z", "end");
    db.admin().flush();
    assertThat(filesAt(DEEPEST_FLUSH)).isEqualTo(1);
    assertThat(filesAt(DEEPEST_FLUSH - 1)).isEqualTo(1);
    delete("foo");
    put("foo", "v2");
    assertThat(allEntriesFor("foo")).isEqualTo("[ v2, DEL, v1 ]");
    db.admin().flush();
    assertThat(allEntriesFor("foo")).isEqualTo("[ v2, DEL, v1 ]");
    compactLevel(DEEPEST_FLUSH - 2, null, "z");
    // The tombstone is gone, v1 is one level deeper.
    assertThat(allEntriesFor("foo")).isEqualTo("[ v2, v1 ]");
    compactLevel(DEEPEST_FLUSH - 1, null, null);
    assertThat(allEntriesFor("foo")).isEqualTo("[ v2 ]");
  }

  @Test
  void compact_lastTombstone_goesOnlyAtTheDeepestLevel() {
    open();
    put("foo", "v1");
    db.admin().flush();
    put("a", "begin");
    put("z", "end");
    db.admin().flush();
    delete("foo");
    assertThat(allEntriesFor("foo")).isEqualTo("[ DEL, v1 ]");
    db.admin().flush();
    assertThat(allEntriesFor("foo")).isEqualTo("[ DEL, v1 ]");
    compactLevel(DEEPEST_FLUSH - 2, null, null);
    // v1 lies below and would come back.
    assertThat(allEntriesFor("foo")).isEqualTo("[ DEL, v1 ]");
    compactLevel(DEEPEST_FLUSH - 1, null, null);
    assertThat(allEntriesFor("foo")).isEqualTo("[ ]");
  }

  @ParameterizedTest
  @ValueSource(booleans = {false, true})
  void flush_overlappingLevelZero_isNotPlacedBelowIt(boolean reuse) {
    open(defaults().toBuilder().reuseLogs(reuse).build());
    put("100", "v100");
    put("999", "v999");
    db.admin().flush();
    delete("100");
    delete("999");
    db.admin().flush();
    assertThat(filesPerLevel()).isEqualTo("0,1,1");
    put("300", "v300");
    put("500", "v500");
    db.admin().flush();
    put("200", "v200");
    put("600", "v600");
    put("900", "v900");
    db.admin().flush();
    assertThat(filesPerLevel()).isEqualTo("2,1,1");
    compactLevel(1, null, null);
    compactLevel(2, null, null);
    assertThat(filesPerLevel()).isEqualTo("2");
    delete("600");
    db.admin().flush();
    assertThat(filesPerLevel()).isEqualTo("3");
    assertThat(get("600")).isEqualTo(NOT_FOUND);
  }

  @Test
  void levelZero_tombstonesOverReopens_nothingComesBack() {
    open();
    reopen();
    put("b", "v");
    reopen();
    delete("b");
    delete("e");
    reopen();
    delete("a");
    reopen();
    put("a", "v");
    reopen();
    reopen();
    assertThat(contents()).isEqualTo("(a->v)");
    db.admin().suspendCompactions();
    db.admin().resumeCompactions();
    compact(null, null);
    assertThat(contents()).isEqualTo("(a->v)");
  }

  @Test
  void levelZero_emptyKeyAndTombstonesOverReopens_nothingComesBack() {
    open();
    put("", "");
    reopen();
    delete("e");
    put("", "");
    reopen();
    put("c", "cv");
    reopen();
    assertThat(contents()).isEqualTo("(->)(c->cv)");
    put("", "");
    reopen();
    put("", "");
    db.admin().flush();
    reopen();
    put("d", "dv");
    reopen();
    put("", "");
    reopen();
    delete("d");
    delete("b");
    reopen();
    compact(null, null);
    assertThat(contents()).isEqualTo("(->)(c->cv)");
  }

  @Test
  void compactRange_givenRanges_touchesOnlyThose() {
    open();
    makeTables(3, "p", "q");
    assertThat(filesPerLevel()).isEqualTo("1,1,1");
    compact("", "c");
    assertThat(filesPerLevel()).isEqualTo("1,1,1");
    compact("r", "z");
    assertThat(filesPerLevel()).isEqualTo("1,1,1");
    compact("p1", "p9");
    assertThat(filesPerLevel()).isEqualTo("0,0,1");
    makeTables(3, "c", "e");
    assertThat(filesPerLevel()).isEqualTo("1,1,2");
    compact("b", "f");
    assertThat(filesPerLevel()).isEqualTo("0,0,2");
    makeTables(1, "a", "z");
    assertThat(filesPerLevel()).isEqualTo("0,1,2");
    compact(null, null);
    assertThat(filesPerLevel()).isEqualTo("0,0,1");
  }

  @Test
  void compactRange_thatEndsBeforeItBegins_isRefusedAndChangesNothing() {
    open();
    makeTables(3, "p", "q");
    assertThatThrownBy(() -> compact("q", "p"))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("the range ends before it begins");
    assertThat(filesPerLevel()).isEqualTo("1,1,1");
  }

  @Test
  void compactRange_tableThatBeginsWithTheEnd_isCompacted() {
    open();
    makeTables(3, "p", "q");
    compact("a", "p");
    assertThat(filesPerLevel()).isEqualTo("0,0,1");
  }

  @Test
  void compactRange_tombstonesInTheDeepestLevelAlone_areGone() {
    open();
    for (int i = 0; i < 100; i++) {
      put(key(i), "v".repeat(100));
    }
    try (Snapshot snapshot = db.snapshot()) {
      for (int i = 0; i < 100; i++) {
        delete(key(i));
      }
      compact(null, null);
      assertThat(get(key(0), snapshot)).isEqualTo("v".repeat(100));
    }
    assertThat(allEntriesFor(key(0))).startsWith("[ DEL, v");
    compact(null, null);
    assertThat(allEntriesFor(key(0))).isEqualTo("[ ]");
    assertThat(totalFiles()).isZero();
  }

  @Test
  void compactRange_afterManyWrites_leavesNothingToDo() {
    open(writeBuffer(64 << 10));
    for (int i = 0; i < 20_000; i++) {
      put(key(i % 5000), "v" + i);
    }
    compact(null, null);
    assertThat(filesAt(0)).isZero();
    int levels = 0;
    for (int level = 1; level < 7; level++) {
      levels += filesAt(level) > 0 ? 1 : 0;
    }
    assertThat(levels).isEqualTo(1);
    for (int i = 0; i < 5000; i += 500) {
      assertThat(allEntriesFor(key(i))).isEqualTo("[ v" + (15_000 + i) + " ]");
    }
  }

  @Test
  void compact_obsoleteFiles_areDeleted() {
    open();
    for (int i = 0; i < 11; i++) {
      put("foo", "v2");
      compact("a", "z");
    }
    await("tables deleted", () -> files(FileName.Kind.TABLE).size() == 1);
    await("logs deleted", () -> files(FileName.Kind.LOG).size() <= 2);
    assertThat(files(FileName.Kind.MANIFEST)).hasSize(1);
  }

  @Test
  void compact_tablesThatAnIteratorHolds_goWithTheIterator() {
    open();
    put("foo", "v1");
    db.admin().flush();
    String table = files(FileName.Kind.TABLE).get(0);
    try (DBIterator cursor = db.iterator()) {
      put("foo", "v2");
      compact(null, null);
      assertThat(files(FileName.Kind.TABLE)).contains(table);
      cursor.seekToFirst();
      assertThat(at(cursor)).isEqualTo("foo->v1");
    }
    await("the table deleted", () -> !files(FileName.Kind.TABLE).contains(table));
  }

  /** Reads beside deletions make compactions that shrink the database by themselves. */
  @ParameterizedTest
  @ValueSource(booleans = {false, true})
  void reads_beforeOrInDeletedKeys_compactThem(boolean all) {
    open(
        defaults().toBuilder()
            .compression(CompressionType.NONE)
            .writeBufferSize(1 << 20)
            .maxFileSize(1 << 20)
            .build());
    int count = all ? 800 : 3000;
    String value = "x".repeat(1 << 10).repeat(8);
    for (int i = 0; i < count; i++) {
      put(key(i), value);
    }
    db.admin().flush();
    for (int i = 0; i < count; i++) {
      delete(key(i));
    }
    db.admin().flush();
    int end = all ? count : count / 2;
    long before = size(key(0), key(end));
    long rest = size(key(end), key(count));
    await(
        "the compaction by reading",
        () -> {
          try (DBIterator cursor = db.iterator()) {
            for (cursor.seekToFirst();
                cursor.isValid() && s(cursor.key()).compareTo(key(end)) < 0;
                cursor.next()) {
              continue;
            }
          }
          return size(key(0), key(end)) <= before / 10;
        });
    if (!all) {
      assertThat(size(key(end), key(count))).isBetween(rest / 5 - (1 << 20), rest);
    }
  }

  @Test
  void suspendCompactions_whileWriting_runsNoneAndStallsNobody() {
    open(writeBuffer(64 << 10));
    db.admin().suspendCompactions();
    db.admin().suspendCompactions();
    String value = "v".repeat(1000);
    for (int i = 0; i < 1500; i++) {
      put(key(i * 7919 % 1500), value);
    }
    db.admin().flush();
    int files = filesAt(0);
    assertThat(files).isGreaterThan(12);
    db.admin().resumeCompactions();
    assertThat(filesAt(0)).isEqualTo(files);
    db.admin().resumeCompactions();
    await("the compaction of level 0", () -> filesAt(0) < 4);
    for (int i = 0; i < 1500; i++) {
      assertThat(get(key(i))).isEqualTo(value);
    }
  }

  /** A write that level 0 has stopped goes on, although a compaction elsewhere still runs. */
  @Test
  void suspendCompactions_whileAWriteIsStopped_letsItGoOn() throws Exception {
    CountDownLatch held = new CountDownLatch(1);
    CountDownLatch reached = new CountDownLatch(1);
    FaultEnv env = new FaultEnv(Env.fileSystem());
    open(
        defaults().toBuilder()
            .env(env)
            .writeBufferSize(64 << 10)
            .compaction(c -> c.maxBackground(1))
            .build());
    put("a", "1");
    put("z", "1");
    db.admin().flush();
    put("m", "1");
    db.admin().flush();
    env.watch(
        operation -> {
          if (operation.kind() == FaultEnv.Kind.CREATE
              && Thread.currentThread().getName().startsWith("kv-compact")) {
            reached.countDown();
            Uninterrupted.await(held::await);
          }
        });
    ExecutorService threads = Executors.newFixedThreadPool(3);
    try {
      Future<?> manual = threads.submit(() -> compact("a", "z"));
      reached.await();
      AtomicReference<Thread> writing = new AtomicReference<>();
      Future<?> writer =
          threads.submit(
              () -> {
                writing.set(Thread.currentThread());
                for (int i = 0; i < 2000; i++) {
                  put("b" + key(i % 100), "v".repeat(1000));
                }
              });
      await(
          "a stop for level 0 alone",
          () ->
              filesAt(0) >= 12
                  && !parts().jobs().memTables().isFlushPending()
                  && Call.isParked(writing.get()));
      Future<?> suspension = threads.submit(() -> db.admin().suspendCompactions());
      writer.get();
      assertThat(suspension.isDone()).isFalse();
      held.countDown();
      suspension.get();
      db.admin().resumeCompactions();
      manual.get();
    } finally {
      held.countDown();
      threads.shutdownNow();
    }
  }

  /** As many entries as take two levels, in no order, over a small number of prefixes. */
  @Test
  void put_longRandomRun_makesTablesInSeveralLevelsThatHoldEverything() {
    open(
        defaults().toBuilder()
            .writeBufferSize(256 << 10)
            .maxFileSize(1 << 20)
            .compression(CompressionType.NONE)
            .build());
    Random random = new Random(LONG_RUN_SEED);
    TreeMap<String, String> model = new TreeMap<>();
    for (int i = 0; i < 100_000; i++) {
      String key = randomValue(random, random.nextInt(5)) + random.nextInt(100_000);
      String value = randomValue(random, random.nextInt(300));
      put(key, value);
      model.put(key, value);
    }
    db.admin().flush();
    await("compactions to be done", () -> filesAt(0) < 4);
    int levels = 0;
    for (int level = 0; level < 7; level++) {
      levels += filesAt(level) > 0 ? 1 : 0;
    }
    assertThat(levels)
        .as("levels in use, %s, seed %d", filesPerLevel(), LONG_RUN_SEED)
        .isGreaterThan(1);
    try (DBIterator cursor = db.iterator()) {
      cursor.seekToFirst();
      for (Map.Entry<String, String> entry : model.entrySet()) {
        assertThat(at(cursor)).isEqualTo(entry.getKey() + "->" + entry.getValue());
        cursor.next();
      }
      assertThat(cursor.isValid()).isFalse();
      cursor.seekToLast();
      for (Map.Entry<String, String> entry : model.descendingMap().entrySet()) {
        assertThat(at(cursor)).isEqualTo(entry.getKey() + "->" + entry.getValue());
        cursor.prev();
      }
      assertThat(cursor.isValid()).isFalse();
      for (int i = 0; i < 2000; i++) {
        String target = randomValue(random, random.nextInt(5)) + random.nextInt(100_000);
        cursor.seek(b(target));
        Map.Entry<String, String> entry = model.ceilingEntry(target);
        assertThat(at(cursor))
            .isEqualTo(entry == null ? "(invalid)" : entry.getKey() + "->" + entry.getValue());
      }
    }
  }

  /** Closing a file that is not needed any more loses nothing, whatever an Env throws. */
  @Test
  void compactRange_whoseInputsFailToClose_isDoneAndWritesGoOn() {
    AtomicBoolean failing = new AtomicBoolean();
    Env env =
        new ForwardingEnv(Env.inMemory()) {
          @Override
          public RandomAccessFile openRandomAccess(Path file, boolean map) throws IOException {
            return new ForwardingRandomAccessFile(super.openRandomAccess(file, map)) {
              @Override
              public void close() throws IOException {
                super.close();
                if (failing.get()) {
                  throw new IllegalStateException("of an Env");
                }
              }
            };
          }
        };
    open(options.toBuilder().env(env).build());
    for (String value : List.of("1", "2")) {
      put("a", value);
      put("b", value);
      db.admin().flush();
    }
    failing.set(true);
    db.admin().compactRange(null, null);
    put("c", "3");
    failing.set(false);
    assertThat(contents()).isEqualTo("(a->2)(b->2)(c->3)");
    assertThat(totalFiles()).isEqualTo(1);
  }
}
