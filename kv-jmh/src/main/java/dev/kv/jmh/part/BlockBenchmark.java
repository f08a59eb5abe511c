package dev.kv.jmh.part;

import dev.kv.bytes.DBComparator;
import dev.kv.core.key.InternalKeyComparator;
import dev.kv.core.memory.OffHeapBudget;
import dev.kv.core.memory.OffHeapBuffer;
import dev.kv.core.table.block.BlockBuilder;
import dev.kv.core.table.block.BlockIterator;
import dev.kv.jmh.workload.DecimalKey;
import dev.kv.jmh.workload.LehmerRandom;
import java.nio.ByteBuffer;
import java.util.concurrent.TimeUnit;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.BenchmarkMode;
import org.openjdk.jmh.annotations.Fork;
import org.openjdk.jmh.annotations.Level;
import org.openjdk.jmh.annotations.Measurement;
import org.openjdk.jmh.annotations.Mode;
import org.openjdk.jmh.annotations.OperationsPerInvocation;
import org.openjdk.jmh.annotations.OutputTimeUnit;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.Setup;
import org.openjdk.jmh.annotations.State;
import org.openjdk.jmh.annotations.Warmup;

/** Builds a block of 4 KiB, seeks in it, and iterates over it in both directions. */
@State(Scope.Thread)
@BenchmarkMode(Mode.AverageTime)
@OutputTimeUnit(TimeUnit.NANOSECONDS)
@Warmup(iterations = 5, time = 1)
@Measurement(iterations = 5, time = 1)
@Fork(1)
public class BlockBenchmark {
  private static final int ENTRIES = 36;
  private static final int VALUE_BYTES = 100;
  private static final int RESTART_INTERVAL = 16;
  private static final int SEED = 301;

  private final OffHeapBudget budget = new OffHeapBudget(0);
  private final InternalKeyComparator order = new InternalKeyComparator(DBComparator.bytewise());
  private final BlockBuilder builder = new BlockBuilder(RESTART_INTERVAL, budget);
  private final BlockIterator cursor =
      new BlockIterator(order, new OffHeapBuffer(budget, BlockIterator.SCRATCH_BYTES));
  private final DecimalKey key = new DecimalKey(0);
  private final ByteBuffer keys = PartKeys.direct(ENTRIES * PartKeys.INTERNAL_KEY);
  private final ByteBuffer value = PartKeys.direct(VALUE_BYTES);
  private final LehmerRandom random = new LehmerRandom(SEED);

  /** Builds the block. */
  @Setup(Level.Trial)
  public void make() {
    for (int i = 0; i < ENTRIES; i++) {
      PartKeys.putInternal(keys, i * PartKeys.INTERNAL_KEY, key, i * 3L);
    }
    int length = build();
    ByteBuffer block = PartKeys.direct(length);
    block.put(0, builder.buffer(), 0, length);
    cursor.reset(block, length, "block", 0);
  }

  /** Adds all entries to a new block; the score is per entry. */
  @Benchmark
  @OperationsPerInvocation(ENTRIES)
  public int build() {
    builder.reset();
    for (int i = 0; i < ENTRIES; i++) {
      builder.add(keys, i * PartKeys.INTERNAL_KEY, PartKeys.INTERNAL_KEY, value, 0, VALUE_BYTES);
    }
    return builder.finish();
  }

  /** Seeks a key that exists. */
  @Benchmark
  public boolean seek() {
    int at = (int) random.uniform(ENTRIES) * PartKeys.INTERNAL_KEY;
    cursor.seek(keys, at, PartKeys.INTERNAL_KEY);
    return cursor.isValid();
  }

  /** Iterates from the first entry to the last; the score is per entry. */
  @Benchmark
  @OperationsPerInvocation(ENTRIES)
  public int stepForward() {
    int bytes = 0;
    for (cursor.seekToFirst(); cursor.isValid(); cursor.next()) {
      bytes += cursor.keyLength() + cursor.valueLength();
    }
    return bytes;
  }

  /** Iterates from the last entry to the first; the score is per entry. */
  @Benchmark
  @OperationsPerInvocation(ENTRIES)
  public int stepBackward() {
    int bytes = 0;
    for (cursor.seekToLast(); cursor.isValid(); cursor.prev()) {
      bytes += cursor.keyLength() + cursor.valueLength();
    }
    return bytes;
  }
}
