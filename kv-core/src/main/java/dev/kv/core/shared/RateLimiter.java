package dev.kv.core.shared;

import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;

/**
 * A token bucket for bytes per second, which several threads share. Thread-safe.
 *
 * <p>It takes the time as a value and never waits itself. A caller takes tokens first and waits
 * afterwards, for the time in which they accrue. Unused tokens of up to {@value #BURST_MILLIS} ms
 * are kept.
 */
public final class RateLimiter {
  private static final long BURST_MILLIS = 100;
  private static final long BURST_NANOS = TimeUnit.MILLISECONDS.toNanos(BURST_MILLIS);

  private final long bytesPerSecond;

  /** The time at which all tokens that were taken have accrued. */
  private final AtomicLong paidAtNanos;

  /**
   * Creates a limiter with a full bucket.
   *
   * @param bytesPerSecond the rate; 0 for no limit
   * @param nowNanos the time, from any fixed point
   */
  public RateLimiter(long bytesPerSecond, long nowNanos) {
    this.bytesPerSecond = bytesPerSecond;
    this.paidAtNanos = new AtomicLong(nowNanos - BURST_NANOS);
  }

  /** Returns true if there is a limit. */
  public boolean isLimited() {
    return bytesPerSecond > 0;
  }

  /**
   * Takes tokens.
   *
   * @param bytes the number of tokens, at least 0
   * @param nowNanos the time, from the same point as at the creation
   * @return how many nanoseconds the caller waits; 0 if it need not wait
   */
  public long take(long bytes, long nowNanos) {
    if (!isLimited()) {
      return 0;
    }
    long cost = (long) Math.min((double) Long.MAX_VALUE / 4, bytes * 1e9 / bytesPerSecond);
    while (true) {
      long paid = paidAtNanos.get();
      long earliest = nowNanos - BURST_NANOS;
      long next = (paid - earliest > 0 ? paid : earliest) + cost;
      if (paidAtNanos.compareAndSet(paid, next)) {
        return Math.max(0, next - nowNanos);
      }
    }
  }
}
