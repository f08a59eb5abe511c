package dev.kv.jmh.workload;

/**
 * The random numbers of LevelDB, x' = 16807 x mod 2^31 - 1, so that a run uses the same keys as
 * db_bench. Not thread-safe.
 */
public final class LehmerRandom {
  private static final long MODULUS = 2147483647L;

  private long state;

  /** Creates a generator; the two seeds that would repeat themselves forever are replaced. */
  public LehmerRandom(int seed) {
    state = seed & 0x7fffffffL;
    if (state == 0 || state == MODULUS) {
      state = 1;
    }
  }

  /** Returns the next number, from 1 to 2^31 - 2. */
  public int next() {
    state = state * 16807 % MODULUS;
    return (int) state;
  }

  /** Returns a number from 0 to {@code bound} - 1. */
  public long uniform(long bound) {
    return next() % bound;
  }
}
