package dev.kv.core.db;

import java.util.ArrayList;
import java.util.List;
import java.util.function.Predicate;

/**
 * Makes a list that fails smaller: leaves out pieces, halves at first and single elements at last.
 */
final class Shrinker {
  private Shrinker() {}

  /**
   * Returns a part of {@code list} that still fails.
   *
   * @param fails whether a list fails; it holds for {@code list}
   * @param limitNanos after so long the smallest list so far is taken
   */
  static <T> List<T> shrink(List<T> list, Predicate<List<T>> fails, long limitNanos) {
    long end = System.nanoTime() + limitNanos;
    List<T> smallest = list;
    for (int piece = Math.max(1, list.size() / 2); piece > 0; piece /= 2) {
      boolean smaller = true;
      while (smaller) {
        smaller = false;
        for (int from = 0; from < smallest.size(); ) {
          if (System.nanoTime() - end > 0) {
            return smallest;
          }
          List<T> rest = new ArrayList<>(smallest.subList(0, from));
          rest.addAll(smallest.subList(Math.min(from + piece, smallest.size()), smallest.size()));
          if (fails.test(rest)) {
            smallest = rest;
            smaller = true;
          } else {
            from += piece;
          }
        }
        smaller &= piece == 1;
      }
    }
    return smallest;
  }
}
