package dev.kv.core.compaction;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.kv.DBIterator;
import dev.kv.Options;
import dev.kv.ReadOptions;
import dev.kv.Snapshot;
import dev.kv.Transaction;
import dev.kv.TransactionOptions;
import dev.kv.bytes.Slice;
import dev.kv.core.Sneaky;
import dev.kv.core.db.DbTestBase;
import dev.kv.core.state.Monitor;
import dev.kv.core.version.Version;
import dev.kv.errors.ConflictException;
import dev.kv.options.CompactionFilter;
import dev.kv.options.CompactionFilter.Decision;
import dev.kv.options.CompressionType;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;

/** A program's filter in compactions: what it sees, what becomes of it, and who sees that when. */
class CompactionFilterTest extends DbTestBase {
  private final List<String> passed = Collections.synchronizedList(new ArrayList<>());

  /** Runs in the first call of the filter. */
  private volatile Runnable during = () -> {};

  private volatile boolean isOn = true;

  /** Drops values that begin with "drop", and replaces "old..." by "new". */
  private Decision decide(int level, Slice key, Slice value) {
    passed.add(key.toUtf8String());
    Runnable once = during;
    during = () -> {};
    once.run();
    String text = value.toUtf8String();
    if (!isOn) {
      return Decision.KEEP;
    }
    if (text.startsWith("drop")) {
      return Decision.DROP;
    }
    return text.startsWith("old") ? Decision.replace(b("new")) : Decision.KEEP;
  }

  private Options with(CompactionFilter filter) {
    return defaults().toBuilder()
        .compaction(c -> c.filter(filter))
        .compaction(c -> c.seekTriggered(false))
        .build();
  }

  private void openFiltered() {
    open(with(this::decide));
  }

  private void compactAll() {
    passed.clear();
    compact(null, null);
  }

  @Test
  void entries_ofACompaction_areKeptDroppedOrReplaced() {
    openFiltered();
    put("a", "drop");
    put("b", "stays");
    put("c", "old");
    put("d", "1");
    delete("d");
    db.admin().flush();
    assertThat(contents()).isEqualTo("(a->drop)(b->stays)(c->old)");
    compactAll();
    assertThat(contents()).isEqualTo("(b->stays)(c->new)");
    assertThat(passed).containsExactly("a", "b", "c");
    assertThat(allEntriesFor("a")).isEqualTo("[ ]");
    assertThat(db.admin().stats().filtered().dropped()).isEqualTo(1);
    assertThat(db.admin().stats().filtered().replaced()).isEqualTo(1);
    assertThat(db.admin().property("kv.compaction-filter-dropped")).isEqualTo("1");
    reopen(defaults());
    assertThat(contents()).isEqualTo("(b->stays)(c->new)");
  }

  @Test
  void entry_inAMemtable_isNotPassedByAFlush() {
    openFiltered();
    put("a", "drop");
    db.admin().flush();
    assertThat(passed).isEmpty();
    assertThat(get("a")).isEqualTo("drop");
  }

  @Test
  void drop_overAnOlderVersionInADeeperLevel_leavesATombstone() {
    openFiltered();
    put("a", "kept");
    put("z", "kept");
    db.admin().flush();
    for (int level = 2; level < 5; level++) {
      compactLevel(level, null, null);
    }
    assertThat(filesPerLevel()).isEqualTo("0,0,0,0,0,1");
    put("a", "drop");
    put("m", "drop");
    db.admin().flush();
    assertThat(filesPerLevel()).isEqualTo("0,0,1,0,0,1");
    for (int level = 2; level < 4; level++) {
      compactLevel(level, null, null);
      assertThat(get("a")).isEqualTo(NOT_FOUND);
      assertThat(allEntriesFor("a")).isEqualTo("[ DEL, kept ]");
    }
    compactAll();
    assertThat(contents()).isEqualTo("(z->kept)");
    assertThat(allEntriesFor("a")).isEqualTo("[ ]");
    assertThat(allEntriesFor("m")).isEqualTo("[ ]");
  }

  @Test
  void entry_thatASnapshotSees_isNotPassed() {
    openFiltered();
    put("a", "drop1");
    put("b", "old1");
    try (Snapshot before = db.snapshot()) {
      compactAll();
      assertThat(passed).isEmpty();
      put("a", "drop2");
      put("b", "old2");
      put("c", "drop");
      compactAll();
      assertThat(contents()).isEqualTo("(b->new)");
      assertThat(get("a", before)).isEqualTo("drop1");
      assertThat(get("b", before)).isEqualTo("old1");
      assertThat(get("c", before)).isEqualTo(NOT_FOUND);
      assertThat(allEntriesFor("a")).isEqualTo("[ DEL, drop1 ]");
    }
    compactAll();
    assertThat(contents()).isEqualTo("(b->new)");
    assertThat(allEntriesFor("a")).isEqualTo("[ ]");
  }

