package dev.kv.core.transaction;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.kv.Options;
import dev.kv.Snapshot;
import dev.kv.WriteBatch;
import dev.kv.WriteOptions;
import dev.kv.bytes.DBComparator;
import dev.kv.core.db.DbTestBase;
import dev.kv.errors.ComparatorException;
import dev.kv.errors.ConflictException;
import dev.kv.errors.DBClosedException;
import dev.kv.errors.DBReadOnlyException;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;

/** Batches with expectations, and the conditional writes that are made of them. */
class ConditionalWriteTest extends DbTestBase {

  /** Where the entry of a key is when its expectation is checked. */
  private enum Place {
    MEMTABLE,
    LEVEL_0,
    DEEP,
    TWO_TABLES;

    void put(ConditionalWriteTest test, String key, String value) {
      if (this == TWO_TABLES) {
        test.put(key, "older");
        test.db.admin().flush();
      }
      if (value == null) {
        test.put(key, "deleted");
        test.delete(key);
      } else {
        test.put(key, value);
      }
      if (this != MEMTABLE) {
        test.db.admin().flush();
      }
      if (this == DEEP) {
        test.compact(null, null);
      }
    }
  }

  @Test
  void write_whileWritesAreRefused_saysSoAndNotWhetherTheExpectationHolds() {
    open();
    put("k", "v");
    parts().jobs().errors().failResumably("a flush", new IOException("simulated"), 0);
    assertThatThrownBy(() -> db.write(batch().expect(b("k"), b("other")).put(b("a"), b("1"))))
        .isInstanceOf(DBReadOnlyException.class);
    parts().jobs().errors().succeed("a flush");
    assertConflict("k", batch().expect(b("k"), b("other")).put(b("a"), b("1")));
  }

  @ParameterizedTest
  @EnumSource
  void write_expectations_areComparedWhereverTheEntryIs(Place place) {
    open();
    put("other", "x");
    place.put(this, "k", "v");
    place.put(this, "gone", null);
    put("last", "x");

    assertConflict("k", batch().expect(b("k"), b("w")).put(b("a"), b("1")));
    assertConflict("k", batch().expect(b("k"), b("")).put(b("a"), b("1")));
    assertConflict("k", batch().expect(b("k"), b("vv")).put(b("a"), b("1")));
    assertConflict("k", batch().expectAbsent(b("k")).put(b("a"), b("1")));
    assertConflict("gone", batch().expect(b("gone"), b("deleted")).put(b("a"), b("1")));
    assertConflict("gone", batch().expect(b("gone"), b("")).put(b("a"), b("1")));
    assertConflict("no", batch().expect(b("no"), b("")).put(b("a"), b("1")));
    assertConflict("no", batch().expect(b("k"), b("v")).expect(b("no"), b("x")).delete(b("k")));
    assertThat(get("a")).isEqualTo(NOT_FOUND);
    assertThat(get("k")).isEqualTo("v");

    db.write(
        batch()
            .put(b("a"), b("1"))
            .expect(b("k"), b("v"))
            .expectAbsent(b("gone"))
            .expectAbsent(b("no"))
            .expectAbsent(b("a")));
    assertThat(get("a")).isEqualTo("1");
    assertThat(db.tryWrite(WriteOptions.SYNC, batch().expect(b("a"), b("1")).delete(b("a"))))
        .isTrue();
    assertThat(get("a")).isEqualTo(NOT_FOUND);
  }

  private void assertConflict(String key, WriteBatch batch) {
    long before = db.admin().stats().writes().lastSequence();
    assertThatThrownBy(() -> db.write(batch))
        .isInstanceOf(ConflictException.class)
        .hasMessage(
            "the batch was not written: the key '"
                + key
                + "' does not have the value that the batch expects")
        .satisfies(e -> assertThat(s(((ConflictException) e).key())).isEqualTo(key));
    assertThat(db.tryWrite(WriteOptions.DEFAULT, batch)).isFalse();
    assertThat(db.admin().stats().writes().lastSequence()).isEqualTo(before);
  }

  @Test
  void write_conflictOfALongKey_namesItsHead() {
    open();
    byte[] key = b("k".repeat(1 << 20));
    assertThatThrownBy(() -> db.write(batch().expect(key, b("v"))))
        .isInstanceOfSatisfying(ConflictException.class, e -> assertThat(e.key()).isEqualTo(key))
        .hasMessageContaining("the key '" + "k".repeat(64) + "... (1048576 bytes)' does not");
  }

