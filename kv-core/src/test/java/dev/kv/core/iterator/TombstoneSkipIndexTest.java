package dev.kv.core.iterator;

import static org.assertj.core.api.Assertions.assertThat;

import dev.kv.DB;
import dev.kv.DBIterator;
import dev.kv.Options;
import dev.kv.ReadOnlyDB;
import dev.kv.ReadOptions;
import dev.kv.Snapshot;
import dev.kv.bytes.DBComparator;
import dev.kv.bytes.Slice;
import dev.kv.core.db.DbTestBase;
import dev.kv.load.BulkLoader;
import dev.kv.options.CompactionFilter;
import dev.kv.options.CompactionFilter.Decision;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.Test;

/** Seeks over many tombstones: later ones begin after them, and no key is missed. */
class TombstoneSkipIndexTest extends DbTestBase {
  private static final int DELETED = 1000;

  /** So many seeks make a range known: the first one offers it, the second one proves it. */
  private static final int PROOF = 3;

  private void putAndDelete(int from, int to) {
    for (int i = from; i < to; i++) {
      db.put(b(key(i)), b("v"));
      db.delete(b(key(i)));
    }
  }

  private String first(ReadOptions how) {
    try (DBIterator cursor = db.iterator(how)) {
      cursor.seekToFirst();
      return cursor.isValid() ? s(cursor.key()) : NOT_FOUND;
    }
  }

  private String first() {
    return first(ReadOptions.DEFAULT);
  }

  private String seek(String key) {
    try (DBIterator cursor = db.iterator()) {
      cursor.seek(b(key));
      return cursor.isValid() ? s(cursor.key()) : NOT_FOUND;
    }
  }

  private void openWithDeletedFront() {
    open();
    putAndDelete(0, DELETED);
    db.put(b(key(DELETED)), b("front"));
    for (int i = 0; i < PROOF; i++) {
      assertThat(first()).isEqualTo(key(DELETED));
    }
  }

  /** The bytewise order, which counts its calls. */
  private static final class Counting implements DBComparator {
    private long calls;

    @Override
    public String name() {
      return "counting";
    }

    @Override
    public int compare(Slice a, Slice b) {
      calls++;
      return DBComparator.bytewise().compare(a, b);
    }
  }

  @Test
  void seekToFirst_afterManyTombstones_comparesFewKeys() {
    Counting order = new Counting();
    open(defaults().toBuilder().comparator(order).compaction(c -> c.seekTriggered(false)).build());
    putAndDelete(0, DELETED);
    db.put(b(key(DELETED)), b("front"));
    first();
    first();
    long before = order.calls;
    assertThat(first()).isEqualTo(key(DELETED));
    assertThat(order.calls - before).isLessThan(100);
  }

  @Test
  void queue_ofManySteps_comparesFewKeysInEachSeek() {
    Counting order = new Counting();
    open(defaults().toBuilder().comparator(order).compaction(c -> c.seekTriggered(false)).build());
    db.put(b(key(0)), b("v"));
    long seeking = 0;
    for (int i = 0; i < 5000; i++) {
      db.put(b(key(i + 1)), b("v"));
      long before = order.calls;
      assertThat(first()).isEqualTo(key(i));
      seeking += order.calls - before;
      db.delete(b(key(i)));
    }
    assertThat(seeking / 5000).isLessThan(300);
  }

  @Test
  void seekToFirst_inAnEmptyQueueThatNobodyWritesTo_comparesFewKeys() {
    Counting order = new Counting();
    open(defaults().toBuilder().comparator(order).compaction(c -> c.seekTriggered(false)).build());
    putAndDelete(0, DELETED);
    first();
    first();
    long before = order.calls;
    assertThat(first()).isEqualTo(NOT_FOUND);
    assertThat(order.calls - before).isLessThan(100);
    db.put(b(key(DELETED)), b("v"));
    assertThat(first()).isEqualTo(key(DELETED));
  }

  @Test
  void put_intoASkippedRange_isFound() {
    openWithDeletedFront();
    db.put(b(key(500)), b("v"));
    assertThat(first()).isEqualTo(key(500));
    assertThat(seek(key(300))).isEqualTo(key(500));
    db.put(b(key(0)), b("v"));
    assertThat(first()).isEqualTo(key(0));
    db.delete(b(key(0)));
    db.delete(b(key(500)));
    assertThat(first()).isEqualTo(key(DELETED));
  }

