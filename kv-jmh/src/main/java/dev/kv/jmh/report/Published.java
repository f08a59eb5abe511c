package dev.kv.jmh.report;

import java.util.Map;
import java.util.OptionalDouble;

/**
 * The figures in LevelDB's own documentation, in microseconds per operation: a million entries with
 * keys of 16 bytes and values of 100 bytes, on a machine of 2011.
 */
final class Published {
  private static final Map<String, Double> FILLED =
      Map.of(
          "fillseq", 1.765,
          "fillsync", 268.409,
          "fillrandom", 2.460,
          "overwrite", 2.380,
          "readrandom", 16.677,
          "readseq", 0.476,
          "readreverse", 0.724);
  private static final Map<String, Double> COMPACTED =
      Map.of("readrandom", 11.602, "readseq", 0.423, "readreverse", 0.663);
  private static final Map<String, Double> FILLED_CACHED = Map.of("readrandom", 9.775);
  private static final Map<String, Double> COMPACTED_CACHED = Map.of("readrandom", 5.215);

  private Published() {}

  /**
   * Returns the figure of a benchmark, or empty if there is none.
   *
   * @param compacted true if it reads what is compacted
   * @param cached true if the cache holds all data
   */
  static OptionalDouble micros(String benchmark, boolean compacted, boolean cached) {
    Double micros =
        switch ((compacted ? 1 : 0) + (cached ? 2 : 0)) {
          case 0 -> FILLED.get(benchmark);
          case 1 -> COMPACTED.get(benchmark);
          case 2 -> FILLED_CACHED.getOrDefault(benchmark, FILLED.get(benchmark));
          default -> COMPACTED_CACHED.getOrDefault(benchmark, COMPACTED.get(benchmark));
        };
    return micros == null ? OptionalDouble.empty() : OptionalDouble.of(micros);
  }
}
