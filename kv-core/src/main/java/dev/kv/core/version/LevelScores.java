package dev.kv.core.version;

/**
 * The compaction score of each level; a compaction is due if the score is at least 1. Level 0
 * counts tables, because each one costs every read; the other levels count bytes. Immutable.
 */
public final class LevelScores {
  private final double[] scores;

  private LevelScores(double[] scores) {
    this.scores = scores;
  }

  /**
   * Returns the scores of a version without the inputs of running compactions.
   *
   * @param busyLevelZeroFiles the number of their tables in level 0
   * @param busyBytes the bytes of their tables in each level
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
   * Returns the level whose score has the rank {@code rank}, 0 being the highest; of equal scores
   * the upper level comes first.
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

  /** Returns true if a compaction is due. */
  public boolean isCompactionDue() {
    return scores[best()] >= 1;
  }
}
