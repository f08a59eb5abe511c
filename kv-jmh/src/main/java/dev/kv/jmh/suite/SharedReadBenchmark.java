package dev.kv.jmh.suite;

import dev.kv.jmh.adapter.StoreKind;
import dev.kv.jmh.store.Reader;
import dev.kv.jmh.store.Store;
import dev.kv.jmh.store.StoreDirectory;
import dev.kv.jmh.store.StoreSettings;
import dev.kv.jmh.workload.DecimalKey;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
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

/**
 * Reads one key in each thread, to show what the threads share: the key and its block, the database
 * but no table, or nothing. Run it with {@code -t 1} and {@code -t 2}; the throughput is that of
 * all threads. If nothing that is written is shared, the rows of one thread count are equal.
 */
@State(Scope.Benchmark)
@BenchmarkMode(Mode.Throughput)
@OutputTimeUnit(TimeUnit.MICROSECONDS)
@Warmup(iterations = 3, time = 1)
@Measurement(iterations = 5, time = 1)
@Fork(1)
public class SharedReadBenchmark {
  private static final int ENTRIES = 100_000;
  private static final long CACHE_BYTES = 64 << 20;

  /** What the threads have in common. */
  public enum Common {
    /** All threads read the same key. */
    KEY,

    /** Each thread reads a key of its own, in a table of its own. */
    DATABASE,

    /** Each thread reads a database of its own. */
    NOTHING
  }

  /** What the threads share. */
  @Param({"KEY", "DATABASE", "NOTHING"})
  public Common common = Common.KEY;

  /** How values are returned. */
  @Param({"ARRAY", "BUFFER"})
  public StoreSettings.ReadAccess access = StoreSettings.ReadAccess.ARRAY;

  /** Whether blocks are read in the mapping of their file, or else in the cache. */
  @Param({"false", "true"})
  public boolean inPlace;

  /** How many databases there are if each thread has one; at least the number of threads. */
  @Param("2")
  public int databases;

  private final AtomicInteger nextThread = new AtomicInteger();
  private final List<Store> stores = new ArrayList<>();
  private final List<Path> directories = new ArrayList<>();

  /** The key of a thread, and the reader of its database. */
  @State(Scope.Thread)
  public static class ThreadState {
    private Reader reader = key -> Reader.MISSING;
    private byte[] key = new byte[0];

    /** Chooses the key and the database. */
    @Setup(Level.Trial)
    public void choose(SharedReadBenchmark all) {
      int number = all.nextThread.getAndIncrement();
      reader = all.stores.get(number % all.stores.size()).reader();
      int place = all.common == Common.DATABASE ? number % all.databases : 0;
      key = new DecimalKey(0).set((long) ENTRIES / all.databases * place + ENTRIES / 20);
      if (reader.get(key) == Reader.MISSING) {
        throw new AssertionError("the key is missing");
      }
    }

    /** Closes the reader. */
    @TearDown(Level.Trial)
    public void close() {
      reader.close();
    }
  }

  /** Fills the databases, each with several tables. */
  @Setup(Level.Trial)
  public void fill() throws IOException {
    for (int i = 0; i < (common == Common.NOTHING ? databases : 1); i++) {
      Path directory = Databases.newDirectory();
      StoreSettings settings =
          new StoreSettings(
              CACHE_BYTES, 0, 0, 0, 0, -1, !inPlace, false, access, inPlace, 1L << 30);
      Store store = StoreKind.of("kv").open(directory, settings);
      directories.add(directory);
      stores.add(store);
      Databases.putShuffled(store, ENTRIES);
      store.compact();
    }
  }

  /** Deletes the databases. */
  @TearDown(Level.Trial)
  public void remove() {
    stores.forEach(Store::close);
    directories.forEach(StoreDirectory::delete);
  }

  /** Reads the key of the thread. */
  @Benchmark
  public int readone(ThreadState thread) {
    return thread.reader.get(thread.key);
  }
}