  @Test
  void write_expectationsOnly_checkAndWriteNothing() {
    open();
    put("k", "v");
    long before = db.admin().stats().writes().lastSequence();
    db.write(batch().expect(b("k"), b("v")));
    db.write(WriteOptions.SYNC, batch().expect(b("k"), b("v")));
    assertConflict("k", batch().expect(b("k"), b("w")));
    assertThat(db.admin().stats().writes().lastSequence()).isEqualTo(before);
  }

  /** The batch's own operations come after the check. */
  @Test
  void write_expectationOfAKeyThatTheBatchWrites_isComparedWithTheStateBefore() {
    open();
    put("k", "1");
    db.write(batch().put(b("k"), b("2")).expect(b("k"), b("1")).put(b("k"), b("3")));
    assertThat(get("k")).isEqualTo("3");
    assertConflict("k", batch().put(b("k"), b("2")).expect(b("k"), b("2")));
  }

  @Test
  void write_twoExpectationsOfAKey_mustBothHold() {
    open();
    put("k", "1");
    assertConflict("k", batch().expect(b("k"), b("1")).expectAbsent(b("k")));
    db.write(batch().expect(b("k"), b("1")).expect(b("k"), b("1")).delete(b("k")));
    assertThat(get("k")).isEqualTo(NOT_FOUND);
  }

  @Test
  void write_expectationOfAnOverwrittenValue_looksAtTheNewestAndNotAtSnapshots() {
    open();
    put("k", "1");
    try (Snapshot snapshot = db.snapshot()) {
      put("k", "2");
      assertConflict("k", batch().expect(b("k"), b("1")).put(b("k"), b("3")));
      db.write(batch().expect(b("k"), b("2")).put(b("k"), b("3")));
      assertThat(get("k", snapshot)).isEqualTo("1");
    }
  }

  @Test
  void putIfAbsent_keyInAnyState_setsItOnlyIfItDoesNotExist() {
    open();
    assertThat(db.putIfAbsent(b("k"), b("1"))).isTrue();
    assertThat(db.putIfAbsent(b("k"), b("2"))).isFalse();
    assertThat(get("k")).isEqualTo("1");
    delete("k");
    db.admin().flush();
    assertThat(db.putIfAbsent(WriteOptions.SYNC, b("k"), b(""))).isTrue();
    assertThat(db.putIfAbsent(b("k"), b("3"))).isFalse();
    assertThat(get("k")).isEmpty();
    reopen();
    assertThat(db.putIfAbsent(b("k"), b("4"))).isFalse();
  }

  @Test
  void compareAndSet_expectedOrNot_writesOnlyIfExpected() {
    open();
    assertThat(db.compareAndSet(b("k"), b("1"), b("2"))).isFalse();
    assertThat(db.compareAndSet(b("k"), null, b("1"))).isTrue();
    assertThat(db.compareAndSet(b("k"), null, b("2"))).isFalse();
    assertThat(db.compareAndSet(WriteOptions.SYNC, b("k"), b("1"), b("2"))).isTrue();
    assertThat(get("k")).isEqualTo("2");
    assertThat(db.compareAndSet(b("k"), b("1"), null)).isFalse();
    assertThat(db.compareAndSet(b("k"), b("2"), null)).isTrue();
    assertThat(get("k")).isEqualTo(NOT_FOUND);
    assertThat(db.compareAndSet(b("k"), null, null)).isTrue();
  }

  @Test
  void update_valueInAnyState_isReplacedByTheFunctionOfIt() {
    open();
    assertThat(db.update(b("k"), old -> old)).isNull();
    assertThat(s(db.update(b("k"), old -> old == null ? b("1") : b("?")))).isEqualTo("1");
    assertThat(s(db.update(WriteOptions.SYNC, b("k"), old -> b(s(old) + "2")))).isEqualTo("12");
    assertThat(get("k")).isEqualTo("12");
    db.admin().flush();
    byte[] same =
        db.update(
            b("k"),
            old -> {
              old[0] = 'x';
              return old;
            });
    assertThat(s(same)).isEqualTo("x2");
    assertThat(get("k")).isEqualTo("x2");
    assertThatThrownBy(
            () ->
                db.update(
                    b("k"),
                    old -> {
                      throw new IllegalStateException("no");
                    }))
        .hasMessage("no");
    assertThat(get("k")).isEqualTo("x2");
    assertThat(db.update(b("k"), old -> null)).isNull();
    assertThat(get("k")).isEqualTo(NOT_FOUND);
  }

