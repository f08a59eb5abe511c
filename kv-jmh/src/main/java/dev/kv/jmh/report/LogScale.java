package dev.kv.jmh.report;

import java.util.ArrayList;
import java.util.List;

/**
 * A logarithmic scale over a range of positive values. It ends at values of the form 1, 2 or 5
 * times a power of ten, of which some are labelled.
 */
final class LogScale {
  private static final double[] STEPS = {1, 2, 5};
  private static final double LEAST = 1e-12;
  private static final double GREATEST = 1e12;

  private final double from;
  private final double to;

  /**
   * Creates a scale that holds both values and at least the next labelled value beyond each.
   *
   * @throws IllegalArgumentException if no scale {@linkplain #holds holds} them
   */
  LogScale(double least, double greatest) {
    if (!holds(least, greatest)) {
      throw new IllegalArgumentException("no scale from " + least + " to " + greatest);
    }
    from = step(least, false);
    to = step(greatest, true);
  }

  /** Returns true if there is a scale for a range, which is positive and neither tiny nor huge. */
  static boolean holds(double least, double greatest) {
    return least >= LEAST && greatest <= GREATEST; // false if one is not a number
  }

  /** Returns the nearest value of a step below or above a value. */
  private static double step(double value, boolean above) {
    double power = Math.pow(10, Math.floor(Math.log10(value)) - 1);
    double best = above ? Double.MAX_VALUE : 0;
    for (int decade = 0; decade < 4; decade++, power *= 10) {
      for (double step : STEPS) {
        double candidate = step * power;
        if (above && candidate > value * 1.0001 && candidate < best) {
          best = candidate;
        } else if (!above && candidate < value * 0.9999 && candidate > best) {
          best = candidate;
        }
      }
    }
    return best;
  }

  /** Returns the place of a value: 0 at the start of the scale, 1 at its end. */
  double place(double value) {
    return (Math.log(value) - Math.log(from)) / (Math.log(to) - Math.log(from));
  }

  /** Returns the labelled values: all steps, or only powers of ten on a long scale. */
  List<Double> labels() {
    boolean isLong = to / from > 2000;
    List<Double> labels = new ArrayList<>();
    for (int exponent = (int) Math.floor(Math.log10(from)); exponent < 12; exponent++) {
      for (double step : STEPS) {
        double value = step * Math.pow(10, exponent);
        boolean inside = value > from * 0.9999 && value < to * 1.0001;
        if (inside && (step == 1 || !isLong)) {
          labels.add(value);
        }
      }
    }
    return labels;
  }
}
