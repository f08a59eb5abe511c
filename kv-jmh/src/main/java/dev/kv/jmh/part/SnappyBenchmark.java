package dev.kv.jmh.part;

import dev.kv.core.codec.BlockCompression;
import dev.kv.core.codec.MalformedBlockException;
import dev.kv.jmh.workload.ValueGenerator;
import dev.kv.options.CompressionType;
import java.io.IOException;
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
import org.xerial.snappy.Snappy;

/** Snappy on a block of 4 KiB of db_bench's values: the native library and the codec in Java. */
@State(Scope.Thread)
@BenchmarkMode(Mode.AverageTime)
@OutputTimeUnit(TimeUnit.NANOSECONDS)
@Warmup(iterations = 5, time = 1)
@Measurement(iterations = 5, time = 1)
@Fork(1)
public class SnappyBenchmark {
  private static final byte SNAPPY = 1;

  /** The size of the block. */
  @Param({"4096", "32768"})
  public int blockBytes;

  /** True for the native library, false for the codec in Java. */
  @Param({"true", "false"})
  public boolean nativeLibrary;

  /** The compressed size of the block as a fraction of its size. */
  @Param("0.5")
  public double ratio;

  private ByteBuffer plain = PartKeys.direct(0);
  private ByteBuffer restored = PartKeys.direct(0);
  private BlockCompression codec = new BlockCompression(false);
  private ByteBuffer packed = PartKeys.direct(0);
  private ByteBuffer target = PartKeys.direct(0);
  private int packedLength;

  /** Creates the block, uncompressed and compressed. */
  @Setup(Level.Trial)
  public void make() {
    plain = PartKeys.direct(blockBytes);
    restored = PartKeys.direct(blockBytes);
    byte[] data = new byte[blockBytes];
    new ValueGenerator(ratio).next(data);
    plain.put(0, data);
    codec = new BlockCompression(nativeLibrary);
    packed = PartKeys.direct(codec.maxCompressedLength(CompressionType.SNAPPY, blockBytes));
    target = PartKeys.direct(packed.capacity());
    packedLength = codec.compress(CompressionType.SNAPPY, 0, plain, blockBytes, packed, 0);
  }

  /** Compresses the block. */
  @Benchmark
  public int compress() {
    return codec.compress(CompressionType.SNAPPY, 0, plain, blockBytes, target, 0);
  }

  /**
   * Uncompresses the block. The engine uses Java for blocks of this size, so the library is called
   * directly.
   */
  @Benchmark
  public ByteBuffer uncompress() throws MalformedBlockException, IOException {
    if (nativeLibrary) {
      Snappy.uncompress(packed.limit(packedLength).position(0), restored.clear());
      return restored;
    }
    codec.uncompress(SNAPPY, packed, packedLength, restored, blockBytes);
    return restored;
  }
}