  @Test
  void put_betweenAViewAndItsSeeks_isFoundByLaterViews() {
    open();
    putAndDelete(0, DELETED);
    db.put(b(key(DELETED)), b("front"));
    try (DBIterator before = db.iterator()) {
      db.put(b(key(500)), b("v"));
      for (int i = 0; i < PROOF; i++) {
        before.seekToFirst();
        assertThat(s(before.key())).isEqualTo(key(DELETED));
      }
      assertThat(first()).isEqualTo(key(500));
    }
  }

  @Test
  void snapshot_fromBeforeTheDeletes_seesTheKeys() {
    open();
    for (int i = 0; i <= DELETED; i++) {
      db.put(b(key(i)), b("v"));
    }
    try (Snapshot snapshot = db.snapshot()) {
      for (int i = 0; i < DELETED; i++) {
        db.delete(b(key(i)));
      }
      for (int i = 0; i < PROOF; i++) {
        assertThat(first()).isEqualTo(key(DELETED));
      }
      ReadOptions then = ReadOptions.builder().snapshot(snapshot).build();
      assertThat(first(then)).isEqualTo(key(0));
    }
  }

  @Test
  void load_intoASkippedRange_isFound() {
    openWithDeletedFront();
    try (BulkLoader loader = db.loads().bulkLoader()) {
      loader.put(b(key(500)), b("v"));
      loader.finish();
    }
    assertThat(first()).isEqualTo(key(500));
  }

  /**
   * A filter takes keys away without a number. A snapshot that is taken while it runs has the
   * number of the proof, and still sees the keys.
   */
  @Test
  void snapshot_fromBeforeAFilterDroppedKeys_seesThem() {
    AtomicReference<Snapshot> meanwhile = new AtomicReference<>();
    CompactionFilter filter =
        (level, key, value) -> {
          if (meanwhile.get() == null) {
            meanwhile.set(db.snapshot());
          }
          return value.length() == 4 ? Decision.DROP : Decision.KEEP;
        };
    open(defaults().toBuilder().compaction(c -> c.filter(filter)).build());
    for (int i = 10; i <= DELETED; i++) {
      db.put(b(key(i)), b("v"));
    }
    try (Snapshot keepsTombstones = db.snapshot()) {
      for (int i = 0; i < 10; i++) {
        db.put(b(key(i)), b("drop"));
      }
      for (int i = 10; i < DELETED; i++) {
        db.delete(b(key(i)));
      }
      compact(null, null);
      assertThat(meanwhile.get().sequence()).isGreaterThan(keepsTombstones.sequence());
    }
    try (Snapshot snapshot = meanwhile.get()) {
      for (int i = 0; i < PROOF; i++) {
        assertThat(first()).isEqualTo(key(DELETED));
      }
      assertThat(first(ReadOptions.builder().snapshot(snapshot).build())).isEqualTo(key(0));
    }
  }

  @Test
  void queuesOfSeveralPrefixes_areSkippedEachAndMissNothing() {
    open();
    for (int i = 0; i < DELETED; i++) {
      for (String queue : List.of("a", "b", "c")) {
        db.put(b(queue + key(i)), b("v"));
        db.delete(b(queue + key(i)));
      }
    }
    for (String queue : List.of("a", "b", "c", "a", "b", "c", "a", "b", "c")) {
      assertThat(first(ReadOptions.withPrefix(b(queue)))).isEqualTo(NOT_FOUND);
    }
    db.put(b("b" + key(7)), b("v"));
    assertThat(first(ReadOptions.withPrefix(b("a")))).isEqualTo(NOT_FOUND);
    assertThat(first(ReadOptions.withPrefix(b("b")))).isEqualTo("b" + key(7));
    assertThat(first(ReadOptions.withPrefix(b("c")))).isEqualTo(NOT_FOUND);
    assertThat(first()).isEqualTo("b" + key(7));
  }

