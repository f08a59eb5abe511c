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
  void ycsbRanks_manyDraws_haveYcsbsRangeAndReachEveryRecord() {
    ZipfianNumbers numbers = ZipfianNumbers.ycsbRanks(new LehmerRandom(7));
    int first = 0;
    int large = 0;
    long last = 0;
    boolean[] reached = new boolean[COUNT];
    for (int i = 0; i < DRAWS; i++) {
      long number = numbers.next();
      last = Math.max(last, number);
      first += number == 0 ? 1 : 0;
      large += number >= 1_000_000 ? 1 : 0;
      reached[(int) (ZipfianNumbers.hash(number) % COUNT)] = true;
    }
    assertThat(last).isBetween(9_000_000_000L, 10_000_000_000L);
    assertThat(first / (double) DRAWS).isCloseTo(1 / 26.469, within(0.002));
    double sumOfAMillion = 15.392;
    assertThat(large / (double) DRAWS).isCloseTo(1 - sumOfAMillion / 26.469, within(0.02));
    assertThat(reached).doesNotContain(false);
  }

  /** The values that YCSB computes. */
  @Test
  void hash_numbers_isYcsbs() {
    assertThat(ZipfianNumbers.hash(0)).isEqualTo(6284781860667377211L);
    assertThat(ZipfianNumbers.hash(1)).isEqualTo(8517097267634966620L);
    assertThat(ZipfianNumbers.hash(123_456_789)).isEqualTo(2350796791908741607L);
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
