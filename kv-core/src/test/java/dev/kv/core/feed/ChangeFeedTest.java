package dev.kv.core.feed;

import static java.util.Objects.requireNonNull;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.kv.DB;
import dev.kv.DBIterator;
import dev.kv.Options;
import dev.kv.WriteBatch;
import dev.kv.WriteOptions;
import dev.kv.bytes.Slice;
import dev.kv.change.ChangeGroup;
import dev.kv.change.ChangeOptions;
import dev.kv.change.ChangePosition;
import dev.kv.change.Changes;
import dev.kv.change.OperationHandler;
import dev.kv.core.Children;
import dev.kv.core.Latches;
import dev.kv.core.LoadsLeveldbjni;
import dev.kv.core.db.DbTestBase;
import dev.kv.core.env.FileName;
import dev.kv.env.Env;
import dev.kv.env.ForwardingEnv;
import dev.kv.env.ForwardingSequentialFile;
import dev.kv.env.SequentialFile;
import dev.kv.env.WritableFile;
import dev.kv.errors.ChangesLostException;
import dev.kv.errors.DBClosedException;
import dev.kv.errors.DBIOException;
import dev.kv.errors.OperationTooLargeException;
import dev.kv.options.CompactionFilter;
import dev.kv.options.LogRetention;
import dev.kv.options.RecoveryMode;
import dev.kv.options.TableSuffix;
import dev.kv.testing.FaultEnv;
import java.io.IOException;
import java.io.RandomAccessFile;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.SplittableRandom;
import java.util.TreeMap;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicReference;
import java.util.stream.LongStream;
import org.fusesource.leveldbjni.JniDBFactory;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * Tests the change feed: what is delivered, when, and when a reader is told that changes are lost.
 */
@Tag("one-jdk")
class ChangeFeedTest extends DbTestBase {
  private static final LogRetention ALL = LogRetention.ofBytes(1L << 40);

  @BeforeEach
  void openWithRetention() {
    open(with(ALL));
  }

  private static Options with(LogRetention retention) {
    return defaults().toBuilder().writeBufferSize(64 << 10).logRetention(retention).build();
  }

  private void sync() {
    db.write(WriteOptions.SYNC, batch());
  }

  private static String text(ChangeGroup group) {
    StringBuilder text = new StringBuilder();
    group.iterate(
        new OperationHandler() {
          @Override
          public void put(Slice key, Slice value) {
            text.append(s(key.toByteArray()))
                .append('=')
                .append(s(value.toByteArray()))
                .append(' ');
          }

          @Override
          public void delete(Slice key) {
            text.append('-').append(s(key.toByteArray())).append(' ');
          }
        });
    return text.toString().strip();
  }

  private static List<String> rest(Changes changes) {
    List<String> groups = new ArrayList<>();
    for (ChangeGroup group = changes.poll(); group != null; group = changes.poll()) {
      groups.add(text(group));
    }
    return groups;
  }

  private List<String> changesAfter(ChangePosition position) {
    try (Changes changes = db.changes().open(position)) {
      return rest(changes);
    }
  }

  /** Writes groups until the memtable has been flushed several times. */
  private void fill(int memtables) {
    for (int i = 0; i < memtables; i++) {
      for (int j = 0; j < 8; j++) {
        put("fill" + i + "." + j, "v".repeat(10_000));
      }
      db.admin().flush();
    }
  }

  @Test
  void poll_afterWrites_deliversEachGroupOnceInOrder() {
    ChangePosition begin = db.changes().position();
    put("a", "1");
    db.write(batch().put(b("b"), b("2")).delete(b("a")).put(b("b"), b("3")));
    delete("c");
    sync();
    try (Changes changes = db.changes().open(begin)) {
      assertThat(changes.position()).isEqualTo(begin);
      ChangeGroup first = changes.poll();
      assertThat(first).isNotNull();
      assertThat(text(first)).isEqualTo("a=1");
      assertThat(first.position()).isEqualTo(begin.withSequence(begin.sequence() + 1));
      assertThat(changes.position()).isEqualTo(first.position());
      assertThat(rest(changes)).containsExactly("b=2 -a b=3", "-c");
      assertThat(changes.poll()).isNull();
      put("d", "4");
      sync();
      assertThat(rest(changes)).containsExactly("d=4");
      assertThat(changes.position()).isEqualTo(db.changes().position());
    }
  }

