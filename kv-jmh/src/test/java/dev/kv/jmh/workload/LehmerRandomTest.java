package dev.kv.jmh.workload;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

class LehmerRandomTest {

  /** The check value that the generator's authors publish. */
  @Test
  void next_tenThousandTimesFromOne_isTheCheckValue() {
    LehmerRandom random = new LehmerRandom(1);
    int last = 0;
    for (int i = 0; i < 10_000; i++) {
      last = random.next();
    }
    assertThat(last).isEqualTo(1043618065);
  }

  @Test
  void next_seedThatWouldStay_moves() {
    for (int seed : new int[] {0, 2147483647, Integer.MIN_VALUE}) {
      LehmerRandom random = new LehmerRandom(seed);
      assertThat(random.next()).isNotEqualTo(random.next());
    }
  }

  @Test
  void uniform_always_staysInBounds() {
    LehmerRandom random = new LehmerRandom(301);
    for (int i = 0; i < 1000; i++) {
      assertThat(random.uniform(7)).isBetween(0L, 6L);
    }
  }
}
