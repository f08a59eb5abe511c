package dev.kv.jmh.report;

import java.util.Map;
import java.util.Set;

/** What each benchmark of db_bench does, in a few words for a row of a chart. */
final class BenchmarkText {
  private static final Map<String, String> TEXTS =
      Map.ofEntries(
          Map.entry("fillseq", "put, keys in order"),
          Map.entry("fillrandom", "put, keys in random order"),
          Map.entry("fillsync", "put with sync"),
          Map.entry("fill100K", "put of values of 100 KB"),
          Map.entry("overwrite", "put, keys that exist"),
          Map.entry("deleterandom", "delete, random keys"),
          Map.entry("readrandom", "get, random keys"),
          Map.entry("readmissing", "get, keys that do not exist"),
          Map.entry("readhot", "get, a hundredth of the keys"),
          Map.entry("seekrandom", "seek, random keys"),
          Map.entry("readseq", "scan, a step forward"),
          Map.entry("readreverse", "scan, a step backward"),
          Map.entry("compact", "compaction of everything"),
          Map.entry("open", "open of the database"));

  /** The benchmarks after which everything is compacted if it was before. */
  private static final Set<String> READS =
      Set.of(
          "readrandom",
          "readrandomsmall",
          "readmissing",
          "readhot",
          "readnewest",
          "readone",
          "readseq",
          "readreverse",
          "readkeys",
          "readcrc",
          "foreach",
          "seekrandom",
          "seekordered",
          "open",
          "quiet",
          "crc32c",
          "snappycomp",
          "snappyuncomp",
          "ycsbc");

  private BenchmarkText() {}

  /**
   * Returns the text of a row with this title, or an empty one.
   *
   * @param compacted true if it reads what is compacted
   */
  static String of(String title, boolean compacted) {
    if (compacted && title.startsWith("readrandom#")) {
      return "get, after a compaction";
    }
    return TEXTS.getOrDefault(title.replaceFirst("#.*", ""), "");
  }

  /**
   * Returns true if a benchmark compacts everything, or reads what is compacted.
   *
   * @param before true if everything was compacted before it
   */
  static boolean compacted(String title, boolean before) {
    String name = title.replaceFirst("#.*", "");
    return name.equals("compact") || (before && READS.contains(name));
  }
}