  @Test
  void poll_ofUnsyncedWrites_deliversThemWhenTheyAreDurable() {
    ChangePosition begin = db.changes().position();
    try (Changes durable = db.changes().open(begin);
        Changes all = db.changes().open(ChangeOptions.UNSYNCED, begin)) {
      put("a", "1");
      assertThat(durable.poll()).isNull();
      assertThat(rest(all)).containsExactly("a=1");
      assertThat(db.changes().position()).isEqualTo(begin);
      db.put(WriteOptions.SYNC, b("b"), b("2"));
      assertThat(rest(durable)).containsExactly("a=1", "b=2");
      put("c", "3");
      assertThat(durable.poll()).isNull();
      db.admin().flush();
      assertThat(rest(durable)).containsExactly("c=3");
      assertThat(rest(all)).containsExactly("b=2", "c=3");
    }
  }

  @Test
  void changes_afterFlushesCompactionsAndOpens_areComplete() {
    ChangePosition begin = db.changes().position();
    List<String> expected = new ArrayList<>();
    for (int round = 0; round < 4; round++) {
      for (int i = 0; i < 20; i++) {
        put("k" + i, round + "v".repeat(5000));
        expected.add("k" + i + "=" + round + "v".repeat(5000));
      }
      if (round % 2 == 0) {
        db.admin().compactRange(null, null);
      }
      reopen();
    }
    assertThat(changesAfter(begin)).isEqualTo(expected);
    assertThat(db.changes().oldestPosition().sequence()).isEqualTo(begin.sequence());
  }

  @Test
  void position_fromAnEarlierOpen_continues() {
    put("a", "1");
    sync();
    ChangePosition first = db.changes().position();
    reopen();
    ChangePosition idle = db.changes().position();
    assertThat(idle.incarnation()).isNotEqualTo(first.incarnation());
    reopen();
    put("b", "2");
    sync();
    assertThat(changesAfter(first)).containsExactly("b=2");
    assertThat(changesAfter(idle)).containsExactly("b=2");
    assertThat(changesAfter(ChangePosition.parse(first.toString()))).containsExactly("b=2");
    assertThat(changesAfter(ChangePosition.ofBytes(first.toByteArray()))).containsExactly("b=2");
  }

  @Test
  void changes_afterTheRetentionHasDeletedTheirLog_throw() {
    reopen(with(LogRetention.ofBytes(100_000)));
    ChangePosition begin = db.changes().position();
    Changes slow = db.changes().open(begin);
    fill(1);
    ChangePosition near = db.changes().position();
    fill(4);
    assertThatThrownBy(() -> db.changes().open(begin)).isInstanceOf(ChangesLostException.class);
    assertThatThrownBy(slow::poll)
        .isInstanceOf(ChangesLostException.class)
        .hasMessageContaining(begin.toString())
        .hasMessageContaining("Begin again");
    assertThatThrownBy(slow::poll).isInstanceOf(ChangesLostException.class);
    assertThatThrownBy(() -> db.changes().open(near)).isInstanceOf(ChangesLostException.class);
    db.admin().waitForCompactions();
    ChangePosition oldest = db.changes().oldestPosition();
    assertThat(changesAfter(oldest)).hasSize(8);
    // Kept, live, prepared for the next memtable, and obsolete but not yet deleted.
    assertThat(files(FileName.Kind.LOG)).hasSizeLessThanOrEqualTo(4);
    slow.close();
  }

