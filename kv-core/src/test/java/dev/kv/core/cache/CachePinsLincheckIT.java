package dev.kv.core.cache;

import org.jetbrains.lincheck.datastructures.IntGen;
import org.jetbrains.lincheck.datastructures.ModelCheckingOptions;
import org.jetbrains.lincheck.datastructures.Operation;
import org.jetbrains.lincheck.datastructures.Param;
import org.jetbrains.lincheck.datastructures.StressOptions;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/**
 * Pins of cache entries against eviction, erasure and replacement. What stays in a full cache hangs
 * on the order of things, so operations only say whether what they pinned was good: that it was, is
 * all that a sequence of them can give.
 */
@Tag("slow")
@Param(name = "key", gen = IntGen.class, conf = "1:3")
public class CachePinsLincheckIT {
  private static final boolean LONG = Boolean.getBoolean("kv.long");

  private final LruCache<Value> cache = new LruCache<>(2, 0);

  /** What knows whether it was freed; freeing it twice is an error. */
  private static final class Value implements CacheValue {
    private volatile boolean freed;

    @Override
    public long charge() {
      return 1;
    }

    @Override
    public void free() {
      if (freed) {
        throw new IllegalStateException("freed twice");
      }
      freed = true;
    }
  }

  @Operation
  public boolean find(@Param(name = "key") int key) {
    CacheHandle<Value> entry = cache.acquire(1, key);
    return entry == null || isGood(entry);
  }

  @Operation
  public boolean load(@Param(name = "key") int key) {
    return isGood(cache.acquire(1, key, (id, at) -> new Value()));
  }

  @Operation
  public boolean insert(@Param(name = "key") int key) {
    return isGood(Replacing.put(cache, 1, key, (id, at) -> new Value()));
  }

  private static boolean isGood(CacheHandle<Value> entry) {
    boolean good = !entry.value().freed;
    entry.close();
    return good;
  }

  @Operation
  public void erase(@Param(name = "key") int key) {
    cache.erase(1, key);
  }

  @Operation
  public void prune() {
    cache.prune();
  }

  @Test
  void entries_underAModelChecker_areNotFreedWhilePinned() {
    new ModelCheckingOptions()
        .iterations(LONG ? 40 : 2)
        .invocationsPerIteration(LONG ? 2000 : 200) // each takes milliseconds
        .threads(2)
        .actorsBefore(2)
        .actorsPerThread(2)
        .actorsAfter(1)
        .check(CachePinsLincheckIT.class);
  }

  @Test
  void entries_underStress_areNotFreedWhilePinned() {
    new StressOptions()
        .iterations(LONG ? 60 : 2)
        .invocationsPerIteration(LONG ? 20_000 : 1000)
        .threads(3)
        .actorsBefore(2)
        .actorsPerThread(4)
        .check(CachePinsLincheckIT.class);
  }
}
