package dev.kv.jmh.suite;

import dev.kv.DB;
import dev.kv.Options;
import dev.kv.jmh.store.StoreDirectory;
import dev.kv.jmh.workload.DecimalKey;
import dev.kv.jmh.workload.LehmerRandom;
import dev.kv.jmh.workload.ValueGenerator;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.BenchmarkMode;
import org.openjdk.jmh.annotations.Fork;
import org.openjdk.jmh.annotations.Level;
import org.openjdk.jmh.annotations.Measurement;
import org.openjdk.jmh.annotations.Mode;
import org.openjdk.jmh.annotations.OutputTimeUnit;
import org.openjdk.jmh.annotations.Param;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.Setup;
import org.openjdk.jmh.annotations.State;
import org.openjdk.jmh.annotations.TearDown;
import org.openjdk.jmh.annotations.Warmup;
import org.openjdk.jmh.infra.Blackhole;

/**
 * 100 keys in one call of {@code getAll}, and in 100 gets, in a database of one million compacted
 * entries. Near keys are neighbors, far keys are at random; both are in random order. With a cache
 * of 256 MiB all blocks are in it, with one of 0 none is.
 *
 * <p>{@code java -jar kv-jmh/target/benchmarks.jar MultiGetBenchmark}
 */
@State(Scope.Benchmark)
@BenchmarkMode(Mode.AverageTime)
@OutputTimeUnit(TimeUnit.MICROSECONDS)
@Warmup(iterations = 3, time = 2)
@Measurement(iterations = 5, time = 2)
@Fork(1)
@SuppressWarnings("NullAway.Init") // JMH calls open() before a benchmark
public class MultiGetBenchmark {
  private static final int ENTRIES = 1_000_000;
  private static final int KEYS = 100;
  private static final int VALUE_BYTES = 100;
  private static final double COMPRESSION_RATIO = 0.5;

  /** Where the keys of a call are. */
  @Param({"near", "far"})
  public String keys = "";

  /** The size of the block cache in MiB. */
  @Param({"256", "0"})
  public int cacheMiB;

  private final LehmerRandom random = new LehmerRandom(301);
  private final DecimalKey key = new DecimalKey(0);
  private Path directory = Path.of("");
  private DB db;

  /** Fills a database. */
  @Setup(Level.Trial)
  public void open() throws IOException {
    directory = Databases.newDirectory();
    db =
        DB.open(
            directory.resolve("db"),
            Options.builder().createIfMissing(true).blockCacheSize((long) cacheMiB << 20).build());
    ValueGenerator values = new ValueGenerator(COMPRESSION_RATIO);
    byte[] value = new byte[VALUE_BYTES];
    for (int i = 0; i < ENTRIES; i++) {
      values.next(value);
      db.put(key.set(i), value);
    }
    db.admin().compactRange(null, null);
  }

  /** Deletes the database. */
  @TearDown(Level.Trial)
  public void close() {
    db.close();
    StoreDirectory.delete(directory);
  }

  private List<byte[]> next() {
    boolean near = keys.equals("near");
    long from = random.uniform(ENTRIES - (long) KEYS);
    int step = 37; // prime to the number of keys, so that each neighbor comes once
    List<byte[]> next = new ArrayList<>(KEYS);
    for (int i = 0; i < KEYS; i++) {
      long number = near ? from + (long) i * step % KEYS : random.uniform(ENTRIES);
      next.add(key.set(number).clone());
    }
    return next;
  }

  /** 100 keys in one call. */
  @Benchmark
  public List<byte[]> getAll() {
    return db.getAll(next());
  }

  /** 100 keys in 100 calls. */
  @Benchmark
  public void gets(Blackhole hole) {
    for (byte[] each : next()) {
      hole.consume(db.get(each));
    }
  }
}