  @Test
  void waitForCompactions_afterAFlush_appliesTheRetentionToItsLog() {
    Env env =
        new ForwardingEnv(Env.fileSystem()) {
          @Override
          public List<String> list(Path listed) throws IOException {
            if (Thread.currentThread().getName().startsWith("kv-")) {
              throw new IOException("background threads cannot list the directory");
            }
            return super.list(listed);
          }
        };
    reopen(with(LogRetention.ofBytes(100_000)).toBuilder().env(env).build());
    ChangePosition begin = db.changes().position();
    fill(5);
    assertThat(changesAfter(begin)).as("nothing was deleted yet").hasSize(40);
    db.admin().waitForCompactions();
    assertThat(changesAfter(db.changes().oldestPosition())).hasSize(8);
  }

  @Test
  void reader_whoseLogIsDeletedAfterItsEnd_continues() {
    reopen(with(LogRetention.ofBytes(0)));
    try (Changes changes = db.changes().open(db.changes().position())) {
      for (int i = 0; i < 20; i++) {
        put("a" + i, "1");
        sync();
        assertThat(rest(changes)).containsExactly("a" + i + "=1");
        db.admin().flush();
      }
    }
    assertThat(files(FileName.Kind.LOG).size()).isLessThan(20);
  }

  @Test
  void logs_withoutRetention_areDeletedAndTheHistoryEnds() {
    put("a", "1");
    sync();
    ChangePosition before = db.changes().position();
    fill(2);
    assertThat(files(FileName.Kind.LOG).size()).isGreaterThan(2);
    reopen(with(ALL).toBuilder().logRetention(null).build());
    assertThat(files(FileName.Kind.CHANGES)).isEmpty();
    put("b", "1");
    db.admin().flush();
    assertThat(files(FileName.Kind.LOG).size()).isLessThanOrEqualTo(2);
    assertThatThrownBy(() -> db.changes().open(before)).isInstanceOf(IllegalStateException.class);
    assertThatThrownBy(() -> db.changes().position()).hasMessageContaining("logRetention");
    reopen(with(ALL));
    assertThatThrownBy(() -> db.changes().open(before))
        .isInstanceOf(ChangesLostException.class)
        .hasMessageContaining("another history");
  }

  @Test
  void open_withoutRetentionThatFails_leavesTheHistory() {
    put("a", "1");
    sync();
    ChangePosition before = db.changes().position();
    put("b", "2");
    sync();
    close();
    FaultEnv full = new FaultEnv(Env.fileSystem());
    full.fail(FaultEnv.Fault.ERROR, Long.MAX_VALUE, each -> each.kind() == FaultEnv.Kind.CREATE);
    Options without = with(ALL).toBuilder().logRetention(null).env(full).build();
    assertThatThrownBy(() -> DB.open(directory, without)).isInstanceOf(DBIOException.class);
    open(with(ALL));
    assertThat(changesAfter(before)).containsExactly("b=2");
  }

  @Test
  void position_afterARepair_isRefused() {
    put("a", "1");
    sync();
    ChangePosition before = db.changes().position();
    close();
    DB.repair(directory, options);
    open();
    assertThat(get("a")).isEqualTo("1");
    assertThatThrownBy(() -> db.changes().open(before)).isInstanceOf(ChangesLostException.class);
  }

  @Test
  void position_inARestoredCopy_isRefusedIfTheCopyIsAnotherHistory() {
    put("a", "1");
    db.admin().checkpoint(temp.resolve("copy"));
    put("b", "2");
    sync();
    ChangePosition position = db.changes().position();
    DB copy = openOther(temp.resolve("copy"), options);
    copy.put(b("x"), b("y"));
    copy.put(b("x"), b("z"));
    assertThatThrownBy(() -> copy.changes().open(position))
        .isInstanceOf(ChangesLostException.class);
  }

  @Test
  void checkpoint_withItsPosition_isTheBeginningOfAFollower() {
    put("a", "1");
    put("b", "2");
    ChangePosition position =
        db.changes().position().withSequence(db.admin().checkpoint(temp.resolve("copy")));
    delete("a");
    put("c", "3");
    sync();
    DB copy = openOther(temp.resolve("copy"), defaults());
    try (Changes changes = db.changes().open(position)) {
      for (ChangeGroup group = changes.poll(); group != null; group = changes.poll()) {
        WriteBatch batch = WriteBatch.create();
        batch.append(group);
        copy.write(batch);
      }
    }
    assertThat(s(copy.get(b("a")))).isEqualTo(NOT_FOUND);
    assertThat(s(copy.get(b("b")))).isEqualTo("2");
    assertThat(s(copy.get(b("c")))).isEqualTo("3");
  }

