package dev.kv.core.change;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.kv.DB;
import dev.kv.DBIterator;
import dev.kv.ReadOptions;
import dev.kv.Snapshot;
import dev.kv.WriteBatch;
import dev.kv.bytes.DBComparator;
import dev.kv.bytes.Slice;
import dev.kv.core.Directories;
import dev.kv.core.db.Config;
import dev.kv.core.db.DbTestBase;
import dev.kv.core.env.FileName;
import dev.kv.core.version.FileMetadata;
import dev.kv.errors.CorruptionException;
import dev.kv.errors.DBClosedException;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Random;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;

/** Range deletes, as a program sees them. */
class RangeDeleteTest extends DbTestBase {
  private void deleteRange(String from, String to) {
    db.deleteRange(from == null ? null : b(from), to == null ? null : b(to));
  }

  @ParameterizedTest
  @CsvSource({
    "b, d, (a->1)(d->4)(e->5)",
    "b, bb, (a->1)(c->3)(d->4)(e->5)",
    "bb, cc, (a->1)(b->2)(d->4)(e->5)",
    ", c, (c->3)(d->4)(e->5)",
    "c, , (a->1)(b->2)",
    "f, z, (a->1)(b->2)(c->3)(d->4)(e->5)",
    "c, c, (a->1)(b->2)(c->3)(d->4)(e->5)",
    "'', b, (b->2)(c->3)(d->4)(e->5)",
    "b, '\u00ff', (a->1)",
  })
  void range_inMemtableLevelZeroOrBelow_isDeletedExactly(String from, String to, String left) {
    for (int place = 0; place < 4; place++) {
      destroyAndReopen(defaults());
      int value = 1;
      for (String key : List.of("a", "b", "c", "d", "e")) {
        put(key, Integer.toString(value++));
        if (place == 1) {
          db.admin().flush();
        }
      }
      if (place >= 2) {
        db.admin().flush();
      }
      if (place == 3) {
        compact(null, null);
      }
      deleteRange(from, to);
      assertThat(contents()).as("place %d", place).isEqualTo(left);
      reopen();
      assertThat(contents()).as("place %d, reopened", place).isEqualTo(left);
      compact(null, null);
      assertThat(contents()).as("place %d, compacted", place).isEqualTo(left);
    }
  }

  @Test
  void range_withoutBounds_leavesAnEmptyDatabase() {
    open();
    for (int i = 0; i < 1000; i++) {
      put(key(i), "v");
    }
    db.deleteRange(null, null);
    assertThat(contents()).isEmpty();
    assertThat(totalFiles()).isZero();
    put("", "again");
    assertThat(contents()).isEqualTo("(->again)");
    db.deleteRange(null, b("a"));
    assertThat(contents()).isEmpty();
  }

  @Test
  void range_thatEndsBeforeItBegins_isRefused() {
    open();
    assertThatThrownBy(() -> deleteRange("b", "a"))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("from 'b' to 'a'");
  }

  @Test
  void prefix_ofKeys_isDeletedExactly() {
    open();
    for (String key :
        List.of("a", "a\u00ff", "a\u00ff\u00ff", "ab", "b", "\u00ff", "\u00ff\u00ff")) {
      put(key, "1");
    }
    db.admin().flush();
    db.deletePrefix(b("a\u00ff"));
    assertThat(contents()).isEqualTo("(a->1)(ab->1)(b->1)(\u00ff->1)(\u00ff\u00ff->1)");
    db.deletePrefix(b("\u00ff"));
    assertThat(contents()).isEqualTo("(a->1)(ab->1)(b->1)");
    db.deletePrefix(b(""));
    assertThat(contents()).isEmpty();
  }

  @Test
  void range_inTheOrderOfAnotherComparator_isDeletedExactly() {
    DBComparator reverse =
        new DBComparator() {
          @Override
          public String name() {
            return "test.Reverse";
          }

          @Override
          public int compare(Slice a, Slice b) {
            return b.compareTo(a);
          }
        };
    open(defaults().toBuilder().comparator(reverse).build());
    for (String key : List.of("a", "b", "c", "d", "e")) {
      put(key, "1");
      db.admin().flush();
    }
    deleteRange("d", "b");
    assertThat(contents()).isEqualTo("(e->1)(b->1)(a->1)");
    assertThatThrownBy(() -> deleteRange("b", "d")).isInstanceOf(IllegalArgumentException.class);
    assertThatThrownBy(() -> db.deletePrefix(b("a"))).isInstanceOf(IllegalArgumentException.class);
    deleteRange("e", null);
    assertThat(contents()).isEmpty();
  }

