package dev.kv.jmh.suite;

import dev.kv.jmh.store.Store;
import dev.kv.jmh.store.StoreDirectory;
import dev.kv.jmh.workload.LehmerRandom;
import dev.kv.jmh.workload.ValueGenerator;
import java.io.IOException;
import java.nio.file.Path;
import java.util.concurrent.TimeUnit;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.BenchmarkMode;
import org.openjdk.jmh.annotations.Fork;
import org.openjdk.jmh.annotations.Level;
import org.openjdk.jmh.annotations.Measurement;
import org.openjdk.jmh.annotations.Mode;
import org.openjdk.jmh.annotations.OperationsPerInvocation;
import org.openjdk.jmh.annotations.OutputTimeUnit;
import org.openjdk.jmh.annotations.Param;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.Setup;
import org.openjdk.jmh.annotations.State;
import org.openjdk.jmh.annotations.TearDown;
import org.openjdk.jmh.annotations.Warmup;
import org.openjdk.jmh.infra.BenchmarkParams;

/**
 * Overwrites a database that was just filled with random keys; one shot is as many puts as it has
 * entries.
 */
@State(Scope.Benchmark)
@BenchmarkMode(Mode.SingleShotTime)
@OutputTimeUnit(TimeUnit.MICROSECONDS)
@Warmup(iterations = 2)
@Measurement(iterations = 5)
@Fork(1)
public class OverwriteBenchmark {
  private static final int ENTRIES = 1_000_000;
  private static final int FILL_SEED = 1000;
  private static final int OVERWRITE_SEED = 1001;

  /** The store. */
  @Param({"kv", "leveldbjni"})
  public String storeName = "";

  private final ValueGenerator values = Databases.newValues();
  private int entries;
  private Path directory = Path.of("");
  private Store store = ClosedStore.INSTANCE;

  /** Fills a database. */
  @Setup(Level.Invocation)
  public void fill(BenchmarkParams params) throws IOException {
    entries = params.getOpsPerInvocation();
    directory = Databases.newDirectory();
    store = Databases.open(storeName, directory);
    Databases.putAtRandom(store, values, new LehmerRandom(FILL_SEED), entries, entries, false);
  }

  /** Deletes the database. */
  @TearDown(Level.Invocation)
  public void close() {
    store.close();
    StoreDirectory.delete(directory);
  }

  /** Puts random keys, others than those of the fill. */
  @Benchmark
  @OperationsPerInvocation(ENTRIES)
  public void overwrite() {
    Databases.putAtRandom(store, values, new LehmerRandom(OVERWRITE_SEED), entries, entries, false);
  }
}