  @Test
  void snapshotsAndIterators_takenWhileTheFilterRuns_doNotChange() {
    openFiltered();
    for (int round = 0; round < 2; round++) {
      try (Snapshot earlier = round == 0 ? null : db.snapshot()) {
        put("a", "drop");
        put("b", "old");
        db.admin().flush();
        List<AutoCloseable> open = new ArrayList<>();
        during =
            () -> {
              open.add(db.snapshot());
              DBIterator cursor = db.iterator();
              cursor.seekToFirst();
              open.add(cursor);
            };
        compactAll();
        assertThat(open).hasSize(2);
        assertThat(contents()).isEqualTo("(b->new)");
        try (Snapshot meanwhile = (Snapshot) open.get(0);
            DBIterator cursor = (DBIterator) open.get(1);
            DBIterator of = db.iterator(ReadOptions.at(meanwhile));
            Snapshot after = db.snapshot()) {
          for (int i = 0; i < 2; i++) {
            assertThat(get("a", meanwhile)).isEqualTo("drop");
            assertThat(get("b", meanwhile)).isEqualTo("old");
            assertThat(get("a", after)).isEqualTo(NOT_FOUND);
            for (DBIterator each : List.of(cursor, of)) {
              each.seekToFirst();
              assertThat(at(each)).isEqualTo("a->drop");
              each.next();
              assertThat(at(each)).isEqualTo("b->old");
            }
            compactAll();
          }
        }
        assertThat(earlier == null || get("a", earlier).equals(NOT_FOUND)).isTrue();
      }
      compactAll();
      assertThat(allEntriesFor("a")).isEqualTo("[ ]");
    }
  }

  @Test
  void snapshotTakenWhileTheFilterRuns_keepsFilesUntilItsClose() {
    openFiltered();
    put("a", "drop");
    db.admin().flush();
    List<Snapshot> open = new ArrayList<>();
    during = () -> open.add(db.snapshot());
    compactAll();
    assertThat(totalFiles()).isZero();
    open.get(0).close();
    await("the deletion", () -> files(dev.kv.core.env.FileName.Kind.TABLE).isEmpty());
  }

  @Test
  void transaction_thatReadADroppedKey_conflicts() {
    openFiltered();
    put("a", "drop");
    put("b", "stays");
    db.admin().flush();
    List<Transaction> open = new ArrayList<>();
    during =
        () -> {
          open.add(db.transaction(TransactionOptions.SERIALIZABLE));
          open.add(db.transaction(TransactionOptions.SERIALIZABLE));
        };
    compactAll();
    try (Transaction reader = open.get(0);
        Transaction other = open.get(1)) {
      assertThat(s(reader.get(b("a")))).isEqualTo("drop");
      reader.put(b("x"), b("1"));
      assertThatThrownBy(reader::commit)
          .isInstanceOfSatisfying(
              ConflictException.class, e -> assertThat(s(e.key())).isEqualTo("a"));
      assertThat(s(other.get(b("b")))).isEqualTo("stays");
      other.put(b("y"), b("1"));
      other.commit();
    }
    assertThat(contents()).isEqualTo("(b->stays)(y->1)");
  }

  /** The switch comes after the filtered version is current, and before it is published. */
  @Test
  void memtableSwitch_duringTheInstall_hidesNothingFromSnapshotsAndTransactions()
      throws InterruptedException {
    openFiltered();
    put("a", "drop");
    put("b", "old");
    db.admin().flush();
    List<AutoCloseable> open = new ArrayList<>();
    CountDownLatch filtering = new CountDownLatch(1);
    CountDownLatch goOn = new CountDownLatch(1);
    during =
        () -> {
          open.add(db.snapshot());
          open.add(db.transaction(TransactionOptions.SERIALIZABLE));
          filtering.countDown();
          await("the monitor", () -> goOn.getCount() == 0);
        };
    Thread compaction = new Thread(this::compactAll);
    compaction.start();
    filtering.await();
    put("c", "stays");
    Monitor monitor = parts().jobs().monitor();
    monitor.lock();
    try {
      Version before = parts().versions().current();
      goOn.countDown();
      await("the filtered version", () -> parts().versions().current() != before);
      switchMemTable();
    } finally {
      monitor.unlock();
    }
    compaction.join();
    assertThat(contents()).isEqualTo("(b->new)(c->stays)");
    try (Snapshot snapshot = (Snapshot) open.get(0);
        Transaction transaction = (Transaction) open.get(1)) {
      assertThat(get("a", snapshot)).isEqualTo("drop");
      assertThat(get("b", snapshot)).isEqualTo("old");
      assertThat(s(transaction.get(b("a")))).isEqualTo("drop");
      transaction.put(b("x"), b("1"));
      assertThatThrownBy(transaction::commit).isInstanceOf(ConflictException.class);
    }
  }

  @Test
  void conditionalWrites_afterAFilter_compareWithItsResult() {
    openFiltered();
    put("a", "drop");
    put("b", "old");
    compactAll();
    assertThat(db.compareAndSet(b("b"), b("old"), b("x"))).isFalse();
    assertThat(db.compareAndSet(b("b"), b("new"), b("y"))).isTrue();
    assertThat(db.putIfAbsent(b("a"), b("again"))).isTrue();
    assertThat(contents()).isEqualTo("(a->again)(b->y)");
  }

