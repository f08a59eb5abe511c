package dev.kv.leveldbjni;

import java.util.List;
import org.apache.spark.util.kvstore.LevelDBBenchmark;

/**
 * Runs Spark's own benchmark of its store, on the library that is first on the class path. Spark
 * prints each of its timers: count, and mean, least, greatest and 95th percentile in microseconds.
 */
final class SparkLoad {
  private static final int REPETITIONS = 20;

  private SparkLoad() {}

  /** One of the benchmark's loads. */
  private interface Load {
    void run(LevelDBBenchmark benchmark) throws Exception;
  }

  public static void main(String[] arguments) throws Exception {
    List<Load> loads =
        List.of(
            LevelDBBenchmark::sequentialWritesNoIndex,
            LevelDBBenchmark::randomWritesNoIndex,
            LevelDBBenchmark::sequentialWritesIndexedType,
            LevelDBBenchmark::randomWritesIndexedTypeAndIteration);
    for (int i = 0; i < REPETITIONS; i++) {
      for (Load load : loads) {
        LevelDBBenchmark benchmark = new LevelDBBenchmark();
        benchmark.setup();
        load.run(benchmark);
        benchmark.cleanup();
      }
    }
    LevelDBBenchmark.report();
  }
}
