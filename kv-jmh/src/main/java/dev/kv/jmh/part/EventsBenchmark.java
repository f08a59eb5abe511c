package dev.kv.jmh.part;

import dev.kv.DB;
import dev.kv.Options;
import dev.kv.ReadOptions;
import dev.kv.WriteOptions;
import dev.kv.core.event.Events;
import dev.kv.core.table.cache.LookupCounts;
import dev.kv.env.Env;
import dev.kv.jmh.workload.LehmerRandom;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.time.Duration;
import java.util.concurrent.TimeUnit;
import jdk.jfr.Recording;
import org.jspecify.annotations.Nullable;
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
 * What events and counters cost: the seam alone, and operations of a database in memory, whose
 * syncs cost nothing by themselves. The mode {@code off} is a database without listener and
 * recording; in the others every sync is an event. The first three must be a nanosecond or two, and
 * {@code get} and {@code put} the same in all modes.
 */
@State(Scope.Benchmark)
@BenchmarkMode(Mode.AverageTime)
@OutputTimeUnit(TimeUnit.NANOSECONDS)
@Warmup(iterations = 5, time = 1)
@Measurement(iterations = 5, time = 1)
@Fork(1)
@SuppressWarnings("NullAway.Init") // JMH calls open() before a benchmark
public class EventsBenchmark {
  private static final int KEYS = 1 << 14;
  private static final int KEY_BYTES = 16;

  /** Who hears the events. */
  @Param({"off", "listener", "recording"})
  public String mode = "off";

  private final Events events = new Events("db", null);
  private final LookupCounts counts = new LookupCounts();
  private final byte[] value = new byte[100];
  private @Nullable Recording recording;
  private DB db;

  /** The keys of a thread. */
  @State(Scope.Thread)
  public static class Keys {
    private final LehmerRandom random = new LehmerRandom(1);
    private final byte[] key = new byte[KEY_BYTES];
    private final ByteBuffer into = ByteBuffer.allocateDirect(1 << 10);

    private byte[] next() {
      int n = (int) random.uniform(KEYS);
      for (int i = KEY_BYTES - 1; i >= 0; i--) {
        key[i] = (byte) ('0' + n % 10);
        n /= 10;
      }
      return key;
    }
  }

  /** Opens a database whose keys are in one level of tables. */
  @Setup(Level.Trial)
  public void open() {
    if (mode.equals("recording")) {
      recording = new Recording();
      recording.enable("dev.kv.Sync").withoutThreshold().withoutStackTrace();
      recording.start();
    }
    Options.Builder options =
        Options.builder()
            .createIfMissing(true)
            .env(Env.inMemory())
            .monitoring(m -> m.slowSync(Duration.ZERO));
    if (mode.equals("listener")) {
      options.monitoring(m -> m.listener(event -> {}));
    } else {
      options.monitoring(m -> m.slowSync(Duration.ofDays(1)));
    }
    db = DB.open(Path.of("/db"), options.build());
    Keys keys = new Keys();
    for (int i = 0; i < 4 * KEYS; i++) {
      db.put(keys.next(), value);
    }
    db.admin().compactRange(null, null);
  }

  /** Closes the database and the recording. */
  @TearDown(Level.Trial)
  public void close() {
    db.close();
    if (recording != null) {
      recording.close();
    }
  }

  /** The question that each sync asks. */
  @Benchmark
  public @Nullable Object beginSync() {
    return events.begin(Events.Kind.SYNC);
  }

  /** A count of a lookup. */
  @Benchmark
  public void count() {
    counts.increment(LookupCounts.MEMTABLES);
  }

  /** A lookup in tables. */
  @Benchmark
  public int get(Keys keys) {
    keys.into.clear();
    byte[] key = keys.next();
    return db.get(ReadOptions.DEFAULT, ByteBuffer.wrap(key), keys.into);
  }

  /** A put without sync. */
  @Benchmark
  public void put(Keys keys) {
    db.put(keys.next(), value);
  }

  /** A put with sync. */
  @Benchmark
  public void putSync(Keys keys) {
    db.put(WriteOptions.SYNC, keys.next(), value);
  }
}
