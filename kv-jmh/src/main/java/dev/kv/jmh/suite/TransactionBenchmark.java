package dev.kv.jmh.suite;

import dev.kv.jmh.store.StoreDirectory;
import dev.kv.jmh.transfer.Transfers;
import dev.kv.jmh.workload.DecimalKey;
import dev.kv.jmh.workload.LehmerRandom;
import java.io.IOException;
import java.nio.file.Path;
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
import org.openjdk.jmh.annotations.Threads;
import org.openjdk.jmh.annotations.Warmup;
import org.openjdk.jmh.infra.ThreadParams;

/**
 * Transactions that read two keys for update and write both, without sync. {@code oneThread} beside
 * {@code plainWrite}, a write of the same two keys at once, shows the cost of a transaction. In
 * {@code fourThreads}, the given percentage of the transactions use a pair of keys that all threads
 * share, and the others keys of their thread; a transaction counts when it is committed.
 *
 * <p>{@code java -jar kv-jmh/target/benchmarks.jar TransactionBenchmark}
 */
@State(Scope.Benchmark)
@BenchmarkMode(Mode.Throughput)
@OutputTimeUnit(TimeUnit.MILLISECONDS)
@Warmup(iterations = 3, time = 2)
@Measurement(iterations = 5, time = 2)
@Fork(1)
@SuppressWarnings("NullAway.Init") // JMH calls open() before a benchmark
public class TransactionBenchmark {
  private static final int KEYS_PER_THREAD = 25_000;
  private static final int THREADS = 4;
  private static final int VALUE_BYTES = 100;

  /** The store. */
  @Param({"kv", "rocksdb", "mvstore"})
  public String storeName = "";

  /** The percentage of transactions that meet. */
  @Param({"0", "1", "50"})
  public int shared;

  private Path directory = Path.of("");
  private Transfers store;

  /** The keys of a thread. */
  @State(Scope.Thread)
  public static class Keys {
    private final DecimalKey firstKey = new DecimalKey(0);
    private final DecimalKey secondKey = new DecimalKey(0);
    private final byte[] value = new byte[VALUE_BYTES];
    private byte[] first = firstKey.set(0);
    private byte[] second = secondKey.set(0);
    private LehmerRandom random = new LehmerRandom(1);
    private int from;

    /** Chooses the part of the keys that is the thread's own. */
    @Setup(Level.Trial)
    public void choose(ThreadParams thread) {
      from = 2 + thread.getThreadIndex() * KEYS_PER_THREAD;
      random = new LehmerRandom(1 + thread.getThreadIndex());
    }

    private void own() {
      int at = (int) random.uniform(KEYS_PER_THREAD - 1L);
      set(from + at);
    }

    private void set(int number) {
      first = firstKey.set(number);
      second = secondKey.set(number + 1L);
    }

    private void next(int shared) {
      if (random.uniform(100) < shared) {
        set(0);
      } else {
        own();
      }
    }
  }

  /** Fills a store. */
  @Setup(Level.Trial)
  public void open() throws IOException {
    directory = Databases.newDirectory();
    store = Transfers.open(storeName, directory);
    DecimalKey first = new DecimalKey(0);
    DecimalKey second = new DecimalKey(0);
    byte[] value = new byte[VALUE_BYTES];
    for (int i = 0; i < 2 + THREADS * KEYS_PER_THREAD; i += 2) {
      store.put(first.set(i), second.set(i + 1L), value);
    }
  }

  /** Deletes the store. */
  @TearDown(Level.Trial)
  public void close() {
    store.close();
    StoreDirectory.delete(directory);
  }

  /** Writes two keys at once, without reading them. */
  @Benchmark
  public void plainWrite(Keys keys) {
    keys.own();
    store.put(keys.first, keys.second, keys.value);
  }

  /** Transactions of one thread. */
  @Benchmark
  public int oneThread(Keys keys) {
    keys.own();
    return store.transfer(keys.first, keys.second, keys.value);
  }

  /** Transactions of four threads. */
  @Benchmark
  @Threads(THREADS)
  public int fourThreads(Keys keys) {
    keys.next(shared);
    return store.transfer(keys.first, keys.second, keys.value);
  }
}
