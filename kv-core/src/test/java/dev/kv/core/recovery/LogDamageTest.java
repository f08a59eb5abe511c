package dev.kv.core.recovery;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.kv.core.event.Events;
import dev.kv.errors.CorruptionException;
import dev.kv.event.DamageEvent;
import dev.kv.options.RecoveryMode;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.EnumSource.Mode;

class LogDamageTest {
  private final List<DamageEvent> heard = new ArrayList<>();

  private LogDamage damage(RecoveryMode mode) {
    Events events = new Events("db", event -> heard.add((DamageEvent) event));
    events.onPost(events::deliver);
    return new LogDamage(events, mode, "5.log");
  }

  private static void assertRefused(ThrowingCallable call, String what, long offset) {
    assertThatThrownBy(call)
        .isInstanceOfSatisfying(
            CorruptionException.class,
            e -> {
              assertThat(e.file()).isEqualTo("5.log");
              assertThat(e.offset()).isEqualTo(offset);
            })
        .hasMessageContaining(what)
        .hasMessageContaining("Options.recoveryMode");
  }

  private DamageEvent event(long offset, String message) {
    return new DamageEvent("db", DamageEvent.During.RECOVERY, "5.log", offset, message);
  }

  @Test
  void damage_underCppCompat_isCountedAndPassed() {
    LogDamage damage = damage(RecoveryMode.CPP_COMPAT);
    assertThat(damage.reason()).isEmpty();
    damage.corruption(100, 7, "bad checksum", false);
    damage.corruption(200, 3, "torn", true);
    damage.recordAfterEnd(300, 50);
    assertThat(damage.hasEnded()).isFalse();
    assertThat(damage.dropped()).isEqualTo(10);
    assertThat(damage.reason()).isEqualTo("bad checksum (5.log, offset 100)");
    assertThat(heard)
        .containsExactly(
            event(100, "bad checksum: dropped 7 bytes (file 5.log, offset 100)"),
            event(200, "torn: dropped 3 bytes (file 5.log, offset 200)"));
  }

  @ParameterizedTest
  @EnumSource(names = {"POINT_IN_TIME", "TORN_WRITES"})
  void tornDamage_whereTheRecoveryMayEnd_endsItAndTheRestIsDropped(RecoveryMode mode) {
    LogDamage damage = damage(mode);
    damage.recordAfterEnd(0, 1000);
    assertThat(damage.dropped()).as("before the end").isZero();
    damage.corruption(100, 7, "torn", true);
    assertThat(damage.hasEnded()).isTrue();
    damage.corruption(200, 3, "bad checksum", false);
    damage.recordAfterEnd(300, 50);
    damage.tornEnd(400, 20);
    damage.laterLog(Path.of("db", "6.log"));
    assertThat(damage.dropped()).isEqualTo(7 + 3 + 50);
    assertThat(damage.reason()).isEqualTo("torn (5.log, offset 100)");
    assertThat(heard).hasSize(1);
  }

  /** Such as one that does not follow the log before. */
  @Test
  void recordThatIsTheDamage_isCountedOnce() {
    LogDamage damage = damage(RecoveryMode.POINT_IN_TIME);
    damage.corruption(100, 21, "a record that is no batch", false);
    damage.recordAfterEnd(100, 21);
    damage.recordAfterEnd(121, 30);
    assertThat(damage.dropped()).isEqualTo(21 + 30);
  }

  @Test
  void otherDamage_isRefusedUnlessTheRecoveryEndsAnywhere() {
    LogDamage anywhere = damage(RecoveryMode.POINT_IN_TIME);
    anywhere.corruption(100, 7, "bad checksum", false);
    assertThat(anywhere.hasEnded()).isTrue();
    assertThat(anywhere.dropped()).isEqualTo(7);
    for (RecoveryMode mode : List.of(RecoveryMode.TORN_WRITES, RecoveryMode.STRICT)) {
      LogDamage damage = damage(mode);
      assertRefused(() -> damage.corruption(100, 7, "bad checksum", false), "bad checksum", 100);
      assertThat(damage.hasEnded()).isFalse();
    }
  }

