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

/** Fills an empty database; one shot is one fill. */
@State(Scope.Benchmark)
@BenchmarkMode(Mode.SingleShotTime)
@OutputTimeUnit(TimeUnit.MICROSECONDS)
@Warmup(iterations = 2)
@Measurement(iterations = 5)
@Fork(1)
public class FillBenchmark {
  private static final int ENTRIES = 1_000_000;
  private static final int SYNCED_ENTRIES = 1000;
  private static final int SEED = 1000;

  /** The store. */
  @Param({"kv", "leveldbjni"})
  public String storeName = "";

  private final ValueGenerator values = Databases.newValues();
  private int entries;
  private Path directory = Path.of("");
  private Store store = ClosedStore.INSTANCE;

  /** Creates an empty database. */
  @Setup(Level.Invocation)
  public void open(BenchmarkParams params) throws IOException {
    entries = params.getOpsPerInvocation();
    directory = Databases.newDirectory();
    store = Databases.open(storeName, directory);
  }

  /** Deletes the database. */
  @TearDown(Level.Invocation)
  public void close() {
    store.close();
    StoreDirectory.delete(directory);
  }

  /** Puts keys in order. */
  @Benchmark
  @OperationsPerInvocation(ENTRIES)
  public void fillseq() {
    Databases.putInOrder(store, values, entries);
  }

  /** Puts random keys. */
  @Benchmark
  @OperationsPerInvocation(ENTRIES)
  public void fillrandom() {
    Databases.putAtRandom(store, values, new LehmerRandom(SEED), entries, entries, false);
  }

  /** Puts random keys, each with a sync. */
  @Benchmark
  @OperationsPerInvocation(SYNCED_ENTRIES)
  public void fillsync() {
    Databases.putAtRandom(store, values, new LehmerRandom(SEED), entries, ENTRIES, true);
  }
}
