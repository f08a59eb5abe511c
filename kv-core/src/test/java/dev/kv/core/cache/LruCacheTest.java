package dev.kv.core.cache;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

class LruCacheTest {
  private static final int CAPACITY = 1000;
  private final List<Integer> freed = new ArrayList<>();
  private LruCache<Value> cache = new LruCache<>(CAPACITY, 4);

  /** A value that knows whether it was freed. */
  private final class Value implements CacheValue {
    private final int number;
    private final long charge;
    private final AtomicInteger frees = new AtomicInteger();

    Value(int number, long charge) {
      this.number = number;
      this.charge = charge;
    }

    @Override
    public long charge() {
      return charge;
    }

    @Override
    public void free() {
      assertThat(frees.incrementAndGet()).as("frees of %d", number).isEqualTo(1);
      synchronized (freed) {
        freed.add(number);
      }
    }

    boolean isFreed() {
      return frees.get() > 0;
    }
  }

  private int lookup(int key) {
    CacheHandle<Value> entry = cache.acquire(1, key);
    if (entry == null) {
      return -1;
    }
    int number = entry.value().number;
    entry.close();
    return number;
  }

  private void insert(int key, int number) {
    insert(key, number, 1);
  }

  private void insert(int key, int number, long charge) {
    cache.insert(1, key, new Value(number, charge)).close();
  }

  private CacheHandle<Value> pin(int key) {
    CacheHandle<Value> entry = cache.acquire(1, key);
    assertThat(entry).isNotNull();
    return entry;
  }

  @Test
  void lookup_hitAndMiss() {
    assertThat(lookup(100)).isEqualTo(-1);
    insert(100, 101);
    assertThat(lookup(100)).isEqualTo(101);
    assertThat(lookup(200)).isEqualTo(-1);
    insert(200, 201);
    assertThat(lookup(200)).isEqualTo(201);
    insert(100, 102);
    assertThat(lookup(100)).isEqualTo(102);
    assertThat(freed).containsExactly(101);
    assertThat(cache.hits()).isEqualTo(3);
    assertThat(cache.misses()).isEqualTo(2);
  }

  @Test
  void erase_key_freesItOnce() {
    cache.erase(1, 200);
    insert(100, 101);
    insert(200, 201);
    cache.erase(1, 100);
    assertThat(lookup(100)).isEqualTo(-1);
    assertThat(lookup(200)).isEqualTo(201);
    cache.erase(1, 100);
    assertThat(freed).containsExactly(101);
  }

  @Test
  void pinnedEntry_replacedAndErased_staysUntilUnpinned() {
    insert(100, 101);
    CacheHandle<Value> first = pin(100);
    insert(100, 102);
    CacheHandle<Value> second = pin(100);
    assertThat(first.value().number).isEqualTo(101);
    assertThat(second.value().number).isEqualTo(102);
    assertThat(freed).isEmpty();
    first.close();
    assertThat(freed).containsExactly(101);
    cache.erase(1, 100);
    assertThat(lookup(100)).isEqualTo(-1);
    assertThat(second.tryPin()).as("not in the cache any more").isFalse();
    assertThat(freed).containsExactly(101);
    second.close();
    assertThat(freed).containsExactly(101, 102);
  }

  @Test
  void eviction_leastRecentlyUsedGoes_usedAndPinnedStay() {
    insert(100, 101);
    insert(200, 201);
    insert(300, 301);
    CacheHandle<Value> pinned = pin(300);
    for (int i = 0; i < CAPACITY + 400; i++) {
      insert(1000 + i, 2000 + i);
      assertThat(lookup(1000 + i)).isEqualTo(2000 + i);
      assertThat(lookup(100)).isEqualTo(101);
    }
    assertThat(lookup(100)).isEqualTo(101);
    assertThat(lookup(200)).isEqualTo(-1);
    assertThat(lookup(300)).isEqualTo(301);
    pinned.close();
  }

  @Test
  void pinnedEntries_beyondTheCapacity_stayFindableAndTheChargeRecovers() {
    List<CacheHandle<Value>> pins = new ArrayList<>();
    for (int i = 0; i < CAPACITY + 100; i++) {
      pins.add(cache.insert(1, 1000 + i, new Value(2000 + i, 1)));
    }
    for (int i = 0; i < pins.size(); i++) {
      assertThat(lookup(1000 + i)).isEqualTo(2000 + i);
    }
    assertThat(cache.totalCharge()).isEqualTo(CAPACITY + 100);
    pins.forEach(CacheHandle::close);
    assertThat(cache.totalCharge()).isLessThanOrEqualTo(CAPACITY + 16);
  }

