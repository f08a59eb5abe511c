package dev.kv.core.background;

import static org.assertj.core.api.Assertions.assertThat;

import dev.kv.DB;
import dev.kv.Options;
import dev.kv.SharedResources;
import dev.kv.core.db.DbTestBase;
import dev.kv.core.state.Monitor;
import dev.kv.options.CompressionType;
import java.util.List;
import java.util.Random;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

/** What the rate limit of compactions slows down, and what not. */
class CompactionRateTest extends DbTestBase {
  private static final int TRIGGER = 4;
  private static final int SLOWDOWN = 8;
  private static final int STOP = 12;

  /** A compaction at this rate ends only if the limit is lifted. */
  private static final long STANDSTILL = 1;

  private static Options limited(long bytesPerSecond) {
    return defaults().toBuilder()
        .compaction(c -> c.bytesPerSecond(bytesPerSecond))
        .compression(CompressionType.NONE)
        .build();
  }

  private void flushOverlapping(int tables) {
    Random random = new Random(1);
    for (int t = 0; t < tables; t++) {
      for (int i = 0; i < 100; i++) {
        put(key(random.nextInt(1000)), randomValue(random, 1000));
      }
      db.admin().flush();
    }
  }

  private boolean isCompacting() {
    Monitor monitor = parts().jobs().monitor();
    monitor.lock();
    try {
      return parts().jobs().running().compactions() > 0;
    } finally {
      monitor.unlock();
    }
  }

  @Test
  void compaction_ofTwoMegabytes_takesAtLeastTheTimeOfTheRate() {
    open(limited(4 << 20));
    Random random = new Random(1);
    for (int i = 0; i < 2000; i++) {
      put(key(i), randomValue(random, 1000));
    }
    db.admin().suspendCompactions();
    db.admin().flush();
    put(key(1000), "a version to merge with");
    db.admin().flush();
    db.admin().resumeCompactions();
    long start = System.nanoTime();
    compact(null, null);
    // Two MB at four MiB a second, less the tenth of a second that may be saved up.
    assertThat(System.nanoTime() - start).isGreaterThan(TimeUnit.MILLISECONDS.toNanos(350));
    assertThat(get(key(1000))).isEqualTo("a version to merge with");
  }

  @Test
  void flushes_whileACompactionStandsStill_goOn() {
    open(limited(STANDSTILL));
    fillLevels("a", "z");
    flushOverlapping(TRIGGER);
    await("the compaction", this::isCompacting);
    flushOverlapping(2);
    assertThat(filesAt(0)).isGreaterThanOrEqualTo(TRIGGER);
    assertThat(isCompacting()).isTrue();
  }

  @Test
  void level0_nearItsStop_isCompactedWithoutALimit() {
    open(limited(STANDSTILL));
    fillLevels("a", "z");
    flushOverlapping(SLOWDOWN);
    await("the compaction of level 0", () -> filesAt(0) < SLOWDOWN);
  }

  @Test
  void suspendCompactions_whileACompactionStandsStill_letsItEnd() {
    open(limited(STANDSTILL));
    fillLevels("a", "z");
    flushOverlapping(TRIGGER);
    await("the compaction", this::isCompacting);
    db.admin().suspendCompactions();
    assertThat(isCompacting()).isFalse();
    db.admin().resumeCompactions();
  }

  @Test
  void close_whileACompactionStandsStill_abandonsIt() {
    open(limited(STANDSTILL));
    fillLevels("a", "z");
    flushOverlapping(TRIGGER);
    await("the compaction", this::isCompacting);
    close();
  }

  @Test
  void compaction_thatStandsStillOnASharedThread_stopsNoWriterOfAnotherDatabase() {
    try (SharedResources shared =
        SharedResources.builder()
            .compactionThreads(1)
            .compactionBytesPerSecond(STANDSTILL)
            .build()) {
      Options options =
          limited(0).toBuilder().writeBufferSize(64 << 10).sharedResources(shared).build();
      open(options);
      fillLevels("a", "z");
      flushOverlapping(TRIGGER);
      await("the compaction", this::isCompacting);
      try (DB still = db;
          DB other = DB.open(temp.resolve("other"), options)) {
        db = other;
        fillLevels("a", "z");
        flushOverlapping(STOP); // and the full memtables in between wait for level 0
        db = still;
      }
    }
  }

  @Test
  void suspendCompactions_ofOneDatabaseOnSharedThreads_stopsNoOther() {
    try (SharedResources shared = SharedResources.builder().compactionThreads(1).build()) {
      Options options = defaults().toBuilder().sharedResources(shared).build();
      try (DB other = DB.open(temp.resolve("other"), options);
          DB paused = DB.open(temp.resolve("paused"), options)) {
        paused.admin().suspendCompactions();
        for (int round = 0; round < 6; round++) {
          for (DB each : List.of(other, paused)) {
            each.put(b("a"), b("begin" + round));
            each.put(b("z"), b("end"));
            each.admin().flush();
          }
        }
        other.admin().compactRange(null, null);
        assertThat(other.admin().property("leveldb.num-files-at-level0")).isEqualTo("0");
        int waiting = Integer.parseInt(paused.admin().property("leveldb.num-files-at-level0"));
        assertThat(waiting).isGreaterThanOrEqualTo(TRIGGER);
        paused.admin().resumeCompactions();
        await(
            "the compaction after the pause",
            () ->
                Integer.parseInt(paused.admin().property("leveldb.num-files-at-level0")) < TRIGGER);
      }
    }
  }
}
