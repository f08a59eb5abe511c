package dev.kv.core.state;

import static org.assertj.core.api.Assertions.assertThat;

import dev.kv.admin.DBStats;
import dev.kv.core.compaction.FilterResult;
import dev.kv.core.compaction.JobStats;
import dev.kv.core.db.DbTestBase;
import dev.kv.core.version.Version;
import org.junit.jupiter.api.Test;

class CompactionStatsTest extends DbTestBase {
  private final CompactionStats stats = new CompactionStats();

  @Test
  void add_ofJobs_sumsThemForTheLevelTheyWroteTo() {
    stats.add(1, new JobStats(10, 200, 100, 7, 5));
    stats.add(1, new JobStats(1, 20, 10, 7, 5));
    stats.add(2, new JobStats(5, 6, 7, 7, 5));
    open();
    put("a", "1");
    db.admin().flush();
    Version version = parts().versions().acquireCurrent();
    try {
      assertThat(stats.levels(version).get(0)).isEqualTo(new DBStats.Level(0, 0, 0, 0, 0));
      assertThat(stats.levels(version).get(1)).isEqualTo(new DBStats.Level(0, 0, 11, 220, 110));
      long bytes = version.bytes(2);
      assertThat(stats.levels(version).get(2)).isEqualTo(new DBStats.Level(1, bytes, 5, 6, 7));
    } finally {
      version.release();
    }
  }

  @Test
  void describe_hasALineForEachLevelWithTablesOrWork() {
    stats.add(1, new JobStats(3_000_000, 5 << 20, 4 << 20, 7, 5));
    open();
    put("a", "1");
    db.admin().flush();
    Version version = parts().versions().acquireCurrent();
    try {
      assertThat(stats.describe(version).lines())
          .containsExactly(
              "                               Compactions",
              "Level  Files Size(MB) Time(sec) Read(MB) Write(MB)",
              "--------------------------------------------------",
              "  1        0        0         3        5         4",
              "  2        1        0         0        0         0");
    } finally {
      version.release();
    }
  }

  @Test
  void filtered_ofResults_isTheirSum() {
    assertThat(stats.filtered()).isEqualTo(new DBStats.Filtered(0, 0, 0));
    stats.add(new FilterResult(3, 2, null));
    stats.add(new FilterResult(10, 20, new IllegalStateException("of the program")));
    assertThat(stats.filtered()).isEqualTo(new DBStats.Filtered(13, 22, 1));
  }
}
