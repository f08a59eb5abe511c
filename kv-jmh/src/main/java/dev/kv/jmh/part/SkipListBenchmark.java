package dev.kv.jmh.part;

import dev.kv.bytes.DBComparator;
import dev.kv.core.key.InternalKeyComparator;
import dev.kv.core.key.LookupKey;
import dev.kv.core.key.ValueKind;
import dev.kv.core.memory.ArenaPool;
import dev.kv.core.memory.OffHeapBudget;
import dev.kv.core.memory.ValueRef;
import dev.kv.core.memtable.MemTable;
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
import org.openjdk.jmh.annotations.TearDown;
import org.openjdk.jmh.annotations.Warmup;

/** Inserts into an empty memtable until it is full enough for a flush, and looks up in it. */
@State(Scope.Benchmark)
@OutputTimeUnit(TimeUnit.NANOSECONDS)
@Warmup(iterations = 5, time = 1)
@Measurement(iterations = 5, time = 1)
@Fork(1)
public class SkipListBenchmark {
  private static final int ENTRIES = 30_000;
  private static final int VALUE_BYTES = 100;
  private static final int SEED = 301;

  private final OffHeapBudget budget = new OffHeapBudget(0);
  private final ArenaPool arenas = new ArenaPool(budget);
  private final InternalKeyComparator order = new InternalKeyComparator(DBComparator.bytewise());
  private final DecimalKey key = new DecimalKey(0);
  private final ByteBuffer entry = PartKeys.direct(PartKeys.USER_KEY + VALUE_BYTES);
  private final LookupKey lookup = new LookupKey(budget);
  private final ValueRef found = new ValueRef();
  private final LehmerRandom random = new LehmerRandom(SEED);
  private MemTable full = empty();

  private MemTable empty() {
    long bytes = MemTable.arenaBytesFor((long) ENTRIES * entry.capacity(), ENTRIES);
    return new MemTable(order, arenas.acquire((int) bytes), arenas);
  }

  /** Fills the memtable for lookups. */
  @Setup(Level.Trial)
  public void fill() {
    for (int i = 0; i < ENTRIES; i++) {
      add(full, i, i * 7919L % ENTRIES);
    }
  }

  /** Releases the memory. */
  @TearDown(Level.Trial)
  public void release() {
    full.release();
    full = empty();
  }

  private void add(MemTable table, int sequence, long number) {
    entry.put(0, key.set(number));
    table.ensureRoomFor(entry.capacity(), 1);
    table.add(
        sequence + 1L,
        ValueKind.VALUE,
        entry,
        0,
        PartKeys.USER_KEY,
        PartKeys.USER_KEY,
        VALUE_BYTES);
  }

  /** Inserts random keys. */
  @Benchmark
  @BenchmarkMode(Mode.AverageTime)
  @OperationsPerInvocation(ENTRIES)
  public int insertRandom() {
    MemTable table = empty();
    LehmerRandom keys = new LehmerRandom(SEED);
    for (int i = 0; i < ENTRIES; i++) {
      add(table, i, keys.uniform(1_000_000));
    }
    int count = table.entryCount();
    table.release();
    return count;
  }

  /** Inserts keys in order. */
  @Benchmark
  @BenchmarkMode(Mode.AverageTime)
  @OperationsPerInvocation(ENTRIES)
  public int insertInOrder() {
    MemTable table = empty();
    for (int i = 0; i < ENTRIES; i++) {
      add(table, i, i);
    }
    int count = table.entryCount();
    table.release();
    return count;
  }

  /** Looks up a key that exists. */
  @Benchmark
  @BenchmarkMode(Mode.AverageTime)
  public int lookup() {
    lookup.set(key.set(random.uniform(ENTRIES)), ENTRIES + 1L);
    return full.get(lookup, found);
  }

  /** Looks up a key that does not exist: the filter of the memtable answers nearly all. */
  @Benchmark
  @BenchmarkMode(Mode.AverageTime)
  public int lookupMissing() {
    lookup.set(key.set(ENTRIES + random.uniform(ENTRIES)), ENTRIES + 1L);
    return full.get(lookup, found);
  }
}
