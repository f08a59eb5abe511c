package dev.kv.jmh.workload;

/**
 * Zipfian random numbers: 0 is the most frequent one, and number k is drawn in proportion to 1 / (k
 * + 1)^0.99, the skew of YCSB. The method is the one of Gray, Sundaresan, Englert, Baclawski and
 * Weinberger, "Quickly Generating Billion-Record Synthetic Databases", SIGMOD 1994, section 3: two
 * cases for the first two numbers, and one power for all others. Not thread-safe.
 */
public final class ZipfianNumbers {
  private static final double SKEW = 0.99;
  private static final int DIGITS_31 = 31;
  private static final long YCSB_COUNT = 10_000_000_001L;

  /** The sum of 1 / k^0.99 for k from 1 to 10^10, which would take minutes to compute. */
  private static final double YCSB_SUM = 26.46902820178302;

  private final LehmerRandom random;
  private final long count;
  private final double sum;
  private final double alpha = 1 / (1 - SKEW);
  private final double eta;
  private final double firstTwo = 1 + Math.pow(0.5, SKEW);

  /** Creates numbers from 0 to {@code count} - 1, at least two; takes time in proportion to it. */
  public ZipfianNumbers(long count, LehmerRandom random) {
    this(count, sum(count), random);
  }

  private ZipfianNumbers(long count, double sum, LehmerRandom random) {
    this.count = count;
    this.random = random;
    this.sum = sum;
    eta = (1 - Math.pow(2.0 / count, 1 - SKEW)) / (1 - firstTwo / sum);
  }

  /**
   * Returns the numbers from 0 to 10^10 from which YCSB's {@code ScrambledZipfianGenerator} draws,
   * whatever the number of records is: a record is the {@link #hash} of a number, modulo the number
   * of records. With only as many numbers as records, a third of the records would be the hash of
   * none.
   */
  public static ZipfianNumbers ycsbRanks(LehmerRandom random) {
    return new ZipfianNumbers(YCSB_COUNT, YCSB_SUM, random);
  }

  private static double sum(long count) {
    double sum = 0;
    for (long i = 1; i <= count; i++) {
      sum += Math.pow(1.0 / i, SKEW);
    }
    return sum;
  }

  /** Returns the next number. */
  public long next() {
    double u = (((long) random.next() << DIGITS_31 | random.next()) + 0.5) / (1L << 2 * DIGITS_31);
    double scaled = u * sum;
    if (scaled < 1) {
      return 0;
    }
    if (scaled < firstTwo) {
      return 1;
    }
    return Math.min(count - 1, (long) (count * Math.pow(eta * u - eta + 1, alpha)));
  }

  /**
   * Returns a hash of a number, not negative: FNV-1a of its eight bytes, as {@code fnvhash64} of
   * YCSB's {@code Utils}.
   */
  public static long hash(long number) {
    long hash = 0xcbf29ce484222325L;
    for (int i = 0; i < Long.SIZE; i += Byte.SIZE) {
      hash = (hash ^ number >>> i & 0xff) * 0x100000001b3L;
    }
    return Math.abs(hash);
  }
}
