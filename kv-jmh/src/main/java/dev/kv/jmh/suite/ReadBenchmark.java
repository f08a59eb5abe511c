package dev.kv.jmh.suite;

import dev.kv.jmh.store.Cursor;
import dev.kv.jmh.store.Cursors;
import dev.kv.jmh.store.Reader;
import dev.kv.jmh.workload.DecimalKey;
import dev.kv.jmh.workload.LehmerRandom;
import java.util.concurrent.TimeUnit;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.BenchmarkMode;
import org.openjdk.jmh.annotations.Fork;
import org.openjdk.jmh.annotations.Level;
import org.openjdk.jmh.annotations.Measurement;
import org.openjdk.jmh.annotations.Mode;
import org.openjdk.jmh.annotations.OutputTimeUnit;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.Setup;
import org.openjdk.jmh.annotations.State;
import org.openjdk.jmh.annotations.TearDown;
import org.openjdk.jmh.annotations.Warmup;

/** Reads single keys in the steady state. Each thread has its own reader and its own keys. */
@BenchmarkMode(Mode.AverageTime)
@OutputTimeUnit(TimeUnit.MICROSECONDS)
@Warmup(iterations = 3, time = 2)
@Measurement(iterations = 5, time = 2)
@Fork(1)
public class ReadBenchmark {

  /** The reader and the cursors of a thread. */
  @State(Scope.Thread)
  public static class ThreadState {
    private final DecimalKey key = new DecimalKey(0);
    private final byte[] missing = new byte[DecimalKey.DIGITS - 1];
    private LehmerRandom random = new LehmerRandom(1);
    private Reader reader = key -> Reader.MISSING;
    private Cursors cursors = ClosedStore.INSTANCE::cursor;

    /** Opens them. */
    @Setup(Level.Trial)
    public void open(ReadState database) {
      random = new LehmerRandom((int) Thread.currentThread().getId() * 7919);
      reader = database.store().reader();
      cursors = database.store().cursors();
    }

    /** Closes them. */
    @TearDown(Level.Trial)
    public void close() {
      cursors.close();
      reader.close();
    }
  }

  /** Reads random keys. */
  @Benchmark
  public int readrandom(ReadState database, ThreadState thread) {
    return thread.reader.get(thread.key.set(thread.random.uniform(database.entries)));
  }

  /** Reads random keys of one hundredth of the entries. */
  @Benchmark
  public int readhot(ReadState database, ThreadState thread) {
    return thread.reader.get(thread.key.set(thread.random.uniform((database.entries + 99) / 100)));
  }

  /** Reads keys that do not exist. */
  @Benchmark
  public int readmissing(ReadState database, ThreadState thread) {
    byte[] key = thread.key.set(thread.random.uniform(database.entries));
    System.arraycopy(key, 0, thread.missing, 0, thread.missing.length);
    return thread.reader.get(thread.missing);
  }

  /** Seeks random keys, with a new cursor for each. */
  @Benchmark
  public boolean seekrandom(ReadState database, ThreadState thread) {
    try (Cursor cursor = thread.cursors.open()) {
      return cursor.seek(thread.key.set(thread.random.uniform(database.entries)));
    }
  }
}
