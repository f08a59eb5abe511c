package dev.kv.core.shared;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class RateLimiterTest {
  private static final long SECOND = 1_000_000_000;

  @ParameterizedTest
  @ValueSource(longs = {0, 12345, -SECOND, Long.MAX_VALUE - SECOND, Long.MIN_VALUE})
  void take_atAnyTimeOfTheClock_waitsForWhatTheBucketLacks(long start) {
    RateLimiter limiter = new RateLimiter(1000, start);
    assertThat(limiter.take(100, start)).as("the bucket is full at first").isZero();
    assertThat(limiter.take(500, start)).isEqualTo(SECOND / 2);
    assertThat(limiter.take(500, start)).as("after the one before").isEqualTo(SECOND);
    assertThat(limiter.take(250, start + SECOND)).isEqualTo(SECOND / 4);
  }

  @Test
  void take_afterALongPause_hasTheTokensOfATenthOfASecondOnly() {
    RateLimiter limiter = new RateLimiter(1000, 0);
    limiter.take(100, 0);
    long later = 3600 * SECOND;
    assertThat(limiter.take(100, later)).isZero();
    assertThat(limiter.take(100, later)).isEqualTo(SECOND / 10);
  }

  @Test
  void take_withoutALimit_neverWaits() {
    RateLimiter limiter = new RateLimiter(0, 0);
    assertThat(limiter.isLimited()).isFalse();
    assertThat(limiter.take(Long.MAX_VALUE, 0)).isZero();
  }

  @Test
  void take_manyBytesAtALowRate_doesNotOverflow() {
    RateLimiter limiter = new RateLimiter(1, 0);
    assertThat(limiter.take(Long.MAX_VALUE, 0)).isPositive();
  }

  @Test
  void take_ofSeveralCallersThatWait_keepsToTheRate() {
    long seed = 7;
    Random random = new Random(seed);
    long rate = 1 << 20;
    RateLimiter limiter = new RateLimiter(rate, 0);
    long[] free = new long[3];
    long taken = 0;
    long last = 0;
    for (int i = 0; i < 10_000; i++) {
      int caller = 0;
      for (int c = 1; c < free.length; c++) {
        caller = free[c] < free[caller] ? c : caller;
      }
      int bytes = random.nextInt(64 << 10);
      free[caller] += limiter.take(bytes, free[caller]);
      taken += bytes;
      last = Math.max(last, free[caller]);
    }
    double seconds = (double) last / SECOND;
    assertThat(taken / seconds).as("seed %d", seed).isBetween(0.99 * rate, 1.01 * rate);
  }
}
