package dev.kv.core.event;

import static org.assertj.core.api.Assertions.assertThat;

import dev.kv.core.logging.CapturedLog;
import dev.kv.core.logging.EngineLogger;
import dev.kv.event.CloseEvent;
import dev.kv.event.CompactionEvent;
import dev.kv.event.DBEvent;
import dev.kv.event.DamageEvent;
import dev.kv.event.FailureEvent;
import dev.kv.event.FlushEvent;
import dev.kv.event.OpenEvent;
import dev.kv.event.StallEvent;
import dev.kv.event.SyncEvent;
import dev.kv.event.TableDeletedEvent;
import java.io.IOException;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** The lines of events in the file LOG and in the logger. */
class EventTextTest {
  private static final DBEvent FLUSH = new FlushEvent("db", 7, 2, 4096, 10, 12_345);
  private static final DBEvent DELETED = new TableDeletedEvent("db", 5);
  private static final DBEvent STALL =
      new StallEvent("db", StallEvent.Reason.LEVEL_0_STOP, 36, 1_000);
  private static final DBEvent DAMAGE =
      new DamageEvent("db", DamageEvent.During.READ, "000005.ldb", 0, "bad\nblock");
  private static final DBEvent FAILURE =
      new FailureEvent("db", "a flush", new IOException("no space"), true);

  @Test
  void of_anOpen_hasTheDroppedBytesOnlyIfThereAreAny() {
    assertThat(EventText.of(new OpenEvent("db", false, 3, 2, 10, 0, 1_250)))
        .isEqualTo("opened: 3 tables, 10 batches from 2 logs, 1.2 ms");
    assertThat(EventText.of(new OpenEvent("db", true, 3, 2, 10, 99, 1_250)))
        .isEqualTo(
            "opened for reads only: 3 tables, 10 batches from 2 logs, 99 bytes of logs dropped,"
                + " 1.2 ms");
    assertThat(EventText.of(new CloseEvent("db"))).isEqualTo("closed");
  }

  @Test
  void of_aFlush_hasTheTableAndTheTime() {
    assertThat(EventText.of(FLUSH))
        .isEqualTo("flushed 10 entries into table 7 of 4096 bytes at level 2 in 12.3 ms");
    assertThat(EventText.of(DELETED)).isEqualTo("deleted table 5");
    assertThat(EventText.of(new SyncEvent("db", 1_000_999)))
        .isEqualTo("a sync of the log took 1000.9 ms");
  }

  private static String compaction(int level, int outputLevel, int nextInputs, int outputs) {
    return EventText.of(
        new CompactionEvent(
            "db", "size", level, outputLevel, 1, nextInputs, outputs, 100, 80, 10, 8, 900));
  }

  @Test
  void of_aCompaction_tellsAMergeFromARewriteAndAMove() {
    assertThat(compaction(1, 2, 3, 2))
        .isEqualTo(
            "compacted 1 tables of level 1 and 3 of level 2 into 2, 100 bytes into 80 in 0.9 ms"
                + " (size)");
    assertThat(compaction(2, 2, 0, 1))
        .isEqualTo("rewrote 1 tables of level 2 in place, 100 bytes into 80 in 0.9 ms");
    DBEvent move = new CompactionEvent("db", "size", 1, 2, 1, 0, 0, 0, 0, 0, 0, 900);
    assertThat(((CompactionEvent) move).isMove()).isTrue();
    assertThat(EventText.of(move)).isEqualTo("moved a table from level 1 to 2");
  }

  @ParameterizedTest
  @CsvSource({
    "LEVEL_0_SLOWDOWN, slowed down: level 0 has many tables",
    "LEVEL_0_STOP, stopped: level 0 has too many tables",
    "FLUSH_BEHIND, stopped: too many memtables wait for their flush",
  })
  void of_aStall_saysWhy(StallEvent.Reason reason, String text) {
    assertThat(EventText.of(new StallEvent("db", reason, 36, 1_000)))
        .isEqualTo("writes were " + text + " (now 36), for 1.0 ms");
  }

  @Test
  void of_damage_isOneLineAndNamesARepairAfterACompaction() {
    assertThat(EventText.of(DAMAGE)).startsWith("damage: bad").doesNotContain("\n", "repair");
    assertThat(
            EventText.of(new DamageEvent("db", DamageEvent.During.RECOVERY, "000003.log", 1, "x")))
        .isEqualTo("damage: x");
    assertThat(
            EventText.of(
                new DamageEvent("db", DamageEvent.During.COMPACTION, "000005.ldb", 1, "x")))
        .startsWith("abandoned a compaction")
        .contains("damage: x")
        .endsWith("a repair saves what can be read");
  }

  @Test
  void of_aFailure_saysWhetherItIsTriedAgain() {
    assertThat(EventText.of(FAILURE))
        .startsWith("a flush failed, the database is read-only until it succeeds")
        .contains("resume()")
        .endsWith("java.io.IOException: no space");
    assertThat(EventText.of(new FailureEvent("db", "a write", new IOException("no space"), false)))
        .isEqualTo(
            "a write failed; the database is read-only from now on: java.io.IOException: no space");
  }

  private static List<String> logged(Class<?> type, String level) {
    EngineLogger logger = CapturedLog.logger(type, level);
    try (CapturedLog log = new CapturedLog()) {
      for (DBEvent each : List.of(FLUSH, DELETED, STALL, DAMAGE, FAILURE)) {
        EventText.log(logger, each);
      }
      return log.lines().stream()
          .filter(line -> line.contains(type.getName()))
          .map(line -> line.replaceFirst("^\\[.*?] ", "").replace(type.getName() + " - ", ""))
          .map(line -> line.substring(0, Math.min(line.length(), 20)))
          .toList();
    }
  }

  private static final class Debug {}

  private static final class Info {}

  private static final class Warn {}

  @Test
  void log_ofEachLevel_hasTheEventsOfThatLevel() {
    assertThat(logged(Debug.class, "debug"))
        .containsExactly(
            "INFO db: flushed 10 ",
            "DEBUG db: deleted ta",
            "DEBUG db: writes wer",
            "WARN db: damage: bad",
            "ERROR db: a flush fa");
    assertThat(logged(Info.class, "info"))
        .containsExactly("INFO db: flushed 10 ", "WARN db: damage: bad", "ERROR db: a flush fa");
    assertThat(logged(Warn.class, "warn"))
        .containsExactly("WARN db: damage: bad", "ERROR db: a flush fa");
  }

  private static final class Failure {}

  @Test
  void log_ofAFailure_hasTheStackOfItsCause() {
    EngineLogger logger = CapturedLog.logger(Failure.class, "error");
    try (CapturedLog log = new CapturedLog()) {
      EventText.log(logger, FAILURE);
      assertThat(log.lines())
          .anyMatch(line -> line.equals("java.io.IOException: no space"))
          .anyMatch(line -> line.contains("at " + EventTextTest.class.getName()));
    }
  }
}
