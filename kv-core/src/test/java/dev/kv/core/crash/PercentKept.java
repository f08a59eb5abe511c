package dev.kv.core.crash;

/** How much of the unsynced data stays at each of a row of simulated losses of power. */
final class PercentKept {
  private static final int[] ALL = {0, 10, 50, 100};

  private int turn;

  /**
   * Returns the percentages for the next loss. The quick size takes 0 and one of the others, which
   * take turns.
   */
  int[] next() {
    return Seeds.LONG ? ALL.clone() : new int[] {0, ALL[1 + turn++ % (ALL.length - 1)]};
  }
}