  /** The newer entry lies in a table that is removed, the older one in a table that stays. */
  @Test
  void hiddenEntry_ofATableThatStays_doesNotComeBack() {
    open();
    put("a", "old");
    put("m", "old");
    put("z", "old");
    db.admin().flush();
    compact(null, null);
    put("m", "new");
    db.admin().flush();
    deleteRange("l", "n");
    assertThat(contents()).isEqualTo("(a->old)(z->old)");
    compact(null, null);
    assertThat(contents()).isEqualTo("(a->old)(z->old)");

    put("m", "newer");
    db.admin().flush();
    compact(null, null);
    delete("m");
    db.admin().flush();
    deleteRange("l", "n");
    compact(null, null);
    assertThat(contents()).isEqualTo("(a->old)(z->old)");
  }

  /** Of a level from 1 on, only the tables at the two ends of the range are read. */
  @Test
  void tables_insideTheRange_areRemovedWithoutBeingRead() throws IOException {
    open(defaults().toBuilder().maxFileSize(1 << 20).build());
    Random random = new Random(301);
    for (int i = 0; i < 4000; i++) {
      put(key(i), randomValue(random, 2000));
    }
    db.admin().flush();
    compact(null, null);
    List<FileMetadata> tables = new ArrayList<>();
    for (int level = 1; level < 7; level++) {
      tables.addAll(parts().versions().current().files(level));
    }
    assertThat(tables).hasSizeGreaterThan(4);
    reopen();
    for (FileMetadata each : tables.subList(1, tables.size() - 1)) {
      Files.write(
          directory.resolve(String.format(Locale.ROOT, "%06d.ldb", each.number())), new byte[0]);
    }
    deleteRange(key(10), key(3990));
    assertThat(totalFiles()).isEqualTo(3);
    assertThat(
            db.admin()
                .approximateSizes(List.of(new dev.kv.bytes.Range(b(key(10)), b(key(3990)))))[0])
        .isLessThan(3 << 20);
    await("the space", () -> files(FileName.Kind.TABLE).size() == 3);
    assertThat(get(key(9))).hasSize(2000);
    assertThat(get(key(3990))).hasSize(2000);
    try (DBIterator cursor = db.iterator()) {
      int count = 0;
      for (cursor.seekToFirst(); cursor.isValid(); cursor.next()) {
        count++;
      }
      assertThat(count).isEqualTo(20);
    }
  }

  @Test
  void table_thatIsDamagedAtAnEndOfTheRange_failsTheCallAndChangesNothing() throws IOException {
    open(defaults());
    put("a", "1".repeat(100));
    put("m", "1");
    db.admin().flush();
    reopen();
    Path table = directory.resolve(files(FileName.Kind.TABLE).get(0));
    byte[] bytes = Files.readAllBytes(table);
    bytes[5] ^= 1;
    Files.write(table, bytes);
    assertThatThrownBy(() -> deleteRange("l", "n")).isInstanceOf(CorruptionException.class);
    put("b", "2");
    assertThat(get("b")).isEqualTo("2");
    deleteRange("a", "n");
    assertThat(contents()).isEmpty();
  }

  @Test
  void rangeWithoutEntries_deleted_writesNothing() {
    open();
    put("a", "1");
    db.admin().flush();
    long before = sequence();
    List<String> tables = files(FileName.Kind.TABLE);
    deleteRange("b", "c");
    assertThat(sequence()).isEqualTo(before);
    assertThat(files(FileName.Kind.TABLE)).isEqualTo(tables);
  }

  @Test
  void tombstones_writtenForARange_countAsBytesWrittenToLevelZero() {
    open();
    put("a", "1");
    put("m", "1");
    put("z", "1");
    db.admin().flush();
    compact(null, null);
    long before = db.admin().stats().levels().get(0).compactionBytesWritten();
    deleteRange("m", "n");
    assertThat(db.admin().stats().levels().get(0).compactionBytesWritten() - before)
        .isEqualTo(parts().versions().current().files(0).get(0).size());
  }

  private long sequence() {
    try (Snapshot snapshot = db.snapshot()) {
      return snapshot.sequence();
    }
  }