  @Test
  void tornDamage_underStrict_endsItAndNothingMayFollow() {
    LogDamage damage = damage(RecoveryMode.STRICT);
    damage.corruption(100, 7, "torn", true);
    assertThat(damage.hasEnded()).isTrue();
    damage.corruption(200, 3, "bad checksum", false);
    assertThat(damage.dropped()).as("what follows is no record").isEqualTo(7);
    assertRefused(
        () -> damage.recordAfterEnd(300, 50),
        "torn (5.log, offset 100); whole records follow",
        300);
    assertRefused(
        () -> damage.laterLog(Path.of("db", "6.log")),
        "torn (5.log, offset 100); 6.log follows it and is not empty",
        100);
  }

  @ParameterizedTest
  @EnumSource(
      mode = Mode.EXCLUDE,
      names = {"CPP_COMPAT", "PARANOID"})
  void gap_beforeARecordThatContinues_isNoDamage(RecoveryMode mode) {
    LogDamage damage = damage(mode);
    damage.gap(100, 900);
    damage.checkGap(8, 8);
    damage.checkGap(20, 9); // without a gap
    assertThat(damage.hasEnded()).isFalse();
    assertThat(heard).isEmpty();
  }

  @ParameterizedTest
  @EnumSource(
      mode = Mode.EXCLUDE,
      names = {"CPP_COMPAT", "PARANOID"})
  void gap_beforeARecordThatDoesNotContinue_isWhereItEnds(RecoveryMode mode) {
    LogDamage damage = damage(mode);
    damage.gap(100, 900);
    damage.checkGap(9, 8);
    assertThat(damage.hasEnded()).isTrue();
    assertThat(damage.dropped()).isEqualTo(900);
    assertThat(damage.reason()).startsWith("records are missing").endsWith("(5.log, offset 100)");
    damage.gap(2000, 50); // after the end
    damage.checkGap(30, 10);
    assertThat(damage.dropped()).isEqualTo(900);
  }

  @Test
  void gap_underCppCompat_isCountedIfRecordsAreMissing() {
    LogDamage damage = damage(RecoveryMode.CPP_COMPAT);
    damage.gap(100, 900);
    damage.checkGap(8, 8);
    assertThat(damage.dropped()).isZero();
    damage.gap(1000, 50);
    damage.checkGap(10, 9);
    assertThat(damage.hasEnded()).isFalse();
    assertThat(damage.isDamaged()).isTrue();
    assertThat(damage.dropped()).isEqualTo(50);
    assertThat(damage.reason()).startsWith("records are missing").endsWith("(5.log, offset 1000)");
  }

  @Test
  void tornEnd_afterDamage_countsOnlyTheBytesAfterIt() {
    LogDamage damage = damage(RecoveryMode.CPP_COMPAT);
    damage.corruption(100, 50, "checksum mismatch", false);
    damage.tornEnd(100, 50);
    assertThat(damage.dropped()).isEqualTo(50);
    assertThat(heard).hasSize(1);
    damage.tornEnd(90, 80);
    assertThat(damage.dropped()).isEqualTo(70);
    assertThat(heard)
        .last()
        .isEqualTo(
            event(150, "the log ends inside a record: dropped 20 bytes (file 5.log, offset 150)"));
  }

  @ParameterizedTest
  @EnumSource(mode = Mode.EXCLUDE, names = "PARANOID")
  void tornEnd_ofALog_isNotedAndEndsTheRecoveryWhereItMay(RecoveryMode mode) {
    LogDamage damage = damage(mode);
    damage.tornEnd(100, 7);
    assertThat(damage.hasEnded()).isEqualTo(mode != RecoveryMode.CPP_COMPAT);
    assertThat(damage.dropped()).isEqualTo(7);
    assertThat(damage.reason()).isEqualTo("the log ends inside a record (5.log, offset 100)");
    assertThat(heard).hasSize(1);
  }
}