  @Test
  void position_thatNoGroupEndsAt_isRefused() {
    ChangePosition begin = db.changes().position();
    db.write(WriteOptions.SYNC, batch().put(b("a"), b("1")).put(b("b"), b("2")));
    db.put(WriteOptions.SYNC, b("c"), b("3"));
    try (Changes changes = db.changes().open(begin.withSequence(begin.sequence() + 1))) {
      for (int i = 0; i < 3; i++) { // each time, and not as a loss of changes
        assertThatThrownBy(changes::poll)
            .isInstanceOf(IllegalArgumentException.class)
            .hasMessageContaining("inside a group");
      }
    }
    assertThatThrownBy(() -> db.changes().open(begin.withSequence(begin.sequence() + 4)))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("after the last write");
    assertThatThrownBy(() -> db.changes().open(new ChangePosition(begin.incarnation() + 1, 0)))
        .isInstanceOf(ChangesLostException.class);
  }

  @Test
  void rangeDelete_withRetention_isAGroupOfTombstones() {
    for (int i = 0; i < 5; i++) {
      put("k" + i, "v");
    }
    db.admin().flush();
    put("k2", "w");
    ChangePosition before = db.changes().position();
    db.deleteRange(b("k1"), b("k4"));
    db.deletePrefix(b("nothing"));
    assertThat(get("k0") + get("k1") + get("k2") + get("k3") + get("k4"))
        .isEqualTo("v" + NOT_FOUND + NOT_FOUND + NOT_FOUND + "v");
    assertThat(changesAfter(before)).containsExactly("k2=w", "-k1 -k2 -k3");
    reopen();
    assertThat(get("k1") + get("k4")).isEqualTo(NOT_FOUND + "v");
  }

  /** Deletes a range whose tombstones do not fit into one batch in a small heap. */
  static final class LargeRangeDelete {
    private LargeRangeDelete() {}

    public static void main(String[] args) {
      Options options = with(ALL).toBuilder().writeBufferSize(1 << 20).build();
      byte[] nothing = {};
      try (DB db = DB.open(Path.of(args[0]), options)) {
        for (int i = 0; i < 20_000; i++) {
          db.put(b(String.format(Locale.ROOT, "%06d", i) + "k".repeat(1000)), nothing);
        }
        try {
          db.deleteRange(b("0"), b("1"));
          throw new AssertionError("too many keys were deleted");
        } catch (OperationTooLargeException e) {
          System.out.println(e.getMessage());
        }
        if (db.get(b("000000" + "k".repeat(1000))) == null) {
          throw new AssertionError("a part was deleted");
        }
        db.deleteRange(b("000000"), b("001000"));
        try (DBIterator left = db.iterator()) {
          left.seekToFirst();
          System.out.println("first: " + s(left.key()).substring(0, 6));
        }
      }
    }
  }

  @Test
  void rangeDelete_withRetentionOverTooManyKeys_throwsAndDeletesNothing()
      throws IOException, InterruptedException {
    close();
    Children.Ended child =
        Children.run(List.of("-Xmx64m"), LargeRangeDelete.class, directory.toString());
    assertThat(child.exitCode()).as(child.output()).isZero();
    assertThat(child.output())
        .contains("nothing was deleted")
        .contains("delete smaller ranges")
        .contains("first: 001000");
  }

  @Test
  void whatDoesNotPassTheLog_withRetention_isRefused() {
    assertThatThrownBy(() -> db.loads().bulkLoader())
        .isInstanceOf(IllegalStateException.class)
        .hasMessageContaining("logRetention");
    assertThatThrownBy(() -> db.loads().ingest(List.of()))
        .isInstanceOf(IllegalStateException.class)
        .hasMessageContaining("logRetention");
    CompactionFilter filter = (level, key, value) -> CompactionFilter.Decision.KEEP;
    Options.Builder both = options.toBuilder().compaction(c -> c.filter(filter));
    assertThatThrownBy(both::build)
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("a compaction filter");
  }