  @Test
  void level0_afterRangeDeletes_isInSequenceOrder() {
    open();
    db.admin().suspendCompactions();
    for (int i = 0; i < 3; i++) {
      put("a", "v" + i);
      put("m", "v" + i);
      put("z", "v" + i);
      deleteRange("l", "n");
      assertThat(get("m")).isEqualTo(NOT_FOUND);
      assertThat(parts().versions().current().levelZeroInOrder()).isTrue();
    }
    reopen();
    assertThat(parts().versions().current().levelZeroInOrder()).isTrue();
    assertThat(contents()).isEqualTo("(a->v2)(z->v2)");
  }

  /** A snapshot keeps the files of the tables that the range delete removed. */
  @Test
  void repair_ofADatabaseWithARangeDelete_bringsNothingBack() throws IOException {
    open();
    for (int i = 0; i < 100; i++) {
      put(key(i), "v" + i);
    }
    db.admin().flush();
    put(key(50), "newer");
    db.admin().flush();
    db.admin().waitForCompactions(); // until the flushed log is deleted
    Snapshot snapshot = db.snapshot();
    deleteRange(key(10), key(100));
    put(key(60), "after");
    Path copy = Directories.copy(directory, temp.resolve("copy"));
    snapshot.close();
    DB.repair(copy, options);
    try (DB repaired = DB.open(copy, options);
        DBIterator cursor = repaired.iterator()) {
      int count = 0;
      for (cursor.seekToFirst(); cursor.isValid(); cursor.next()) {
        count++;
      }
      assertThat(count).isEqualTo(11);
      assertThat(s(repaired.get(b(key(60))))).isEqualTo("after");
    }
  }

  @Test
  void closedDatabase_refusesRangeDeletes() {
    open();
    DB closed = db;
    close();
    assertThatThrownBy(() -> closed.deleteRange(null, null)).isInstanceOf(DBClosedException.class);
    assertThatThrownBy(() -> closed.deletePrefix(b("a"))).isInstanceOf(DBClosedException.class);
  }

  @Test
  void rangeDelete_whileCompactionsAreSuspended_works() {
    open();
    put("a", "1");
    put("b", "1");
    db.admin().suspendCompactions();
    deleteRange("a", "b");
    db.admin().resumeCompactions();
    assertThat(contents()).isEqualTo("(b->1)");
  }

  /**
   * One thread writes all keys of a range in one batch, and deletes the range. Readers must find
   * all keys of one round, or none.
   */
  @ParameterizedTest
  @EnumSource
  void rangeDelete_besideReaders_isSeenWholeOrNotAtAll(Config config) throws Exception {
    open(config.options());
    int keys = 50;
    int rounds = 40;
    AtomicBoolean end = new AtomicBoolean();
    AtomicInteger views = new AtomicInteger();
    AtomicReference<Throwable> failure = new AtomicReference<>();
    List<Thread> readers = new ArrayList<>();
    for (int i = 0; i < 3; i++) {
      boolean withSnapshot = i == 0;
      Thread reader =
          new Thread(
              () -> {
                try {
                  while (!end.get()) {
                    expectOneRound(keys, withSnapshot);
                    views.incrementAndGet();
                  }
                } catch (Throwable e) {
                  failure.compareAndSet(null, e);
                }
              });
      reader.start();
      readers.add(reader);
    }
    for (int round = 0; round < rounds && failure.get() == null; round++) {
      WriteBatch batch = batch();
      for (int i = 0; i < keys; i++) {
        batch.put(b(key(i)), b("r" + round));
      }
      db.write(batch);
      put("a", "before");
      put("z", "after");
      if (round % 3 == 0) {
        db.admin().flush();
      }
      deleteRange(key(0), round % 2 == 0 ? key(keys) : null);
    }
    end.set(true);
    for (Thread each : readers) {
      each.join();
    }
    if (failure.get() != null) {
      throw new AssertionError(failure.get());
    }
    assertThat(views.get()).isPositive();
  }

  private void expectOneRound(int keys, boolean withSnapshot) {
    Snapshot snapshot = withSnapshot ? db.snapshot() : null;
    ReadOptions options = ReadOptions.builder().snapshot(snapshot).prefix(b("key")).build();
    for (int i = 0; i < (withSnapshot ? 3 : 1); i++) {
      List<String> found = new ArrayList<>();
      try (DBIterator cursor = db.iterator(options)) {
        for (cursor.seekToFirst(); cursor.isValid(); cursor.next()) {
          found.add(s(cursor.value()));
        }
      }
      if (!found.isEmpty()) {
        assertThat(found).hasSize(keys).containsOnly(found.get(0));
      }
    }
    if (snapshot != null) {
      snapshot.close();
    }
  }
}
