package dev.kv.jmh.store;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

class StoreStatsTest {

  @Test
  void since_earlierFigures_isTheGrowth() {
    assertThat(new StoreStats(10, 20, 30).since(new StoreStats(1, 2, 30)))
        .isEqualTo(new StoreStats(9, 18, 0));
  }

  @Test
  void since_unknownFigures_isUnknown() {
    assertThat(new StoreStats(10, -1, 30).since(new StoreStats(-1, 2, 3)))
        .isEqualTo(new StoreStats(-1, -1, 27));
    assertThat(StoreStats.UNKNOWN.since(StoreStats.NONE)).isEqualTo(StoreStats.UNKNOWN);
  }
}
