package dev.kv.jmh.result;

import java.util.Arrays;

/** Computes medians. */
public final class Medians {

  private Medians() {}

  /** Returns the median: of an even number the mean of the middle two, of no values NaN. */
  public static double of(double... values) {
    if (values.length == 0) {
      return Double.NaN;
    }
    double[] sorted = values.clone();
    Arrays.sort(sorted);
    int middle = sorted.length / 2;
    return sorted.length % 2 == 1 ? sorted[middle] : (sorted[middle - 1] + sorted[middle]) / 2;
  }
}
