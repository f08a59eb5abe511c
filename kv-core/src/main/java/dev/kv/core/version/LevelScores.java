package dev.kv.core.version;

import java.util.Comparator;
import java.util.List;
import java.util.stream.IntStream;

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

  /** Returns the levels by their scores, the highest first; of equal ones the upper level first. */
  public List<Integer> ranking() {
    return IntStream.range(0, scores.length)
        .boxed()
        .sorted(Comparator.comparingDouble((Integer level) -> scores[level]).reversed())
        .toList();
  }

  /** Returns true if a compaction is due. */
  public boolean isCompactionDue() {
    for (double score : scores) {
      if (score >= 1) {
        return true;
      }
    }
    return false;
  }
}
