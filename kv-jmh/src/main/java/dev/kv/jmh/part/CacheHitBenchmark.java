package dev.kv.jmh.part;

import com.github.benmanes.caffeine.cache.Caffeine;
import com.google.common.cache.Cache;
import com.google.common.cache.CacheBuilder;
import dev.kv.core.cache.CacheHandle;
import dev.kv.core.cache.CacheValue;
import dev.kv.core.cache.LruCache;
import dev.kv.jmh.workload.LehmerRandom;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
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

/**
 * Hits in a cache of 2000 entries, about 8 MiB of blocks. The entries of the other caches are not
 * pinned, and their keys are objects, which each lookup creates.
 */
@State(Scope.Benchmark)
@BenchmarkMode(Mode.AverageTime)
@OutputTimeUnit(TimeUnit.NANOSECONDS)
@Warmup(iterations = 5, time = 1)
@Measurement(iterations = 5, time = 1)
@Fork(1)
public class CacheHitBenchmark {
  private static final int ENTRIES = 2000;
  private static final int SHARD_BITS = 4;
  private static final long BLOCK_BYTES = 4096;

  private final LruCache<Block> kv = new LruCache<>(4 * ENTRIES * BLOCK_BYTES, SHARD_BITS);
  private final Cache<BlockKey, Block> guava =
      CacheBuilder.newBuilder().maximumSize(2 * ENTRIES).build();
  private final com.github.benmanes.caffeine.cache.Cache<BlockKey, Block> caffeine =
      Caffeine.newBuilder().maximumSize(2 * ENTRIES).build();
  private long id;

  private record BlockKey(long id, long offset) {}

  private record Block(long charge) implements CacheValue {
    @Override
    public void free() {}
  }

  /** The keys of a thread. */
  @State(Scope.Thread)
  public static class Keys {
    private LehmerRandom random = new LehmerRandom(1);

    /** Seeds the keys of the thread. */
    @Setup(Level.Trial)
    public void seed() {
      random = new LehmerRandom((int) Thread.currentThread().getId() * 7919);
    }

    long next() {
      return random.uniform(ENTRIES) * BLOCK_BYTES;
    }
  }

  /** Fills the three caches. */
  @Setup(Level.Trial)
  public void fill() {
    id = kv.newId();
    for (int i = 0; i < ENTRIES; i++) {
      long offset = i * BLOCK_BYTES;
      kv.acquire(id, offset, (owner, at) -> new Block(BLOCK_BYTES)).close();
      guava.put(new BlockKey(id, offset), new Block(BLOCK_BYTES));
      caffeine.put(new BlockKey(id, offset), new Block(BLOCK_BYTES));
    }
  }

  /** Empties the cache of kv, which counts its pins. */
  @TearDown(Level.Trial)
  public void empty() {
    kv.prune();
  }

  /** Looks up in the cache of kv, with a pin and its release. */
  @Benchmark
  public long kv(Keys keys) {
    try (@Nullable CacheHandle<Block> handle = kv.acquire(id, keys.next())) {
      return handle == null ? -1 : handle.value().charge();
    }
  }

  /** Looks up in Guava's cache. */
  @Benchmark
  public long guava(Keys keys) {
    Block block = guava.getIfPresent(new BlockKey(id, keys.next()));
    return block == null ? -1 : block.charge();
  }

  /** Looks up in Caffeine's cache. */
  @Benchmark
  public long caffeine(Keys keys) {
    Block block = caffeine.getIfPresent(new BlockKey(id, keys.next()));
    return block == null ? -1 : block.charge();
  }
}
