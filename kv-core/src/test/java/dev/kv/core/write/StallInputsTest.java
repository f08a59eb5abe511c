package dev.kv.core.write;

import static org.assertj.core.api.Assertions.assertThat;

import dev.kv.core.version.Levels;
import org.junit.jupiter.api.Test;

class StallInputsTest {
  private final StallInputs inputs = new StallInputs(2);

  @Test
  void isFlushBehind_withAsManyMemTablesAsMayWait_isTrue() {
    inputs.setWaitingMemTables(1);
    assertThat(inputs.waitingMemTables()).isEqualTo(1);
    assertThat(inputs.isFlushBehind()).isFalse();
    inputs.setWaitingMemTables(2);
    assertThat(inputs.waitingMemTables()).isEqualTo(2);
    assertThat(inputs.isFlushBehind()).isTrue();
  }

  @Test
  void isLevel0Full_fromTheTriggerOfACompactionOn_isTrue() {
    inputs.setLevel0Tables(Levels.LEVEL_0_COMPACTION_TRIGGER - 1);
    assertThat(inputs.isLevel0Full()).isFalse();
    inputs.setLevel0Tables(Levels.LEVEL_0_COMPACTION_TRIGGER);
    assertThat(inputs.isLevel0Full()).isTrue();
  }

  @Test
  void areCompactionsUrgent_fromTheTriggerOfASlowdownOn_isTrue() {
    inputs.setLevel0Tables(Levels.LEVEL_0_SLOWDOWN_TRIGGER - 1);
    assertThat(inputs.areCompactionsUrgent()).isFalse();
    inputs.setLevel0Tables(Levels.LEVEL_0_SLOWDOWN_TRIGGER);
    assertThat(inputs.areCompactionsUrgent()).isTrue();
  }

  @Test
  void isSlowedByLevel0_untilLevel0StallsNobody_isTrue() {
    inputs.setLevel0Tables(Levels.LEVEL_0_SLOWDOWN_TRIGGER - 1);
    assertThat(inputs.isSlowedByLevel0()).isFalse();
    inputs.setLevel0Tables(Levels.LEVEL_0_SLOWDOWN_TRIGGER);
    assertThat(inputs.isSlowedByLevel0()).isTrue();
    inputs.suspend();
    assertThat(inputs.isSlowedByLevel0()).isFalse();
    inputs.resume();
    assertThat(inputs.isSlowedByLevel0()).isTrue();
    inputs.waive();
    assertThat(inputs.isSlowedByLevel0()).isFalse();
  }

  @Test
  void suspend_untilTheLastResume_takesLevel0OutOfStalls() {
    inputs.setLevel0Tables(7);
    inputs.suspend();
    inputs.suspend();
    assertThat(inputs.level0Tables()).isZero();
    assertThat(inputs.areCompactionsUrgent()).isTrue();
    inputs.resume();
    assertThat(inputs.level0Tables()).isZero();
    inputs.resume();
    assertThat(inputs.level0Tables()).isEqualTo(7);
    assertThat(inputs.areCompactionsUrgent()).isFalse();
  }

  @Test
  void waive_takesLevel0OutOfStallsForGood() {
    inputs.setLevel0Tables(20);
    inputs.waive();
    assertThat(inputs.level0Tables()).isZero();
    inputs.setLevel0Tables(21);
    assertThat(inputs.level0Tables()).isZero();
  }
}
