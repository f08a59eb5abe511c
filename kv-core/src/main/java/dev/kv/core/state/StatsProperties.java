package dev.kv.core.state;

import dev.kv.admin.DBStats;
import java.util.LinkedHashMap;
import java.util.Locale;
import java.util.Map;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * The statistics as properties: {@code kv.} and a name give one number, and {@code kv.stats} gives
 * all of them, a line each.
 */
final class StatsProperties {
  static final String PREFIX = "kv.";

  /** The property whose value is read from tables, and not from the statistics. */
  static final String ESTIMATE = "kv.estimate-num-keys";

  private StatsProperties() {}

  /**
   * Returns the value of a property whose name begins with the prefix, or null if there is none.
   *
   * @param undeletedFiles the number of obsolete files that could not be deleted yet
   * @param estimatedKeys returns the estimate of the number of keys, or null if there is none
   */
  static @Nullable String of(
      DBStats stats, int undeletedFiles, Supplier<@Nullable String> estimatedKeys, String name) {
    Map<String, String> values = values(stats);
    put(values, "undeleted-files", undeletedFiles);
    if (!name.equals(PREFIX + "stats")) {
      return values.get(name);
    }
    String keys = estimatedKeys.get();
    if (keys != null) {
      values.put(ESTIMATE, keys);
    }
    StringBuilder text = new StringBuilder();
    values.forEach((key, value) -> text.append(key).append(' ').append(value).append('\n'));
    return text.toString();
  }

  private static Map<String, String> values(DBStats stats) {
    Map<String, String> values = new LinkedHashMap<>();
    DBStats.Reads reads = stats.reads();
    put(values, "lookups", reads.lookups());
    put(values, "lookups-answered-by-memtables", reads.memtables());
    for (int level = 0; level < reads.levels().size(); level++) {
      put(values, "lookups-answered-by-level" + level, reads.levels().get(level));
    }
    put(values, "lookups-not-found", reads.notFound());
    put(values, "filter-negatives", reads.filterNegatives());
    put(values, "filter-false-positives", reads.filterFalsePositives());
    put(values, "cached-negatives", reads.cachedNegatives());
    put(values, "lookup-blocks", reads.blocks());
    put(values, "iterators", reads.iterators());
    put(values, "cache-hits", stats.memory().blockCache().hits());
    put(values, "cache-misses", stats.memory().blockCache().misses());
    put(values, "cache-bytes", stats.memory().blockCache().charge());
    DBStats.Writes writes = stats.writes();
    put(values, "write-operations", writes.operations());
    put(values, "write-bytes", writes.bytes());
    put(values, "syncs", writes.syncs());
    put(values, "sync-micros", writes.syncMicros());
    put(values, "stall-delays", stats.writes().stalls().delays());
    put(values, "stall-stops", stats.writes().stalls().stops());
    put(values, "stall-micros", stats.writes().stalls().micros());
    put(values, "compaction-filter-dropped", stats.filtered().dropped());
    put(values, "compaction-filter-replaced", stats.filtered().replaced());
    put(values, "compaction-filter-failures", stats.filtered().failures());
    put(values, "read-amplification", stats.readAmplification());
    put(values, "write-amplification", stats.writeAmplification());
    put(values, "space-amplification", stats.spaceAmplification());
    put(values, "table-bytes", stats.tableBytes());
    put(values, "off-heap-bytes", stats.memory().offHeap().total());
    put(values, "mapped-bytes", stats.memory().mappedBytes());
    put(values, "open-tables", stats.memory().openTables());
    put(values, "snapshots", stats.views().snapshots());
    put(values, "open-iterators", stats.views().iterators());
    put(values, "leaked-iterators", stats.views().leakedIterators());
    put(
        values,
        "oldest-iterator-micros",
        stats.views().oldestIterators().isEmpty()
            ? 0
            : stats.views().oldestIterators().get(0).ageMicros());
    put(values, "last-sequence", stats.writes().lastSequence());
    return values;
  }

  private static void put(Map<String, String> values, String name, long value) {
    values.put(PREFIX + name, Long.toString(value));
  }

  private static void put(Map<String, String> values, String name, double value) {
    values.put(PREFIX + name, String.format(Locale.ROOT, "%.2f", value));
  }
}
