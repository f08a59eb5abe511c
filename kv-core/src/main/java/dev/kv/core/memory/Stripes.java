package dev.kv.core.memory;

/**
 * Chooses one of a few cells for a thread, so that threads rarely share one. The cells of an array
 * are {@link #SPACING} elements apart, so that no two share a cache line.
 */
public final class Stripes {
  /** The distance of two cells in elements of four or eight bytes: 128 bytes or more. */
  public static final int SPACING = 32;

  private static final int MIN_BITS = 3;
  private static final int MAX_BITS = 6;
  private static final int BITS = bits(Runtime.getRuntime().availableProcessors());

  /** The number of cells; a power of two. */
  public static final int COUNT = 1 << BITS;

  /**
   * The golden ratio in 64 bits: threads that were started one after another get different cells.
   */
  private static final long SPREAD = 0x9E3779B97F4A7C15L;

  private Stripes() {}

  /** Returns the calling thread's stripe, from 0 to {@link #COUNT} - 1. */
  public static int current() {
    return (int) (Thread.currentThread().getId() * SPREAD >>> (Long.SIZE - BITS));
  }

  /** Returns the index of a stripe's cell in an array of {@link #arrayLength()} elements. */
  public static int cell(int stripe) {
    return (stripe + 1) * SPACING;
  }

  /**
   * Returns the length of an array with all cells, and with space before the first and after the
   * last.
   */
  public static int arrayLength() {
    return (COUNT + 2) * SPACING;
  }

  /** About twice as many cells as processors, from 8 to 64. */
  private static int bits(int processors) {
    int bits = Integer.SIZE - Integer.numberOfLeadingZeros(2 * processors - 1);
    return Math.max(MIN_BITS, Math.min(MAX_BITS, bits));
  }
}
