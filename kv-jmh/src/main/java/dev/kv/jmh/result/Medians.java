package dev.kv.jmh.result;

import java.util.Arrays;

/** Medians. */
public final class Medians {

  private Medians() {}

  /** Returns the median, the mean of the middle two where they are even; NaN of none. */
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
