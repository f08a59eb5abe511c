package dev.kv.core.state;

import static org.assertj.core.api.Assertions.assertThat;

import dev.kv.Options;
import dev.kv.ReadOptions;
import dev.kv.admin.DBStats;
import dev.kv.bytes.Range;
import dev.kv.core.db.DbTestBase;
import dev.kv.options.CompressionType;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

/** The properties of a database. */
class DatabaseStatsTest extends DbTestBase {
  private static final Options UNCOMPRESSED =
      defaults().toBuilder().compression(CompressionType.NONE).build();

  private @Nullable String property(String name) {
    return db.admin().property(name);
  }

  private static DBStats stats(List<DBStats.OpenIterator> iterators) {
    return new DBStats(
        List.of(new DBStats.Level(1, 100, 0, 0, 200), new DBStats.Level(2, 300, 0, 0, 1000)),
        new DBStats.Memory(
            new DBStats.OffHeap(1, 10, 100, 1000, 5000),
            new DBStats.Cache(900, 31, 32, 33),
            34,
            35),
        new DBStats.Reads(1, List.of(2L, 3L), 4, 5, 6, 7, 8, 9),
        new DBStats.Writes(11, 100, 13, 14, 15, new DBStats.WriteStalls(16, 17, 18)),
        new DBStats.Recovery(0, 0, 0, ""),
        new DBStats.Views(21, 22, 23, iterators),
        new DBStats.Transactions(0, 0, 0, 0, 0, 0),
        new DBStats.Filtered(41, 42, 43));
  }

  @Test
  void properties_ofKv_haveTheNumbersOfTheStatistics() {
    DBStats stats = stats(List.of(new DBStats.OpenIterator(24, List.of())));
    Map<String, String> expected = new TreeMap<>();
    expected.put("kv.lookups", Long.toString(stats.reads().lookups()));
    expected.put("kv.lookups-answered-by-memtables", "1");
    expected.put("kv.lookups-answered-by-level0", "2");
    expected.put("kv.lookups-answered-by-level1", "3");
    expected.put("kv.lookups-not-found", "4");
    expected.put("kv.filter-negatives", "5");
    expected.put("kv.filter-false-positives", "6");
    expected.put("kv.cached-negatives", "7");
    expected.put("kv.lookup-blocks", "8");
    expected.put("kv.iterators", "9");
    expected.put("kv.cache-hits", "32");
    expected.put("kv.cache-misses", "33");
    expected.put("kv.cache-bytes", "31");
    expected.put("kv.write-operations", "11");
    expected.put("kv.write-bytes", "100");
    expected.put("kv.syncs", "13");
    expected.put("kv.sync-micros", "14");
    expected.put("kv.stall-delays", "16");
    expected.put("kv.stall-stops", "17");
    expected.put("kv.stall-micros", "18");
    expected.put("kv.compaction-filter-dropped", "41");
    expected.put("kv.compaction-filter-replaced", "42");
    expected.put("kv.compaction-filter-failures", "43");
    expected.put("kv.read-amplification", two(stats.readAmplification()));
    expected.put("kv.write-amplification", two(stats.writeAmplification()));
    expected.put("kv.space-amplification", two(stats.spaceAmplification()));
    expected.put("kv.table-bytes", "400");
    expected.put("kv.off-heap-bytes", "1111");
    expected.put("kv.mapped-bytes", "34");
    expected.put("kv.open-tables", "35");
    expected.put("kv.snapshots", "21");
    expected.put("kv.open-iterators", "22");
    expected.put("kv.leaked-iterators", "23");
    expected.put("kv.oldest-iterator-micros", "24");
    expected.put("kv.last-sequence", "15");
    expected.put("kv.undeleted-files", "51");
    Map<String, String> found = new TreeMap<>();
    String text = StatsProperties.of(stats, 51, () -> null, "kv.stats");
    assertThat(text).isNotNull();
    text.lines().forEach(line -> found.put(line.split(" ")[0], line.split(" ")[1]));
    assertThat(found).isEqualTo(expected);
    expected.forEach(
        (name, value) ->
            assertThat(StatsProperties.of(stats, 51, () -> null, name)).isEqualTo(value));
    assertThat(StatsProperties.of(stats, 51, () -> "61", "kv.stats"))
        .endsWith("kv.estimate-num-keys 61\n");
    assertThat(StatsProperties.of(stats(List.of()), 51, () -> null, "kv.oldest-iterator-micros"))
        .isEqualTo("0");
    assertThat(StatsProperties.of(stats, 51, () -> null, "kv.other")).isNull();
  }

