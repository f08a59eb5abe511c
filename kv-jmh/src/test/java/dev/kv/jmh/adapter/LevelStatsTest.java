package dev.kv.jmh.adapter;

import static org.assertj.core.api.Assertions.assertThat;

import dev.kv.jmh.store.StoreStats;
import org.junit.jupiter.api.Test;

class LevelStatsTest {

  @Test
  void parse_levels_sumsReadAndWritten() {
    String text =
        """
                                       Compactions
        Level  Files Size(MB) Time(sec) Read(MB) Write(MB)
        --------------------------------------------------
          0        2        7         1        0       59
          1        5        9         2       65       61
          2       23       42         1       22       22
        """;
    assertThat(LevelStats.parse(text)).isEqualTo(new StoreStats(87L << 20, 142L << 20, -1));
  }

  @Test
  void parse_headingsAlone_isZero() {
    assertThat(LevelStats.parse("  Compactions\nLevel  Files Size(MB)\n-----\n"))
        .isEqualTo(new StoreStats(0, 0, -1));
  }
}
