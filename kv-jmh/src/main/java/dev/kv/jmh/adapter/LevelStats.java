package dev.kv.jmh.adapter;

import dev.kv.jmh.store.StoreStats;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * The text of the property {@code leveldb.stats}: two lines of headings, then a line for each level
 * with its number, files, MiB, seconds of compaction, MiB read and MiB written by compactions.
 */
public final class LevelStats {
  private static final Pattern LEVEL =
      Pattern.compile(
          "^\\s*(\\d+)\\s+(\\d+)\\s+(\\S+)\\s+(\\S+)\\s+(\\S+)\\s+(\\S+)\\s*$", Pattern.MULTILINE);

  private LevelStats() {}

  /** Returns the sums over the levels, with an error of up to a MiB per level. */
  public static StoreStats parse(String text) {
    double read = 0;
    double written = 0;
    Matcher levels = LEVEL.matcher(text);
    while (levels.find()) {
      read += Double.parseDouble(levels.group(5));
      written += Double.parseDouble(levels.group(6));
    }
    return new StoreStats(mebibytes(read), mebibytes(written), -1);
  }

  private static long mebibytes(double count) {
    return Math.round(count * (1 << 20));
  }
}
