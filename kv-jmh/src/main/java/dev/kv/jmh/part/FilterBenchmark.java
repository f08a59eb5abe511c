package dev.kv.jmh.part;

import dev.kv.bytes.Slice;
import dev.kv.core.table.filter.BloomFilter;
import dev.kv.jmh.workload.DecimalKey;
import dev.kv.jmh.workload.LehmerRandom;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
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

/** Probes a bloom filter of 10 bits per key; the hash is included. */
@State(Scope.Thread)
@BenchmarkMode(Mode.AverageTime)
@OutputTimeUnit(TimeUnit.NANOSECONDS)
@Warmup(iterations = 5, time = 1)
@Measurement(iterations = 5, time = 1)
@Fork(1)
public class FilterBenchmark {
  private static final int BITS_PER_KEY = 10;
  private static final int SEED = 301;

  /** The number of keys: those of 2 KiB of blocks, or of a table. */
  @Param({"18", "30000"})
  public int keys;

  private final DecimalKey key = new DecimalKey(0);
  private final ByteBuffer probe = PartKeys.direct(PartKeys.USER_KEY);
  private final LehmerRandom random = new LehmerRandom(SEED);
  private ByteBuffer filter = PartKeys.direct(0);

  /** Builds the filter. */
  @Setup(Level.Trial)
  public void make() {
    List<Slice> contents = new ArrayList<>();
    for (int i = 0; i < keys; i++) {
      contents.add(Slice.of(key.set(i).clone()));
    }
    byte[] bytes = new BloomFilter(BITS_PER_KEY).createFilter(contents);
    filter = PartKeys.direct(bytes.length).put(0, bytes);
  }

  private boolean probe(long number) {
    probe.put(0, key.set(number));
    int hash = BloomFilter.hash(probe, 0, PartKeys.USER_KEY);
    return BloomFilter.mayContain(hash, filter, 0, filter.capacity());
  }

  /** Probes a key that was added. */
  @Benchmark
  public boolean present() {
    return probe(random.uniform(keys));
  }

  /** Probes a key that was not added. */
  @Benchmark
  public boolean absent() {
    return probe(keys + random.uniform(keys));
  }
}