  @Test
  void charge_heavyAndLightEntries_staysNearTheCapacity() {
    int added = 0;
    for (int i = 0; added < 2 * CAPACITY; i++) {
      int weight = i % 2 == 0 ? 1 : 10;
      insert(i, 1000 + i, weight);
      added += weight;
    }
    long cached = 0;
    for (int i = 0; i < added; i++) {
      int number = lookup(i);
      if (number >= 0) {
        assertThat(number).isEqualTo(1000 + i);
        cached += i % 2 == 0 ? 1 : 10;
      }
    }
    assertThat(cached).isLessThanOrEqualTo(CAPACITY + CAPACITY / 10);
    assertThat(cache.totalCharge()).isEqualTo(cached);
  }

  @Test
  void newId_isNew() {
    assertThat(cache.newId()).isNotEqualTo(cache.newId());
  }

  @Test
  void prune_dropsOnlyTheUnpinned() {
    insert(1, 100);
    insert(2, 200);
    CacheHandle<Value> pinned = pin(1);
    cache.prune();
    pinned.close();
    assertThat(lookup(1)).isEqualTo(100);
    assertThat(lookup(2)).isEqualTo(-1);
  }

  @Test
  void capacityZero_cachesNothing() {
    cache = new LruCache<>(0, 4);
    insert(1, 100);
    assertThat(freed).containsExactly(100);
    assertThat(lookup(1)).isEqualTo(-1);
    CacheHandle<Value> loaded = cache.acquire(1, 2, (id, key) -> new Value(200, 1));
    assertThat(lookup(2)).isEqualTo(-1);
    assertThat(freed).containsExactly(100);
    loaded.close();
    assertThat(freed).containsExactly(100, 200);
    assertThat(cache.totalCharge()).isZero();
  }

  @Test
  void eraseAll_nameSpace_leavesOthers() {
    for (int i = 0; i < 50; i++) {
      insert(i, i);
      cache.insert(2, i, new Value(1000 + i, 1)).close();
    }
    cache.eraseAll(1);
    assertThat(freed).hasSize(50);
    assertThat(cache.totalCharge()).isEqualTo(50);
    assertThat(lookup(3)).isEqualTo(-1);
  }

  @Test
  void close_freesAllButThePinned_andCachesNothingAfter() {
    insert(1, 1);
    insert(2, 2);
    CacheHandle<Value> pinned = pin(1);
    cache.close();
    assertThat(freed).containsExactly(2);
    pinned.close();
    assertThat(freed).containsExactly(2, 1);
    insert(3, 3);
    assertThat(freed).containsExactly(2, 1, 3);
  }

  @Test
  void unpin_twice_isAnError() {
    CacheHandle<Value> entry = cache.insert(1, 1, new Value(1, 1));
    entry.close();
    assertThatThrownBy(entry::close).isInstanceOf(AssertionError.class);
  }

  @Test
  void tryPin_rememberedHandle_worksWhileItIsCached() {
    CacheHandle<Value> remembered = cache.insert(1, 1, new Value(1, 1));
    remembered.close();
    assertThat(remembered.tryPin()).isTrue();
    remembered.close();
    cache.erase(1, 1);
    assertThat(remembered.tryPin()).isFalse();
  }

  @Test
  void acquire_loaderFails_othersLoadThemselves() {
    assertThatThrownBy(
            () ->
                cache.acquire(
                    1,
                    1,
                    (id, key) -> {
                      throw new IllegalStateException("no");
                    }))
        .isInstanceOf(IllegalStateException.class);
    cache.acquire(1, 1, (id, key) -> new Value(7, 1)).close();
    assertThat(lookup(1)).isEqualTo(7);
    assertThat(cache.totalCharge()).isEqualTo(1);
  }

  @Test
  void acquire_erasedWhileLoading_givesTheValueAndKeepsItOut() {
    CacheHandle<Value> entry =
        cache.acquire(
            1,
            1,
            (id, key) -> {
              cache.erase(id, key);
              return new Value(7, 1);
            });
    assertThat(entry.value().number).isEqualTo(7);
    assertThat(lookup(1)).isEqualTo(-1);
    assertThat(cache.totalCharge()).isZero();
    entry.close();
    assertThat(freed).containsExactly(7);
  }

