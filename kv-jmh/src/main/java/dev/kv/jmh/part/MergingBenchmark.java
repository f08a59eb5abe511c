package dev.kv.jmh.part;

import dev.kv.bytes.DBComparator;
import dev.kv.core.iterator.InternalIterator;
import dev.kv.core.iterator.MergingIterator;
import dev.kv.core.key.InternalKeyComparator;
import dev.kv.core.memory.OffHeapBudget;
import dev.kv.core.memory.OffHeapBuffer;
import dev.kv.core.table.block.BlockBuilder;
import dev.kv.core.table.block.BlockIterator;
import dev.kv.jmh.workload.DecimalKey;
import dev.kv.jmh.workload.LehmerRandom;
import java.nio.ByteBuffer;
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
import org.openjdk.jmh.annotations.Warmup;

/**
 * Merges blocks over which ten thousand keys are distributed: at random, or in long runs as in a
 * compaction.
 */
@State(Scope.Thread)
@BenchmarkMode(Mode.AverageTime)
@OutputTimeUnit(TimeUnit.NANOSECONDS)
@Warmup(iterations = 5, time = 1)
@Measurement(iterations = 5, time = 1)
@Fork(1)
public class MergingBenchmark {
  private static final int ENTRIES = 10_000;
  private static final int RUN = 500;
  private static final int VALUE_BYTES = 100;
  private static final int RESTART_INTERVAL = 16;
  private static final int SEED = 301;

  /** The number of blocks. */
  @Param({"2", "5", "12"})
  public int children;

  /** True if neighbours are mostly in the same block. */
  @Param({"false", "true"})
  public boolean runs;

  private final OffHeapBudget budget = new OffHeapBudget(0);
  private final InternalKeyComparator order = new InternalKeyComparator(DBComparator.bytewise());
  private final DecimalKey key = new DecimalKey(0);
  private final ByteBuffer target = PartKeys.direct(PartKeys.INTERNAL_KEY);
  private final LehmerRandom random = new LehmerRandom(SEED);
  private @Nullable InternalIterator merged;

  /** Builds the blocks. */
  @Setup(Level.Trial)
  public void make() {
    BlockBuilder[] builders = new BlockBuilder[children];
    for (int i = 0; i < children; i++) {
      builders[i] = new BlockBuilder(RESTART_INTERVAL, budget);
    }
    ByteBuffer value = PartKeys.direct(VALUE_BYTES);
    for (int i = 0; i < ENTRIES; i++) {
      int child = runs ? i / RUN % children : (int) random.uniform(children);
      PartKeys.putInternal(target, 0, key, i);
      builders[child].add(target, 0, PartKeys.INTERNAL_KEY, value, 0, VALUE_BYTES);
    }
    InternalIterator[] cursors = new InternalIterator[children];
    for (int i = 0; i < children; i++) {
      int length = builders[i].finish();
      BlockIterator cursor =
          new BlockIterator(order, new OffHeapBuffer(budget, BlockIterator.SCRATCH_BYTES));
      cursor.reset(builders[i].buffer(), length, "block", 0);
      cursors[i] = cursor;
    }
    merged = MergingIterator.of(order, cursors);
  }

  private InternalIterator merged() {
    if (merged == null) {
      throw new IllegalStateException("nothing to merge");
    }
    return merged;
  }

  /** Iterates from the first entry to the last; the score is per entry. */
  @Benchmark
  @OperationsPerInvocation(ENTRIES)
  public int stepForward() {
    InternalIterator cursor = merged();
    int count = 0;
    for (cursor.seekToFirst(); cursor.isValid(); cursor.next()) {
      count++;
    }
    return count;
  }

  /** Iterates from the last entry to the first; the score is per entry. */
  @Benchmark
  @OperationsPerInvocation(ENTRIES)
  public int stepBackward() {
    InternalIterator cursor = merged();
    int count = 0;
    for (cursor.seekToLast(); cursor.isValid(); cursor.prev()) {
      count++;
    }
    return count;
  }

  /** Seeks a key that exists. */
  @Benchmark
  public boolean seek() {
    PartKeys.putInternal(target, 0, key, random.uniform(ENTRIES));
    merged().seek(target, 0, PartKeys.INTERNAL_KEY);
    return merged().isValid();
  }
}
