package dev.kv.jmh.suite;

import dev.kv.jmh.store.Cursor;
import dev.kv.jmh.store.OpMeter;
import java.util.concurrent.TimeUnit;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.BenchmarkMode;
import org.openjdk.jmh.annotations.Fork;
import org.openjdk.jmh.annotations.Measurement;
import org.openjdk.jmh.annotations.Mode;
import org.openjdk.jmh.annotations.OperationsPerInvocation;
import org.openjdk.jmh.annotations.OutputTimeUnit;
import org.openjdk.jmh.annotations.Warmup;
import org.openjdk.jmh.infra.BenchmarkParams;

/** Scans the keys and values of a hundred thousand entries, from either end. */
@BenchmarkMode(Mode.AverageTime)
@OutputTimeUnit(TimeUnit.MICROSECONDS)
@Warmup(iterations = 3, time = 2)
@Measurement(iterations = 5, time = 2)
@Fork(1)
public class ScanBenchmark {
  private static final int ENTRIES = 100_000;

  /** Scans from the first entry on. */
  @Benchmark
  @OperationsPerInvocation(ENTRIES)
  public long readseq(ReadState database, BenchmarkParams params) {
    OpMeter meter = new OpMeter(false);
    try (Cursor cursor = database.store().cursor()) {
      cursor.scanForward(params.getOpsPerInvocation(), meter);
    }
    return whole(meter, params);
  }

  /** Scans from the last entry backwards. */
  @Benchmark
  @OperationsPerInvocation(ENTRIES)
  public long readreverse(ReadState database, BenchmarkParams params) {
    OpMeter meter = new OpMeter(false);
    try (Cursor cursor = database.store().cursor()) {
      cursor.scanBackward(params.getOpsPerInvocation(), meter);
    }
    return whole(meter, params);
  }

  /** Fails if there were fewer operations than JMH counts, since the score would be wrong. */
  private static long whole(OpMeter meter, BenchmarkParams params) {
    if (meter.operations() != params.getOpsPerInvocation()) {
      throw new IllegalStateException(
          "only " + meter.operations() + " entries; set entries to at least the operations");
    }
    return meter.sum();
  }
}
