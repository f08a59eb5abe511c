package dev.kv.core.cache;

import static org.openjdk.jcstress.annotations.Expect.ACCEPTABLE;
import static org.openjdk.jcstress.annotations.Expect.FORBIDDEN;

import org.openjdk.jcstress.annotations.Actor;
import org.openjdk.jcstress.annotations.JCStressTest;
import org.openjdk.jcstress.annotations.Outcome;
import org.openjdk.jcstress.annotations.State;
import org.openjdk.jcstress.infra.results.I_Result;

/** A cache of numbers that are overwritten when they are freed. */
public final class LruCacheStress {
  private static final int NUMBER = 7;
  private static final int FREED = -7;
  private static final int CAPACITY = 100;

  /** The number of entries after which the next one makes the table of a shard grow. */
  private static final int FULL_TABLE = 16;

  private LruCacheStress() {}

  /** A number, in a plain field. */
  private static final class Cell implements CacheValue {
    private int number = NUMBER;

    @Override
    public long charge() {
      return 1;
    }

    @Override
    public void free() {
      number = FREED;
    }
  }

  private static LruCache<Cell> cache(int entries) {
    LruCache<Cell> cache = new LruCache<>(CAPACITY, 0);
    for (int i = 0; i < entries; i++) {
      cache.acquire(1, i, (id, key) -> new Cell()).close();
    }
    return cache;
  }

  /** An entry that is pinned is not freed. */
  @JCStressTest
  @Outcome(id = "7", expect = ACCEPTABLE, desc = "pinned and read")
  @Outcome(id = "0", expect = ACCEPTABLE, desc = "not there")
  @Outcome(id = "-7", expect = FORBIDDEN, desc = "freed while it was pinned")
  @State
  public static class ReadWithPin {
    private final LruCache<Cell> cache = cache(1);

    /** Frees the entry, unless it is pinned. */
    @Actor
    public void eraser() {
      cache.erase(1, 0);
    }

    /** Pins and reads it. */
    @Actor
    public void reader(I_Result result) {
      try (CacheHandle<Cell> entry = cache.acquire(1, 0)) {
        result.r1 = entry == null ? 0 : entry.value().number;
      }
    }
  }

  /** A value that another thread loads is found whole. */
  @JCStressTest
  @Outcome(id = "7", expect = ACCEPTABLE, desc = "loaded")
  @Outcome(id = "0", expect = ACCEPTABLE, desc = "not there yet")
  @Outcome(expect = FORBIDDEN, desc = "a part of the value")
  @State
  public static class Load {
    private final LruCache<Cell> cache = cache(0);

    /** Loads the value. */
    @Actor
    public void loader() {
      cache.acquire(1, 0, (id, key) -> new Cell()).close();
    }

    /** Reads it. */
    @Actor
    public void reader(I_Result result) {
      try (CacheHandle<Cell> entry = cache.acquire(1, 0)) {
        result.r1 = entry == null ? 0 : entry.value().number;
      }
    }
  }

  /** A search finds what is in the cache while the table grows. */
  @JCStressTest
  @Outcome(id = "7", expect = ACCEPTABLE, desc = "found")
  @Outcome(expect = FORBIDDEN, desc = "an entry is missed")
  @State
  public static class Growth {
    private final LruCache<Cell> cache = cache(FULL_TABLE);

    /** Makes the table grow. */
    @Actor
    public void loader() {
      cache.acquire(1, FULL_TABLE, (id, key) -> new Cell()).close();
    }

    /** Reads an entry that is there. */
    @Actor
    public void reader(I_Result result) {
      try (CacheHandle<Cell> entry = cache.acquire(1, 1)) {
        result.r1 = entry == null ? 0 : entry.value().number;
      }
    }
  }
}