  private static String two(double value) {
    return String.format(Locale.ROOT, "%.2f", value);
  }

  @Test
  void properties_ofLevelDb_areItsNumbersAndTexts() {
    open();
    put("a", "1");
    db.admin().flush(); // to level 2
    assertThat(property("leveldb.num-files-at-level0")).isEqualTo("0");
    assertThat(property("leveldb.num-files-at-level2")).isEqualTo("1");
    assertThat(property("leveldb.num-files-at-level6")).isEqualTo("0");
    for (String level : List.of("7", "-1", "", "x", "1x", "9999999999999999999")) {
      assertThat(property("leveldb.num-files-at-level" + level)).as(level).isNull();
    }
    assertThat(property("leveldb.stats")).startsWith("     ").contains("\n  2        1 ");
    assertThat(property("leveldb.sstables")).contains("--- level 2 ---");
    assertThat(property("leveldb.other")).isNull();
    assertThat(property("other.stats")).isNull();
    assertThat(property("kv.stats")).contains("kv.last-sequence 1\n");
    assertThat(property("kv.last-sequence")).isEqualTo("1");
  }

  @Test
  void memoryUsage_isThatOfTheCacheAndTheMemtables() {
    open(UNCOMPRESSED.toBuilder().tables(t -> t.readInPlace(false)).build());
    put("a", "1".repeat(1000));
    db.admin().flush();
    put("b", "2".repeat(500));
    get("a");
    long cached = db.admin().stats().memory().blockCache().charge();
    long memtables = parts().memTables().memoryUsed();
    assertThat(cached).isPositive();
    assertThat(memtables).isPositive();
    assertThat(property("leveldb.approximate-memory-usage"))
        .isEqualTo(Long.toString(cached + memtables));
  }

  @Test
  void estimatedKeys_ofTablesAndMemtables_areEntriesLessDeletedOnes() {
    open();
    assertThat(property("kv.estimate-num-keys")).isEqualTo("0");
    for (int i = 0; i < 100; i++) {
      put(key(i), "1");
    }
    assertThat(property("kv.estimate-num-keys")).isEqualTo("100");
    db.admin().flush();
    assertThat(property("kv.estimate-num-keys")).isEqualTo("100");
    for (int i = 0; i < 10; i++) {
      delete(key(i));
    }
    assertThat(property("kv.estimate-num-keys")).isEqualTo("90");
    db.admin().flush();
    assertThat(property("kv.estimate-num-keys")).isEqualTo("90");
    put(key(200), "1");
    assertThat(property("kv.estimate-num-keys")).isEqualTo("91");
    compact(null, null);
    assertThat(property("kv.estimate-num-keys")).isEqualTo("91");
    db.deleteRange(null, null);
    delete("never there");
    assertThat(property("kv.estimate-num-keys")).as("never negative").isEqualTo("0");
    assertThat(property("kv.stats")).contains("kv.estimate-num-keys 0\n");
  }

  @Test
  void approximateSizes_ofRanges_areTheBytesBetweenTheirEnds() {
    open(UNCOMPRESSED);
    for (int i = 0; i < 100; i++) {
      put(key(i), "v".repeat(1000));
    }
    db.admin().flush();
    assertThat(size(key(0), key(100))).isBetween(90_000L, 120_000L);
    assertThat(size(key(50), key(60))).isBetween(5_000L, 15_000L);
    assertThat(size(key(60), key(50))).isZero();
    assertThat(size("x", "z")).isZero();
    long all = size(key(0), "z");
    List<Range> open =
        List.of(
            new Range(null, null),
            new Range(b(key(0)), null),
            new Range(null, b("z")),
            new Range(null, b("a")),
            new Range(b("x"), null));
    assertThat(db.admin().approximateSizes(open)).containsExactly(all, all, all, 0, 0);
  }

  @Test
  void statistics_ofOpenIterators_forgetThoseThatAreClosed() {
    open();
    db.iterator(ReadOptions.DEFAULT).close();
    assertThat(db.admin().stats().views().iterators()).isZero();
    assertThat(db.admin().stats().memory().offHeap().total())
        .isEqualTo(parts().context().budget().used());
  }
}
