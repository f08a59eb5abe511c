package dev.kv.jmh.result;

import java.util.Arrays;
import java.util.Locale;

/**
 * Several values of one figure: the median, and the range that says how far to trust it.
 *
 * @param least the smallest value
 * @param median the median
 * @param greatest the largest value
 */
public record Spread(double least, double median, double greatest) {
  /** The largest value of a range that is not wide, as a multiple of the smallest. */
  public static final double WIDE = 1.5;

  /**
   * Returns the spread of some values.
   *
   * @throws IllegalArgumentException if there are none
   */
  public static Spread of(double... values) {
    if (values.length == 0) {
      throw new IllegalArgumentException("no values");
    }
    double[] sorted = values.clone();
    Arrays.sort(sorted);
    return new Spread(sorted[0], Medians.of(sorted), sorted[sorted.length - 1]);
  }

  /** Returns true if the values lie too far apart to trust the median. */
  public boolean isWide() {
    return greatest > WIDE * least;
  }

  /** Returns the range as {@code least-greatest}, with two decimals. */
  public String range() {
    return String.format(Locale.ROOT, "%.2f-%.2f", least, greatest);
  }
}
