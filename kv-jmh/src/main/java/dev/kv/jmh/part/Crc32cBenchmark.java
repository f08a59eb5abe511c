package dev.kv.jmh.part;

import dev.kv.core.codec.MaskedCrc32c;
import java.nio.ByteBuffer;
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
import org.openjdk.jmh.annotations.Warmup;

/** Computes masked checksums of direct buffers: a log record, a block, a large value. */
@State(Scope.Thread)
@BenchmarkMode(Mode.AverageTime)
@OutputTimeUnit(TimeUnit.NANOSECONDS)
@Warmup(iterations = 5, time = 1)
@Measurement(iterations = 5, time = 1)
@Fork(1)
public class Crc32cBenchmark {
  /** The size of the buffer. */
  @Param({"131", "4096", "102400"})
  public int bytes;

  private final MaskedCrc32c crc = new MaskedCrc32c();
  private ByteBuffer block = PartKeys.direct(0);

  /** Fills the buffer. */
  @Setup(Level.Trial)
  public void make() {
    block = PartKeys.direct(bytes);
    for (int i = 0; i < bytes; i++) {
      block.put(i, (byte) (i * 31));
    }
  }

  /** Computes one checksum. */
  @Benchmark
  public int checksum() {
    crc.reset();
    crc.update(block, 0, bytes);
    return crc.maskedValue();
  }
}
