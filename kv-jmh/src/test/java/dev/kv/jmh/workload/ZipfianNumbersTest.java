package dev.kv.jmh.workload;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import org.junit.jupiter.api.Test;

class ZipfianNumbersTest {
  private static final int COUNT = 1000;
  private static final int DRAWS = 400_000;

  @Test
  void next_manyDraws_haveTheFrequenciesOfTheDistribution() {
    ZipfianNumbers numbers = new ZipfianNumbers(COUNT, new LehmerRandom(7));
    int[] drawn = new int[COUNT];
    for (int i = 0; i < DRAWS; i++) {
      drawn[(int) numbers.next()]++;
    }
    double sum = 0;
    for (int i = 1; i <= COUNT; i++) {
      sum += Math.pow(i, -0.99);
    }
    assertThat(drawn[0] / (double) DRAWS).isCloseTo(1 / sum, within(0.005));
    assertThat(drawn[1] / (double) DRAWS).isCloseTo(Math.pow(2, -0.99) / sum, within(0.005));
    double firstHundred = 0;
    double expected = 0;
    for (int i = 0; i < 100; i++) {
      firstHundred += drawn[i];
      expected += Math.pow(i + 1, -0.99) / sum;
    }
    assertThat(firstHundred / DRAWS).isCloseTo(expected, within(0.02));
  }

  @Test
  void hash_ofNeighbours_isSpreadAndNotNegative() {
    for (int i = 0; i < 1000; i++) {
      long hash = ZipfianNumbers.hash(i);
      assertThat(hash).isNotNegative();
      assertThat(Math.abs(hash - ZipfianNumbers.hash(i + 1L))).isGreaterThan(1000);
    }
  }
}
