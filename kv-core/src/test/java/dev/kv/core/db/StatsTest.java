package dev.kv.core.db;

import static org.assertj.core.api.Assertions.assertThat;

import dev.kv.DBIterator;
import dev.kv.FilterPolicy;
import dev.kv.Options;
import dev.kv.WriteOptions;
import dev.kv.admin.DBStats;
import dev.kv.load.BulkLoader;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.junit.jupiter.api.Test;

/** The counters of {@link DBStats}, and the properties that show them. */
class StatsTest extends DbTestBase {

  @Test
  void lookups_countWhereTheyWereAnswered() {
    open();
    put("deep", "1");
    db.admin().flush(); // to level 2
    put("deeper than the memtable", "2");
    fillLevel0("m");
    put("memory", "3");

    get("memory");
    get("memory");
    get("deep");
    get("m");
    get("nowhere");
    DBStats.Reads reads = db.admin().stats().reads();
    assertThat(reads.memtables()).isEqualTo(2);
    assertThat(reads.levels().get(0)).isEqualTo(1);
    assertThat(reads.levels().get(2)).isEqualTo(1);
    assertThat(reads.notFound()).isEqualTo(1);
    assertThat(reads.lookups()).isEqualTo(5);
  }

  /** Leaves a table with the key in level 0, above one of each level that a flush writes to. */
  private void fillLevel0(String key) {
    for (int i = 0; i < 4 && filesAt(0) == 0; i++) {
      put("a", "begin");
      put(key, "level 0");
      put("z", "end");
      db.admin().flush();
    }
    assertThat(filesAt(0)).isEqualTo(1);
  }

  @Test
  void lookup_answeredByATombstone_countsWhereItIs() {
    open();
    put("a", "1");
    db.admin().flush();
    delete("a");
    assertThat(get("a")).isEqualTo(NOT_FOUND);
    assertThat(db.admin().stats().reads().memtables()).isEqualTo(1);
    assertThat(db.admin().stats().reads().notFound()).isZero();
  }

  @Test
  void filter_negativesAndFalsePositives_addUpToTheMissingKeys() {
    open(defaults().toBuilder().filterPolicy(FilterPolicy.bloom(10)).build());
    for (int i = 0; i < 2000; i += 2) {
      put(key(i), "v");
    }
    db.admin().flush();
    for (int i = 1; i < 1999; i += 2) {
      assertThat(get(key(i))).isEqualTo(NOT_FOUND);
    }
    DBStats.Reads reads = db.admin().stats().reads();
    assertThat(reads.filterNegatives() + reads.filterFalsePositives()).isEqualTo(999);
    assertThat(reads.filterNegatives()).isGreaterThan(900);
    assertThat(reads.blocks()).isEqualTo(reads.filterFalsePositives());
    assertThat(db.admin().stats().readAmplification()).isLessThan(0.1);
  }

  @Test
  void lookups_ofManyThreads_areAllCounted() throws InterruptedException {
    open();
    put("a", "1");
    List<Thread> threads = new ArrayList<>();
    for (int i = 0; i < 40; i++) {
      Thread thread =
          new Thread(
              () -> {
                for (int n = 0; n < 1000; n++) {
                  get("a");
                }
              });
      threads.add(thread);
      thread.start();
    }
    for (Thread thread : threads) {
      thread.join();
    }
    assertThat(db.admin().stats().reads().memtables()).isEqualTo(40_000);
  }

  @Test
  void writes_countOperationsBytesAndSyncs() {
    open();
    put("a", "12345");
    delete("b");
    db.put(WriteOptions.SYNC, b("c"), b("6"));
    DBStats.Writes writes = db.admin().stats().writes();
    assertThat(writes.operations()).isEqualTo(3);
    assertThat(writes.bytes()).isBetween(9L, 100L);
    assertThat(writes.syncs()).isEqualTo(1);
    reopen();
    assertThat(db.admin().stats().writes())
        .isEqualTo(new DBStats.Writes(0, 0, 0, 0, 3, new DBStats.WriteStalls(0, 0, 0)));
  }

