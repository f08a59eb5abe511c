package dev.kv.jmh.part;

import dev.kv.core.env.FileEnv;
import dev.kv.core.log.LogWriter;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
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

/** Appends records of a put of 16 and 100 bytes to a new log, including its allocation. */
@State(Scope.Benchmark)
@BenchmarkMode(Mode.SingleShotTime)
@OutputTimeUnit(TimeUnit.NANOSECONDS)
@Warmup(iterations = 10)
@Measurement(iterations = 20)
@Fork(1)
public class LogAppendBenchmark {
  private static final int RECORDS = 30_000;
  private static final int SYNCED_RECORDS = 100;
  private static final int RECORD_BYTES = 131;

  /** True to store records through a mapping, false to write them. */
  @Param({"true", "false"})
  public boolean mapped;

  private final FileEnv env = new FileEnv();
  private final ByteBuffer record = PartKeys.direct(RECORD_BYTES);
  private Path file = Path.of("");
  private @Nullable LogWriter log;

  /** Creates a new log. */
  @Setup(Level.Invocation)
  public void create() throws IOException {
    file = Files.createTempFile("kv-jmh", ".log");
    Files.delete(file);
    var mapping = mapped ? env.createMappedLog(file) : null;
    log =
        mapping == null
            ? LogWriter.appending(file, env.createWritable(file), 0)
            : LogWriter.mapped(file, mapping);
  }

  /** Deletes the log. */
  @TearDown(Level.Invocation)
  public void remove() throws IOException {
    log().closeCleanly();
    Files.delete(file);
  }

  private LogWriter log() {
    if (log == null) {
      throw new IllegalStateException("no log");
    }
    return log;
  }

  /** Appends without a sync. */
  @Benchmark
  @OperationsPerInvocation(RECORDS)
  public long append() throws IOException {
    LogWriter out = log();
    for (int i = 0; i < RECORDS; i++) {
      out.append(record, 0, RECORD_BYTES);
    }
    return out.length();
  }

  /** Appends with a sync of each record. */
  @Benchmark
  @OperationsPerInvocation(SYNCED_RECORDS)
  public long appendAndSync() throws IOException {
    LogWriter out = log();
    for (int i = 0; i < SYNCED_RECORDS; i++) {
      out.append(record, 0, RECORD_BYTES);
      out.sync();
    }
    return out.length();
  }
}
