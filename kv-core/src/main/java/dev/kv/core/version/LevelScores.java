package dev.kv.core.version;

/**
 * How much each level wants a compaction: 1 and more is due. Level 0 counts tables, since each
 * costs every read; the others count bytes. Immutable.
 */
public final class LevelScores {
  private final double[] scores;

  private LevelScores(double[] scores) {
    this.scores = scores;
  }

  /** Returns the scores of a version. */
  public static LevelScores of(Version version) {
    return of(version, 0, new long[Levels.COUNT]);
  }

  /**
   * Returns the scores of a version without what running compactions take away.
   *
   * @param busyLevelZeroFiles how many tables of level 0 they take
   * @param busyBytes how many bytes they take from each level
   */
  public static LevelScores of(Version version, int busyLevelZeroFiles, long[] busyBytes) {
    double[] scores = new double[Levels.COUNT];
    scores[0] =
        (version.fileCount(0) - busyLevelZeroFiles) / (double) Levels.LEVEL_0_COMPACTION_TRIGGER;
    for (int level = 1; level < Levels.COUNT - 1; level++) {
      scores[level] = (version.bytes(level) - busyBytes[level]) / (double) Levels.maxBytes(level);
    }
    return new LevelScores(scores);
  }

  /** Returns the score of a level; the last level's is 0. */
  public double score(int level) {
    return scores[level];
  }

  /** Returns the level with the highest score. */
  public int best() {
    return nth(0);
  }

  /**
   * Returns the level with the highest score but {@code rank}; the upper one first where they are
   * equal.
   */
  public int nth(int rank) {
    for (int level = 0; level < scores.length; level++) {
      if (rankOf(level) == rank) {
        return level;
      }
    }
    throw new IllegalArgumentException("no level of rank " + rank);
  }

  private int rankOf(int level) {
    int rank = 0;
    for (int other = 0; other < scores.length; other++) {
      if (scores[other] > scores[level] || (scores[other] == scores[level] && other < level)) {
        rank++;
      }
    }
    return rank;
  }

  /** Returns whether a compaction is due. */
  public boolean isCompactionDue() {
    return scores[best()] >= 1;
  }
}
