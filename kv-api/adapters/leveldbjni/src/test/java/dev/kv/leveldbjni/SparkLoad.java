package dev.kv.leveldbjni;

import java.io.IOException;
import java.io.InputStream;
import java.util.List;
import org.apache.spark.util.kvstore.LevelDBBenchmark;

/**
 * Runs Spark's own benchmark of its store, on the library that is first on the class path, over and
 * over. After the warm-up Spark prints its timers for each run: count, and mean, least, greatest
 * and 95th percentile in milliseconds.
 */
final class SparkLoad {
  private static final int WARM_UP = 10;
  private static final int RUNS = 11;
  private static final List<String> LOADS =
      List.of(
          "sequentialWritesNoIndex",
          "randomWritesNoIndex",
          "sequentialWritesIndexedType",
          "randomWritesIndexedTypeAndIteration");

  private SparkLoad() {}

  public static void main(String[] arguments) throws ReflectiveOperationException {
    for (int i = 0; i < WARM_UP + RUNS; i++) {
      Class<?> type = new FreshBenchmark().loadClass(LevelDBBenchmark.class.getName());
      for (String load : LOADS) {
        Object benchmark = type.getConstructor().newInstance();
        type.getMethod("setup").invoke(benchmark);
        type.getMethod(load).invoke(benchmark);
        type.getMethod("cleanup").invoke(benchmark);
      }
      if (i >= WARM_UP) {
        type.getMethod("report").invoke(null);
      }
    }
  }

  /** Gives each run timers of its own, which the benchmark keeps in statics. */
  private static final class FreshBenchmark extends ClassLoader {
    private static final String BENCHMARK = LevelDBBenchmark.class.getName();

    FreshBenchmark() {
      super(SparkLoad.class.getClassLoader());
    }

    @Override
    protected Class<?> loadClass(String name, boolean resolve) throws ClassNotFoundException {
      if (!name.startsWith(BENCHMARK)) {
        return super.loadClass(name, resolve);
      }
      Class<?> loaded = findLoadedClass(name);
      return loaded == null ? define(name) : loaded;
    }

    private Class<?> define(String name) throws ClassNotFoundException {
      try (InputStream in = getResourceAsStream(name.replace('.', '/') + ".class")) {
        byte[] bytes = in.readAllBytes();
        return defineClass(name, bytes, 0, bytes.length);
      } catch (IOException e) {
        throw new ClassNotFoundException(name, e);
      }
    }
  }
}