  @Test
  void acquire_manyThreadsOneKey_loadOnce() throws InterruptedException {
    AtomicInteger loads = new AtomicInteger();
    CountDownLatch start = new CountDownLatch(1);
    List<Thread> threads = new ArrayList<>();
    List<CacheHandle<Value>> entries = java.util.Collections.synchronizedList(new ArrayList<>());
    for (int i = 0; i < 8; i++) {
      Thread thread =
          new Thread(
              () -> {
                try {
                  start.await();
                  entries.add(
                      cache.acquire(
                          1,
                          5,
                          (id, key) -> {
                            loads.incrementAndGet();
                            sleep();
                            return new Value(5, 1);
                          }));
                } catch (InterruptedException e) {
                  throw new AssertionError(e);
                }
              });
      threads.add(thread);
      thread.start();
    }
    start.countDown();
    for (Thread thread : threads) {
      thread.join();
    }
    assertThat(loads).hasValue(1);
    assertThat(entries).hasSize(8);
    assertThat(entries.stream().distinct()).hasSize(1);
    entries.forEach(CacheHandle::close);
  }

  private static void sleep() {
    try {
      Thread.sleep(20);
    } catch (InterruptedException e) {
      throw new AssertionError(e);
    }
  }

  /** 500 tables, at most 74 open, 32 cursors that pin: open ones stay within the limit and the pins. */
  @Test
  void openTables_limit74WithPins_areBoundedAndRecover() {
    AtomicInteger open = new AtomicInteger();
    LruCache<CacheValue> tables = new LruCache<>(74, 0);
    Loader<CacheValue> loader =
        (id, key) -> {
          open.incrementAndGet();
          return new CacheValue() {
            @Override
            public long charge() {
              return 1;
            }

            @Override
            public void free() {
              open.decrementAndGet();
            }
          };
        };
    List<CacheHandle<CacheValue>> pins = new ArrayList<>();
    for (int i = 0; i < 32; i++) {
      pins.add(tables.acquire(0, i, loader));
    }
    for (int round = 0; round < 3; round++) {
      for (int i = 32; i < 500; i++) {
        tables.acquire(0, i, loader).close();
        assertThat(open.get()).isLessThanOrEqualTo(74 + 1);
      }
    }
    for (int i = 100; i < 200; i++) {
      pins.add(tables.acquire(0, i, loader));
      assertThat(open.get()).isLessThanOrEqualTo(Math.max(74, pins.size()) + 1);
    }
    pins.forEach(CacheHandle::close);
    assertThat(open.get()).isLessThanOrEqualTo(74);
    long misses = tables.misses();
    for (int round = 0; round < 10; round++) {
      for (int i = 300; i < 350; i++) {
        tables.acquire(0, i, loader).close();
      }
    }
    assertThat(tables.misses() - misses).as("caches again").isLessThanOrEqualTo(50);
    tables.close();
    assertThat(open).hasValue(0);
  }

  @Test
  void stress_threadsPinEraseAndLoad_freeOnceAndNeverWhilePinned() throws InterruptedException {
    LruCache<Value> small = new LruCache<>(40, 1);
    List<@Nullable Throwable> failures = java.util.Collections.synchronizedList(new ArrayList<>());
    AtomicInteger loaded = new AtomicInteger();
    List<Thread> threads = new ArrayList<>();
    for (int t = 0; t < 4; t++) {
      long seed = 1000 + t;
      Thread thread =
          new Thread(
              () -> {
                Random random = new Random(seed);
                for (int i = 0; i < 60_000; i++) {
                  step(small, random, loaded);
                }
              });
      thread.setUncaughtExceptionHandler((dead, failure) -> failures.add(failure));
      threads.add(thread);
      thread.start();
    }
    for (Thread thread : threads) {
      thread.join();
    }
    assertThat(failures).as("seeds 1000..1003").isEmpty();
    assertThat(small.totalCharge()).isLessThanOrEqualTo(40);
    small.close();
    assertThat(small.totalCharge()).isZero();
    assertThat(freed).hasSize(loaded.get());
  }

  private void step(LruCache<Value> small, Random random, AtomicInteger loaded) {
    int key = random.nextInt(100);
    if (random.nextInt(50) == 0) {
      small.erase(1, key);
    }
    CacheHandle<Value> entry =
        small.acquire(
            1,
            key,
            (id, k) -> {
              loaded.incrementAndGet();
              return new Value((int) k, 1);
            });
    assertThat(entry.value().number).isEqualTo(key);
    assertThat(entry.value().isFreed()).isFalse();
    if (entry.tryPin()) {
      assertThat(entry.value().isFreed()).isFalse();
      entry.close();
    }
    entry.close();
  }
}