  /** The function sees what came in between, and not only the first value. */
  @Test
  void update_writtenInBetween_callsTheFunctionAgain() {
    open();
    put("k", "1");
    List<String> seen = new ArrayList<>();
    byte[] result =
        db.update(
            b("k"),
            old -> {
              seen.add(s(old));
              if (seen.size() == 1) {
                put("k", "2");
              } else if (seen.size() == 2) {
                delete("k");
                db.admin().flush();
              }
              return b(s(old) + "!");
            });
    assertThat(seen).containsExactly("1", "2", NOT_FOUND);
    assertThat(s(result)).isEqualTo(NOT_FOUND + "!");
  }

  @Test
  void write_refused_saysWhy() {
    open();
    assertThatThrownBy(() -> db.putIfAbsent(null, b("v")))
        .isInstanceOf(NullPointerException.class)
        .hasMessageContaining("key");
    assertThatThrownBy(() -> batch().expect(null, b("v"))).isInstanceOf(NullPointerException.class);
    close();
    assertThatThrownBy(() -> db.putIfAbsent(b("k"), b("v"))).isInstanceOf(DBClosedException.class);
  }

  // What comes between the check of the tables and the check of the leader.

  private final AtomicReference<Runnable> hook = new AtomicReference<>();
  private final AtomicInteger ran = new AtomicInteger();

  /** An order in which keys that differ in case alone are one key, and which runs the hook. */
  private Options hooked() {
    return defaults().toBuilder()
        .comparator(
            DBComparator.of(
                "test.Hooked",
                (a, b) -> {
                  int order = a.toUtf8String().compareToIgnoreCase(b.toUtf8String());
                  Runnable next = hook.getAndSet(null);
                  if (next != null) {
                    ran.incrementAndGet();
                    next.run(); // compares keys with the same slices
                  }
                  return order;
                }))
        .build();
  }

  /**
   * The hook runs during the search of the base, which is a view from before. What it writes is in
   * the recent memtables, or in tables that the view does not contain.
   */
  @ParameterizedTest
  @CsvSource({"false, 0", "false, 1", "false, 2", "true, 0", "true, 1", "true, 2"})
  void write_keyWrittenAfterTheBaseWasPinned_isSeen(boolean inTable, int flushes) {
    open(hooked());
    put("a", "1");
    put("k", "1");
    put("z", "1");
    if (inTable) {
      db.admin().flush();
      put("y", "1");
    }
    Runnable change =
        () -> {
          put("K", "2");
          for (int i = 0; i < flushes; i++) {
            db.admin().flush();
            put("other", "v" + i);
          }
        };
    hook.set(change);
    assertThat(db.compareAndSet(b("k"), b("1"), b("3"))).isFalse();
    assertThat(get("k")).isEqualTo("2");

    hook.set(() -> put("K", "4")); // not as the base has it, and not as it is expected
    assertThat(db.compareAndSet(b("k"), b("4"), b("5"))).isFalse();
    assertThat(ran).hasValue(2);
    assertThat(get("k")).isEqualTo("4");

    hook.set(() -> delete("k"));
    assertThat(db.compareAndSet(b("k"), b("4"), b("5"))).isFalse();
    assertThat(get("k")).isEqualTo(NOT_FOUND);
    hook.set(() -> put("k", "6"));
    assertThat(db.putIfAbsent(b("k"), b("7"))).isFalse();

    // Changed and changed back: the value is the expected one at the moment of the commit.
    hook.set(
        () -> {
          delete("k");
          put("k", "6");
          if (flushes == 2) {
            db.admin().flush();
          }
        });
    assertThat(db.compareAndSet(b("k"), b("6"), b("8"))).isTrue();
    assertThat(ran).hasValue(5);
    assertThat(get("K")).isEqualTo("8");
  }

  /** What a range delete removes is in no memtable, and nothing in the tables tells of it. */
  @Test
  void write_keyOfARangeThatIsDeletedMeanwhile_isSeen() {
    open(hooked());
    put("k", "1");
    db.admin().flush();
    hook.set(() -> db.deleteRange(b("k"), b("l")));
    assertThat(db.compareAndSet(b("k"), b("1"), b("2"))).isFalse();
    assertThat(ran).hasValue(1);
    assertThat(get("k")).isEqualTo(NOT_FOUND);
  }

  @Test
  void write_keyInARangeDeletedMeanwhile_isSeen() {
    open(hooked());
    put("k", "1");
    compact(null, null);
    put("z", "1");
    hook.set(() -> db.deleteRange(b("a"), b("m")));
    assertThat(db.compareAndSet(b("k"), b("1"), b("2"))).isFalse();
    assertThat(ran).hasValue(1);
    hook.set(() -> db.deleteRange(b("x"), null));
    assertThat(db.putIfAbsent(b("k"), b("3"))).isTrue();
    assertThat(get("k")).isEqualTo("3");
  }