  @Test
  void operations_doNotCountARangeDeleteNorALoad() {
    open();
    put("a", "1");
    put("b", "2");
    db.admin().flush();
    db.deleteRange(b("b"), null);
    try (BulkLoader loader = db.loads().bulkLoader()) {
      loader.put(b("c"), b("3"));
      loader.finish();
    }
    delete("a");
    assertThat(db.admin().stats().writes().operations()).isEqualTo(3);
    reopen();
    assertThat(db.admin().stats().writes().operations()).isZero();
  }

  @Test
  void amplification_isTheRatioOfBytes() {
    open();
    assertThat(db.admin().stats().readAmplification()).isZero();
    assertThat(db.admin().stats().writeAmplification()).isZero();
    assertThat(db.admin().stats().spaceAmplification()).isZero();
    put("a", "x".repeat(10_000));
    assertThat(db.admin().stats().writeAmplification()).isEqualTo(1.0);
    db.admin().flush();
    assertThat(db.admin().stats().writeAmplification()).isGreaterThan(1.0);
    assertThat(db.admin().stats().spaceAmplification()).isEqualTo(1.0);
    put("a", "y".repeat(10_000));
    db.admin().flush();
    assertThat(db.admin().stats().spaceAmplification()).isGreaterThan(1.5);
    compact(null, null);
    assertThat(db.admin().stats().spaceAmplification()).isEqualTo(1.0);
  }

  @Test
  void openIterators_areDescribedOldestFirst() {
    open(defaults().toBuilder().monitoring(m -> m.trackIterators(true)).build());
    put("a", "1");
    try (DBIterator first = openFirst();
        DBIterator second = db.iterator()) {
      first.seekToFirst();
      second.seekToFirst();
      List<DBStats.OpenIterator> open = db.admin().stats().views().oldestIterators();
      assertThat(open).hasSize(2);
      assertThat(open.get(0).ageMicros()).isGreaterThanOrEqualTo(open.get(1).ageMicros());
      assertThat(open.get(0).opened().toString()).contains("StatsTest.openFirst(");
      assertThat(open.get(1).opened().toString()).doesNotContain("StatsTest.openFirst(");
    }
    assertThat(db.admin().stats().views().oldestIterators()).isEmpty();
    assertThat(db.admin().stats().reads().iterators()).isEqualTo(2);
  }

  private DBIterator openFirst() {
    return db.iterator();
  }

  @Test
  void openIterators_untracked_haveAnAgeAndNoPlace() {
    open(defaults().toBuilder().monitoring(m -> m.trackIterators(false)).build());
    List<DBIterator> open = new ArrayList<>();
    for (int i = 0; i < 15; i++) {
      open.add(db.iterator());
    }
    assertThat(db.admin().stats().views().iterators()).isEqualTo(15);
    assertThat(db.admin().stats().views().oldestIterators())
        .hasSize(10)
        .allMatch(each -> each.opened().isEmpty() && each.ageMicros() >= 0);
    open.forEach(DBIterator::close);
  }

  @Test
  void properties_ofKv_areTheStatistics() {
    open(Options.builder().createIfMissing(true).build());
    put("a", "1");
    get("a");
    String text = db.admin().property("kv.stats");
    Map<String, String> values = new TreeMap<>();
    text.lines().forEach(line -> values.put(line.split(" ")[0], line.split(" ")[1]));
    assertThat(values)
        .containsEntry("kv.lookups", "1")
        .containsEntry("kv.lookups-answered-by-memtables", "1")
        .containsEntry("kv.write-operations", "1")
        .containsEntry("kv.write-amplification", "1.00")
        .containsEntry("kv.last-sequence", "1");
    assertThat(values)
        .allSatisfy((name, value) -> assertThat(db.admin().property(name)).isEqualTo(value));
    assertThat(db.admin().property("kv.")).isNull();
    assertThat(db.admin().property("kv.nothing")).isNull();
    assertThat(db.admin().property("other.stats")).isNull();
  }
}