  @Test
  void log_damagedInTheMiddle_isAGap() throws IOException {
    ChangePosition begin = db.changes().position();
    for (int i = 0; i < 100; i++) {
      put("k" + i, "v".repeat(500));
    }
    db.admin().flush();
    Path log = directory.resolve(files(FileName.Kind.LOG).get(0));
    try (RandomAccessFile file = new RandomAccessFile(log.toFile(), "rw")) {
      file.seek(20_000);
      int value = file.read();
      file.seek(20_000);
      file.write(value ^ 1);
    }
    try (Changes changes = db.changes().open(begin)) {
      assertThatThrownBy(() -> rest(changes))
          .isInstanceOf(ChangesLostException.class)
          .hasMessageContaining("checksum mismatch");
      assertThat(changes.position().sequence()).isBetween(30L, 45L);
    }
  }

  @ParameterizedTest
  @ValueSource(strings = {"deleted", "cut"})
  void position_afterAnOpenThatLostALogBeforeTheLast_isRefused(String how) throws IOException {
    CountDownLatch go = new CountDownLatch(1);
    AtomicReference<CountDownLatch> flush = new AtomicReference<>(new CountDownLatch(0));
    Env env =
        new ForwardingEnv(Env.fileSystem()) {
          @Override
          public WritableFile createWritable(Path file) throws IOException {
            if (file.toString().endsWith(".ldb")) {
              Latches.await(flush.get());
            }
            return super.createWritable(file);
          }
        };
    reopen(with(ALL).toBuilder().env(env).build());
    put("a", "1");
    db.admin().flush();
    Path copy = Files.createDirectory(temp.resolve("copy"));
    Path victim = copy;
    ChangePosition end;
    flush.set(go);
    try {
      for (int i = 0; i < 12; i++) {
        put("k" + i, "v".repeat(10_000));
      }
      sync();
      end = db.changes().position();
      for (FileName.Kind kind : FileName.Kind.values()) {
        for (String name : kind == FileName.Kind.LOCK ? List.<String>of() : files(kind)) {
          Path copied = Files.copy(directory.resolve(name), copy.resolve(name));
          if (kind == FileName.Kind.LOG && s(Files.readAllBytes(copied)).contains("k0")) {
            victim = copied;
          }
        }
      }
    } finally {
      go.countDown();
    }
    Files.write(victim, new byte[0]);
    if (how.equals("deleted")) {
      Files.delete(victim);
    }
    DB lost = openOther(copy, with(ALL).toBuilder().recoveryMode(RecoveryMode.CPP_COMPAT).build());
    assertThat(lost.get(b("k0"))).isNull();
    assertThat(lost.get(b("k11"))).isNotNull();
    assertThatThrownBy(() -> lost.changes().open(end)).isInstanceOf(ChangesLostException.class);
  }

  @Test
  void changesFile_damaged_endsTheHistory() throws IOException {
    put("a", "1");
    sync();
    ChangePosition position = db.changes().position();
    close();
    Path file = directory.resolve("CHANGES");
    byte[] bytes = Files.readAllBytes(file);
    bytes[bytes.length / 2] ^= 1;
    Files.write(file, bytes);
    open();
    assertThat(get("a")).isEqualTo("1");
    assertThatThrownBy(() -> db.changes().open(position)).isInstanceOf(ChangesLostException.class);
    assertThat(changesAfter(db.changes().position())).isEmpty();
  }