  @Test
  void write_keyUnchangedButFlushedAndCompactedMeanwhile_isWritten() {
    open(hooked());
    put("k", "1");
    db.admin().flush();
    put("b", "1");
    hook.set(
        () -> {
          put("c", "2");
          compact(null, null);
          put("d", "2");
          db.admin().flush();
        });
    assertThat(db.compareAndSet(b("k"), b("1"), b("2"))).isTrue();
    assertThat(ran).hasValue(1);
    assertThat(get("k")).isEqualTo("2");
  }

  @Test
  void write_comparatorThrowsInTheCheck_writesNothingAndTheDatabaseWorksOn() {
    open(hooked());
    put("a", "1");
    put("k", "1");
    hook.set(
        () -> {
          throw new IllegalStateException("broken");
        });
    assertThatThrownBy(() -> db.compareAndSet(b("k"), b("1"), b("2")))
        .isInstanceOf(ComparatorException.class);
    assertThat(get("k")).isEqualTo("1");
    assertThat(db.compareAndSet(b("k"), b("1"), b("2"))).isTrue();
    assertThat(get("k")).isEqualTo("2");
  }

  /** An expected value that is larger than the memtable, and a batch that needs a new one. */
  @Test
  void write_largeValues_areComparedAndWritten() {
    open(defaults().toBuilder().writeBufferSize(64 << 10).build());
    String large = randomValue(new Random(5), 300_000);
    assertThat(db.putIfAbsent(b("k"), b(large))).isTrue();
    assertThat(db.compareAndSet(b("k"), b(large + "x"), b("1"))).isFalse();
    assertThat(db.compareAndSet(b("k"), b(large), b(large + large))).isTrue();
    db.admin().flush();
    assertThat(db.compareAndSet(b("k"), b(large + large), b("1"))).isTrue();
    assertThat(get("k")).isEqualTo("1");
  }

  // Many threads.

  /**
   * Each thread adds to counters by update, and moves between them by batches with two
   * expectations. Memtables are tiny, so that they are flushed between the two checks.
   */
  @ParameterizedTest
  @CsvSource({"false, 1500", "true, 150"})
  void update_fromManyThreads_losesNothing(boolean sync, int rounds) throws InterruptedException {
    open(defaults().toBuilder().writeBufferSize(64 << 10).maxFileSize(1 << 20).build());
    WriteOptions write = WriteOptions.builder().sync(sync).build();
    int counters = 5;
    AtomicInteger conflicts = new AtomicInteger();
    List<Thread> threads = new ArrayList<>();
    AtomicReference<Throwable> failure = new AtomicReference<>();
    for (int t = 0; t < 4; t++) {
      Random random = new Random(t);
      Thread thread =
          new Thread(
              () -> {
                try {
                  for (int i = 0; i < rounds; i++) {
                    db.update(write, counter(random.nextInt(counters)), old -> number(old, 1));
                    move(write, random, counters, conflicts);
                    put(key(random.nextInt(1000)), randomValue(random, random.nextInt(300)));
                  }
                } catch (Throwable e) {
                  failure.compareAndSet(null, e);
                }
              });
      threads.add(thread);
      thread.start();
    }
    for (Thread thread : threads) {
      thread.join();
    }
    assertThat(failure.get()).isNull();
    long sum = 0;
    for (int i = 0; i < counters; i++) {
      sum += ByteBuffer.wrap(db.get(counter(i))).getLong();
    }
    assertThat(sum).isEqualTo(4L * rounds);
    assertThat(conflicts.get()).as("the threads never met").isPositive();
  }

  /** Moves a random amount from one counter to another, in one batch. */
  private void move(WriteOptions write, Random random, int counters, AtomicInteger conflicts) {
    byte[] from = counter(random.nextInt(counters));
    byte[] to = counter(random.nextInt(counters));
    int amount = random.nextInt(100) - 50;
    while (true) {
      byte[] first = db.get(from);
      byte[] second = db.get(to);
      WriteBatch batch = batch().expect(from, first).expect(to, second);
      batch.put(from, number(first, -amount));
      if (!Arrays.equals(from, to)) {
        batch.put(to, number(second, amount));
      } else {
        batch.put(from, number(first, 0));
      }
      if (db.tryWrite(write, batch)) {
        return;
      }
      conflicts.incrementAndGet();
    }
  }

  private static byte[] counter(int i) {
    return b("counter" + i);
  }

  private static byte[] number(byte[] old, long more) {
    long value = old == null ? 0 : ByteBuffer.wrap(old).getLong();
    return ByteBuffer.allocate(Long.BYTES).putLong(value + more).array();
  }
}
