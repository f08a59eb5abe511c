package dev.kv.core.read;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import dev.kv.admin.DBStats;
import dev.kv.core.table.cache.LookupCounts;
import dev.kv.core.version.Levels;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;

/**
 * The sum of the counts of all contexts of a database, those in use and those closed. Thread-safe.
 */
final class LookupStats {
  @GuardedBy("this")
  private final Set<LookupCounts> live = new HashSet<>();

  @GuardedBy("this")
  private final long[] closed = new long[LookupCounts.COUNT];

  /** Returns counts that belong to the sum. */
  synchronized LookupCounts open() {
    LookupCounts counts = new LookupCounts();
    live.add(counts);
    return counts;
  }

  /** Adds counts to the sum for good; nobody adds to them any more. */
  synchronized void close(LookupCounts counts) {
    if (live.remove(counts)) {
      counts.addTo(closed);
    }
  }

  /**
   * Returns the statistics.
   *
   * @param iterators how many iterators were opened
   */
  synchronized DBStats.Reads reads(long iterators) {
    long[] sums = closed.clone();
    live.forEach(counts -> counts.addTo(sums));
    List<Long> levels = new ArrayList<>();
    for (int level = 0; level < Levels.COUNT; level++) {
      levels.add(sums[LookupCounts.LEVEL_0 + level]);
    }
    return new DBStats.Reads(
        sums[LookupCounts.MEMTABLES],
        levels,
        sums[LookupCounts.MISSING],
        sums[LookupCounts.FILTER_NEGATIVES],
        sums[LookupCounts.FILTER_FALSE_POSITIVES],
        sums[LookupCounts.CACHED_NEGATIVES],
        sums[LookupCounts.BLOCKS],
        iterators);
  }
}