  @Test
  @LoadsLeveldbjni
  void cppLevelDb_opensTheDirectory_andTheFeedShowsAGap() throws IOException {
    close();
    reopen(with(ALL).toBuilder().tables(t -> t.suffix(TableSuffix.SST)).build());
    put("a", "1");
    db.admin().flush();
    put("b", "2");
    sync();
    ChangePosition position = db.changes().position();
    close();
    org.iq80.leveldb.Options jni = new org.iq80.leveldb.Options();
    try (org.iq80.leveldb.DB cpp = JniDBFactory.factory.open(directory.toFile(), jni)) {
      assertThat(cpp.get(b("a"))).isEqualTo(b("1"));
      assertThat(cpp.get(b("b"))).isEqualTo(b("2"));
      cpp.put(b("c"), b("3"));
    }
    open();
    assertThat(get("a") + get("b") + get("c")).isEqualTo("123");
    assertThatThrownBy(() -> db.changes().open(position)).isInstanceOf(ChangesLostException.class);
    ChangePosition now = db.changes().position();
    db.put(WriteOptions.SYNC, b("d"), b("4"));
    assertThat(changesAfter(now)).containsExactly("d=4");
  }

  @Test
  void destroy_withRetention_leavesNothing() {
    fill(2);
    close();
    DB.destroy(directory, options);
    assertThat(directory).doesNotExist();
  }

  @Test
  void take_waitsForAWrite() throws Exception {
    try (Changes changes = db.changes().open(db.changes().position())) {
      assertThat(changes.poll(Duration.ofMillis(1))).isNull();
      CountDownLatch begun = new CountDownLatch(1);
      AtomicReference<String> taken = new AtomicReference<>();
      Thread follower =
          new Thread(
              () -> {
                begun.countDown();
                try {
                  taken.set(text(changes.take()));
                } catch (InterruptedException e) {
                  taken.set("interrupted");
                }
              });
      follower.start();
      begun.await();
      put("a", "1");
      sync();
      follower.join();
      assertThat(taken.get()).isEqualTo("a=1");
    }
  }

  @ParameterizedTest
  @ValueSource(strings = {"interrupt", "reader", "database"})
  void take_thatWaits_ends(String by) throws Exception {
    Changes changes = db.changes().open(db.changes().position());
    AtomicReference<Throwable> thrown = new AtomicReference<>();
    Thread follower =
        new Thread(
            () -> {
              try {
                changes.take();
              } catch (InterruptedException | RuntimeException e) {
                thrown.set(e);
              }
            });
    follower.start();
    while (follower.getState() == Thread.State.RUNNABLE
        || follower.getState() == Thread.State.NEW) {
      Thread.onSpinWait();
    }
    switch (by) {
      case "interrupt" -> follower.interrupt();
      case "reader" -> changes.close();
      default -> db.close();
    }
    follower.join();
    assertThat(thrown.get())
        .isInstanceOf(
            switch (by) {
              case "interrupt" -> InterruptedException.class;
              case "reader" -> IllegalStateException.class;
              default -> DBClosedException.class;
            });
    changes.close();
    if (!by.equals("database")) {
      put("a", "1");
      sync();
      assertThat(changesAfter(changes.position())).containsExactly("a=1");
    }
  }

  @Test
  void changes_openedWhileTheFirstWriteIsMade_hasIt() {
    AtomicReference<@Nullable Runnable> afterRead = new AtomicReference<>();
    Env env =
        new ForwardingEnv(Env.fileSystem()) {
          @Override
          public SequentialFile openSequential(Path file) throws IOException {
            return new ForwardingSequentialFile(super.openSequential(file)) {
              @Override
              public void close() throws IOException {
                super.close();
                Runnable write = afterRead.getAndSet(null);
                if (write != null) {
                  write.run();
                }
              }
            };
          }
        };
    reopen(with(ALL).toBuilder().env(env).build());
    ChangePosition begin = db.changes().position();
    afterRead.set(() -> put("a", "1"));
    try (Changes changes = db.changes().open(ChangeOptions.UNSYNCED, begin)) {
      assertThat(afterRead.get()).as("the write was made").isNull();
      assertThat(requireNonNull(changes.poll()).count()).isEqualTo(1);
    }
  }