  @Test
  void filter_thatThrows_keepsTheRestAndIsAskedAgain() {
    AtomicInteger calls = new AtomicInteger();
    List<Throwable> failures =
        List.of(
            new IllegalStateException("a bug"),
            new StackOverflowError(),
            new AssertionError(),
            new NoClassDefFoundError("x"));
    open(
        with(
            (level, key, value) -> {
              int call = calls.getAndIncrement();
              if (key.toUtf8String().equals("a")) {
                return Decision.DROP;
              }
              if (call / 2 < failures.size()) {
                throw Sneaky.unchecked(failures.get(call / 2));
              }
              return call == 8 ? null : Decision.DROP;
            }));
    for (int i = 0; i < 5; i++) {
      calls.set(2 * i + (i == 4 ? -1 : 0));
      put("a", "1");
      put("b", "2");
      put("c", "3");
      db.admin().flush();
      compactAll();
      assertThat(contents()).as("failure " + i).isEqualTo("(b->2)(c->3)");
      assertThat(db.admin().stats().filtered().failures()).isPositive();
    }
    calls.set(100);
    compactAll();
    assertThat(contents()).isEmpty();
  }

  @Test
  void filter_thatFindsNoMemory_isCalledAgainByTheNextTry() {
    AtomicInteger calls = new AtomicInteger();
    open(
        with(
            (level, key, value) -> {
              if (calls.getAndIncrement() == 0) {
                throw new OutOfMemoryError("Java heap space");
              }
              return Decision.DROP;
            }));
    put("a", "1");
    db.admin().flush();
    compactAll();
    assertThat(contents()).isEmpty();
    assertThat(calls).hasValueGreaterThan(1);
    put("b", "2");
    assertThat(get("b")).isEqualTo("2");
    assertThat(db.admin().stats().filtered().failures()).isZero();
  }

  @Test
  void slices_afterTheCall_areRevoked() {
    List<Slice> kept = new ArrayList<>();
    open(
        with(
            (level, key, value) -> {
              kept.add(key);
              kept.add(value);
              assertThat(level).isBetween(1, 6);
              assertThat(value.length()).isEqualTo(1);
              return Decision.KEEP;
            }));
    put("a", "1");
    db.admin().flush();
    compactAll();
    assertThat(db.admin().stats().filtered().failures()).isZero();
    for (Slice each : kept) {
      assertThatThrownBy(each::length).isInstanceOf(IllegalStateException.class);
    }
  }

  /** A block with one large value is copied as it is stored, but not before the filter saw it. */
  @Test
  void blockOfOneLargeValue_isPassedLikeAnyOther() {
    for (CompressionType compression : List.of(CompressionType.NONE, CompressionType.SNAPPY)) {
      destroyAndReopen(
          with(this::decide).toBuilder().compression(compression).blockSize(1024).build());
      String large = "x".repeat(20_000);
      put("a", "drop" + large);
      put("b", "old" + large);
      put("c", large);
      db.admin().flush();
      compactAll();
      assertThat(passed).containsExactly("a", "b", "c");
      assertThat(contents()).isEqualTo("(b->new)(c->" + large + ")");
    }
  }

  @Test
  void replacement_mayBeLongerOrEmptyAndIsPassedAgain() {
    open(
        with(
            (level, key, value) ->
                switch (value.length()) {
                  case 1 -> Decision.replace(new byte[100_000]);
                  case 2 -> Decision.replace(new byte[0]);
                  default -> Decision.KEEP;
                }));
    put("a", "1");
    put("b", "12");
    put("c", "123");
    compactAll();
    assertThat(db.get(b("a"))).hasSize(100_000);
    assertThat(contents()).endsWith("(b->)(c->123)");
    compactAll();
    assertThat(contents()).endsWith("(b->)(c->123)");
  }

  @Test
  void forPrefix_passesOnlyItsKeys() {
    CompactionFilter all = (level, key, value) -> Decision.DROP;
    open(with(all.forPrefix(b("b/"))));
    for (String key : List.of("a/1", "b", "b/", "b/1", "b0", "c")) {
      put(key, "1");
    }
    compactAll();
    assertThat(contents()).isEqualTo("(a/1->1)(b->1)(b0->1)(c->1)");
  }

  @Test
  void filter_overManyTables_isAskedAboutEachEntryOnceByACompactRange() {
    isOn = false;
    open(
        with(this::decide).toBuilder()
            .writeBufferSize(64 << 10)
            .compression(CompressionType.NONE)
            .build());
    for (int i = 0; i < 3000; i++) {
      put(key(i), "drop" + "v".repeat(500));
    }
    db.admin().flush();
    db.admin().waitForCompactions();
    isOn = true;
    compactAll();
    assertThat(passed.stream().distinct().count()).isEqualTo(3000);
    assertThat(contents()).isEmpty();
    assertThat(totalFiles()).isZero();
  }
}
