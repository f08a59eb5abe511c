package dev.kv.core.memory;

/**
 * Chooses one of a few cells for a thread, so that threads rarely share one. The cells of an array
 * are {@link #SPACING} elements apart, so that no two share a cache line.
 *
 * <p>The first stripe of a thread is a hash of its id, by which threads that were started one after
 * another get different ones. A thread that meets another one in its stripe, which {@link
 * ObjectPool} notices, {@linkplain #leave leaves} it for another. So threads that read at the same
 * time spread over the stripes, whatever their ids are. It does so a limited number of times,
 * because objects that are used for long, such as those of open iterators, may be in all stripes.
 * The stripes are kept by the last bits of the ids. They are hints: any stripe is correct for any
 * thread, so plain accesses are enough.
 */
public final class Stripes {
  /** The distance of two cells in elements of four or eight bytes: 128 bytes or more. */
  public static final int SPACING = 32;

  private static final int MIN_BITS = 3;
  private static final int MAX_BITS = 8;
  private static final int BITS = bits(Runtime.getRuntime().availableProcessors());

  /** The number of cells; a power of two. */
  public static final int COUNT = 1 << BITS;

  /**
   * The golden ratio in 64 bits: threads that were started one after another get different cells.
   */
  private static final long SPREAD = 0x9E3779B97F4A7C15L;

  /** The number of threads, started in a row, that have stripes of their own choice. */
  private static final int THREADS = 1 << 10;

  /** How often a thread leaves a stripe. */
  private static final int MOST_MOVES = 256;

  private static final int MOVES_SHIFT = 8;
  private static final int ID_SHIFT = 24;

  /**
   * For each thread, by the last bits of its id: its stripe, how often it left one (from bit 8 on),
   * and its id (from bit 24 on), by which a new thread with the same last bits has all its moves.
   */
  private static final long[] OF_THREAD = firstStripes();

  private Stripes() {}

  private static long[] firstStripes() {
    long[] stripes = new long[THREADS];
    for (int id = 0; id < THREADS; id++) {
      stripes[id] = id * SPREAD >>> (Long.SIZE - BITS);
    }
    return stripes;
  }

  /** Returns the calling thread's stripe, from 0 to {@link #COUNT} - 1. */
  public static int current() {
    return (int) OF_THREAD[(int) Thread.currentThread().getId() & THREADS - 1] & COUNT - 1;
  }

  /**
   * Gives the calling thread another stripe from its next call of {@link #current} on. Threads that
   * leave the same stripe go to different ones.
   *
   * @param stripe the stripe that another thread uses too
   */
  static void leave(int stripe) {
    long id = Thread.currentThread().getId();
    int thread = (int) id & THREADS - 1;
    long last = OF_THREAD[thread];
    long moves = last >>> ID_SHIFT == id ? (last & (1 << ID_SHIFT) - 1) >>> MOVES_SHIFT : 0;
    if (moves < MOST_MOVES) {
      int step = 1 + (int) (id * SPREAD >>> (Long.SIZE - BITS)) % (COUNT - 1);
      OF_THREAD[thread] = id << ID_SHIFT | moves + 1 << MOVES_SHIFT | stripe + step & COUNT - 1;
    }
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

  /** About twice as many cells as processors, from 8 to 256. */
  private static int bits(int processors) {
    int bits = Integer.SIZE - Integer.numberOfLeadingZeros(2 * processors - 1);
    return Math.max(MIN_BITS, Math.min(MAX_BITS, bits));
  }
}
