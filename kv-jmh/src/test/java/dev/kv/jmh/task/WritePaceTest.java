package dev.kv.jmh.task;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

class WritePaceTest {
  private static final long MILLI = 1_000_000;

  @Test
  void add_withoutALimit_neverWaits() {
    WritePace pace = new WritePace(0, 5);
    assertThat(pace.add(Long.MAX_VALUE, 5)).isZero();
    assertThat(pace.add(1, 5)).isZero();
  }

  @Test
  void add_fasterThanTheLimit_waitsUntilTheTimeOfTheBytes() {
    WritePace pace = new WritePace(100_000, 7);
    assertThat(pace.add(50, 7)).as("half a millisecond ahead").isZero();
    assertThat(pace.add(250, 7)).isEqualTo(3 * MILLI);
    assertThat(pace.add(100, 7 + 3 * MILLI)).isEqualTo(MILLI);
    assertThat(pace.add(100, 7 + 10 * MILLI)).as("late").isZero();
    assertThat(pace.add(1000, 7 + 10 * MILLI)).as("and catches up").isEqualTo(5 * MILLI);
  }
}