  @Test
  void follower_besideWriters_neverMissesOrRepeatsAGroup() throws Exception {
    int perWriter = 2000;
    ChangePosition begin = db.changes().position();
    Thread[] writers = new Thread[3];
    for (int w = 0; w < writers.length; w++) {
      int writer = w;
      writers[w] =
          new Thread(
              () -> {
                for (int i = 0; i < perWriter; i++) {
                  WriteBatch both =
                      batch().put(b("w" + writer), b("" + i)).put(b("x" + writer), b("" + i));
                  db.write(i % 50 == 0 ? WriteOptions.SYNC : WriteOptions.DEFAULT, both);
                }
              });
      writers[w].start();
    }
    Map<String, Integer> seen = new TreeMap<>();
    try (Changes changes = db.changes().open(ChangeOptions.UNSYNCED, begin)) {
      int operations = 0;
      while (operations < writers.length * perWriter * 2) {
        ChangeGroup group = changes.take();
        operations += group.count();
        group.iterate(
            new OperationHandler() {
              @Override
              public void put(Slice key, Slice value) {
                int number = Integer.parseInt(s(value.toByteArray()));
                assertThat(number).isEqualTo(seen.getOrDefault(s(key.toByteArray()), -1) + 1);
                seen.put(s(key.toByteArray()), number);
              }

              @Override
              public void delete(Slice key) {
                throw new AssertionError("nothing was deleted");
              }
            });
        for (int w = 0; w < writers.length; w++) {
          assertThat(seen.get("w" + w)).as("a group is whole").isEqualTo(seen.get("x" + w));
        }
      }
      assertThat(changes.poll()).isNull();
    }
    for (Thread writer : writers) {
      writer.join();
    }
  }

  static LongStream seeds() {
    return LongStream.rangeClosed(1, Boolean.getBoolean("kv.long") ? 6 : 2);
  }

  @ParameterizedTest
  @MethodSource("seeds")
  void random_operations_keepAFollowerInStep(long seed) {
    SplittableRandom random = new SplittableRandom(seed);
    reopen(with(seed % 2 == 0 ? ALL : LogRetention.ofBytes(400_000)));
    TreeMap<String, String> model = new TreeMap<>();
    TreeMap<String, String> copy = new TreeMap<>();
    ChangePosition position = db.changes().position();
    Changes changes = db.changes().open(position);
    for (int step = 0; step < 1500; step++) {
      String key = "k" + random.nextInt(60);
      switch (random.nextInt(24)) {
        case 0 -> db.admin().flush();
        case 1 -> {
          reopen();
          changes = db.changes().open(position);
        }
        case 2 -> {
          if (random.nextInt(5) == 0) {
            db.admin().compactRange(null, null);
          }
        }
        case 3 -> {
          db.deleteRange(b(key), b(key + "9"));
          model.subMap(key, key + "9").clear();
        }
        case 4, 5, 6 -> position = follow(changes, copy, random.nextInt(20));
        case 7 -> sync();
        case 8, 9, 10 -> {
          delete(key);
          model.remove(key);
        }
        default -> {
          String value = step + "v".repeat(random.nextInt(3000));
          db.write(batch().put(b(key), b(value)).put(b("last"), b(value)));
          model.put(key, value);
          model.put("last", value);
        }
      }
    }
    sync();
    follow(changes, copy, Integer.MAX_VALUE);
    assertThat(copy).as("seed " + seed).isEqualTo(model);
    changes.close();
  }

  private static ChangePosition follow(Changes changes, TreeMap<String, String> copy, int groups) {
    for (int i = 0; i < groups; i++) {
      ChangeGroup group = changes.poll();
      if (group == null) {
        break;
      }
      group.iterate(
          new OperationHandler() {
            @Override
            public void put(Slice key, Slice value) {
              copy.put(s(key.toByteArray()), s(value.toByteArray()));
            }

            @Override
            public void delete(Slice key) {
              copy.remove(s(key.toByteArray()));
            }
          });
    }
    return changes.position();
  }

  @Test
  void poll_withTimesOutOfRange_waitsNotAtAll() throws Exception {
    try (Changes changes = db.changes().open(db.changes().position())) {
      assertThat(changes.poll(Duration.ofSeconds(Long.MIN_VALUE))).isNull();
      assertThat(changes.poll(Duration.ZERO)).isNull();
    }
  }
}
