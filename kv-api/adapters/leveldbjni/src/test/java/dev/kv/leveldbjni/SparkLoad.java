package dev.kv.leveldbjni;

import com.codahale.metrics.MetricRegistry;
import com.codahale.metrics.Snapshot;
import com.codahale.metrics.Timer;
import java.io.IOException;
import java.io.InputStream;
import java.lang.reflect.Field;
import java.util.List;
import java.util.Locale;
import org.apache.spark.util.kvstore.LevelDBBenchmark;

/**
 * Runs Spark's own benchmark of its store, on the library that is first on the class path, over and
 * over. After the warm-up it prints the timers of each run: count, and mean, least, greatest and
 * 95th percentile in microseconds. Spark's own report rounds to whole microseconds, which is as
 * much as a step of an iterator takes.
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
        Field metrics = type.getDeclaredField("metrics");
        metrics.setAccessible(true);
        ((MetricRegistry) metrics.get(null)).getTimers().forEach(SparkLoad::print);
      }
    }
  }

  private static void print(String name, Timer timer) {
    Snapshot times = timer.getSnapshot();
    System.out.printf(
        Locale.ROOT,
        "%s\t%d\t%.3f\t%.3f\t%.3f\t%.3f%n",
        name,
        times.size(),
        times.getMean() / 1e3,
        times.getMin() / 1e3,
        times.getMax() / 1e3,
        times.get95thPercentile() / 1e3);
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