  @Test
  void bounds_insideASkippedRange_hold() {
    openWithDeletedFront();
    ReadOptions inside =
        ReadOptions.builder().lowerBound(b(key(10))).upperBound(b(key(20))).build();
    assertThat(first(inside)).isEqualTo(NOT_FOUND);
    ReadOptions beyond =
        ReadOptions.builder().lowerBound(b(key(10))).upperBound(b(key(DELETED + 1))).build();
    assertThat(first(beyond)).isEqualTo(key(DELETED));
    try (DBIterator cursor = db.iterator()) {
      cursor.seekToFirst();
      cursor.prev();
      assertThat(cursor.isValid()).isFalse();
      cursor.seekForPrev(b(key(DELETED)));
      assertThat(s(cursor.key())).isEqualTo(key(DELETED));
    }
  }

  @Test
  void readOnlyDatabase_seeksAgain_findsTheSame() {
    openWithDeletedFront();
    close();
    try (ReadOnlyDB reading = DB.openReadOnly(directory, Options.DEFAULT);
        DBIterator cursor = reading.iterator()) {
      for (int i = 0; i < PROOF; i++) {
        cursor.seekToFirst();
        assertThat(s(cursor.key())).isEqualTo(key(DELETED));
      }
    }
  }

  /**
   * Writers put and delete in a few keys; every snapshot must show the same keys to seeks, which
   * skip ranges, and to a walk backward, which does not.
   */
  @Test
  void seeks_besideWriters_seeWhatAWalkBackwardSees() throws InterruptedException {
    int keys = 2000;
    open();
    AtomicBoolean stop = new AtomicBoolean();
    AtomicReference<Throwable> failure = new AtomicReference<>();
    List<Thread> writers = new ArrayList<>();
    writers.add(loop(stop, failure, random -> putAndDelete(0, keys)));
    writers.add(
        loop(
            stop,
            failure,
            random -> {
              byte[] key = b(key(random.nextInt(keys)));
              if (random.nextInt(200) == 0) {
                try (BulkLoader loader = db.loads().bulkLoader()) {
                  loader.put(key, b("loaded"));
                  loader.finish();
                }
              } else {
                db.put(key, b("v"));
              }
              first();
              db.delete(key);
            }));
    List<Thread> readers = new ArrayList<>();
    for (int i = 0; i < 2; i++) {
      AtomicBoolean enough = new AtomicBoolean();
      int[] checks = {0};
      readers.add(
          loop(
              enough,
              failure,
              random -> {
                enough.set(++checks[0] == 300);
                compareWithWalk(key(random.nextInt(keys)));
              }));
    }
    for (Thread reader : readers) {
      reader.join();
    }
    stop.set(true);
    for (Thread writer : writers) {
      writer.join();
    }
    assertThat(failure.get()).isNull();
  }

  private interface Turn {
    void once(Random random);
  }

  private static Thread loop(AtomicBoolean stop, AtomicReference<Throwable> failure, Turn turn) {
    Random random = new Random(1401);
    Thread thread =
        new Thread(
            () -> {
              try {
                while (!stop.get() && failure.get() == null) {
                  turn.once(random);
                }
              } catch (Throwable e) {
                failure.compareAndSet(null, e);
              }
            });
    thread.start();
    return thread;
  }

  private void compareWithWalk(String from) {
    try (Snapshot snapshot = db.snapshot();
        DBIterator cursor = db.iterator(ReadOptions.builder().snapshot(snapshot).build())) {
      String first = NOT_FOUND;
      String after = NOT_FOUND;
      for (int i = 0; i < PROOF; i++) {
        cursor.seek(b(from));
        after = cursor.isValid() ? s(cursor.key()) : NOT_FOUND;
        cursor.seekToFirst();
        first = cursor.isValid() ? s(cursor.key()) : NOT_FOUND;
      }
      String firstWalked = NOT_FOUND;
      String afterWalked = NOT_FOUND;
      for (cursor.seekToLast(); cursor.isValid(); cursor.prev()) {
        firstWalked = s(cursor.key());
        afterWalked = firstWalked.compareTo(from) >= 0 ? firstWalked : afterWalked;
      }
      assertThat(first).as("first").isEqualTo(firstWalked);
      assertThat(after).as("from " + from).isEqualTo(afterWalked);
    }
  }
}
