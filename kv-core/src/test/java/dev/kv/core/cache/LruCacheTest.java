package dev.kv.core.cache;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.kv.core.table.block.AllocationMeter;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.IntFunction;
import org.junit.jupiter.api.Test;

class LruCacheTest {
  private static final int CAPACITY = 1000;
  private final List<Integer> freed = new ArrayList<>();
  private LruCache<Value> cache = new LruCache<>(CAPACITY, 4);

  /** A value that knows whether it was freed. */
  private class Value implements CacheValue {
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
    Replacing.put(cache, 1, key, (id, at) -> new Value(number, charge)).close();
  }

  private CacheHandle<Value> pin(int key) {
    CacheHandle<Value> entry = cache.acquire(1, key);
    assertThat(entry).isNotNull();
    return entry;
  }

  @Test
  void lookup_presentAndMissing_hitsAndMisses() {
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
      pins.add(Replacing.put(cache, 1, 1000 + i, (id, at) -> new Value((int) at + 1000, 1)));
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
  void newId_each_isDifferent() {
    assertThat(cache.newId()).isNotEqualTo(cache.newId());
  }

  @Test
  void evict_someCharge_dropsTheOldestThatAreNotPinned() {
    cache = new LruCache<>(CAPACITY, 0);
    for (int key = 0; key < 10; key++) {
      insert(key, key, 10);
    }
    CacheHandle<Value> pinned = pin(0);
    assertThat(cache.evict(25)).isEqualTo(30);
    assertThat(freed).containsExactlyInAnyOrder(1, 2, 3);
    assertThat(cache.evict(1000)).as("all but the pinned one").isEqualTo(60);
    assertThat(cache.totalCharge()).isEqualTo(10);
    assertThat(cache.evict(1)).isZero();
    pinned.close();
    assertThat(cache.evict(1)).isEqualTo(10);
    cache.close();
  }

  @Test
  void evict_manyShards_takesFromAllAlike() {
    cache = new LruCache<>(CAPACITY, 2);
    for (int key = 0; key < 400; key++) {
      insert(key, key);
    }
    long before = cache.totalCharge();
    long evicted = 0;
    for (int i = 0; i < 100; i++) {
      evicted += cache.evict(1);
    }
    assertThat(evicted).isEqualTo(100);
    assertThat(cache.totalCharge()).isEqualTo(before - 100);
    cache.close();
  }

  @Test
  void prune_somePinned_dropsOnlyTheUnpinned() {
    insert(1, 100);
    insert(2, 200);
    CacheHandle<Value> pinned = pin(1);
    cache.prune();
    pinned.close();
    assertThat(lookup(1)).isEqualTo(100);
    assertThat(lookup(2)).isEqualTo(-1);
  }

  @Test
  void cache_capacityZero_cachesNothing() {
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
      Replacing.put(cache, 2, i, (id, at) -> new Value(1000 + (int) at, 1)).close();
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
    CacheHandle<Value> entry = Replacing.put(cache, 1, 1, (id, at) -> new Value(1, 1));
    entry.close();
    assertThatThrownBy(entry::close).isInstanceOf(AssertionError.class);
  }

  @Test
  void tryPin_rememberedHandle_worksWhileItIsCached() {
    CacheHandle<Value> remembered = Replacing.put(cache, 1, 1, (id, at) -> new Value(1, 1));
    remembered.close();
    assertThat(remembered.tryPin()).isTrue();
    remembered.close();
    cache.erase(1, 1);
    assertThat(remembered.tryPin()).isFalse();
  }

  @Test
  void evict_valueReadWithoutAPin_isYoung() {
    cache = new LruCache<>(CAPACITY, 0);
    Value read =
        new Value(1, 1) {
          @Override
          public int touched(int pinned) {
            return cache.time(1, 1);
          }
        };
    Replacing.put(cache, 1, 1, (id, at) -> read).close();
    for (int i = 2; i < 6; i++) {
      Replacing.put(cache, 1, i, (id, at) -> new Value(1, 1)).close();
    }
    cache.evict(1);
    assertThat(read.frees.get()).isZero();
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
  void insert_chargeAboveTheShard_isNotCachedAndReplacesWhatWas() {
    cache = new LruCache<>(100, 0);
    insert(1, 1);
    insert(2, 2);
    CacheHandle<Value> heavy = Replacing.put(cache, 1, 1, (id, at) -> new Value(3, 101));
    assertThat(heavy.value().number).isEqualTo(3);
    assertThat(lookup(1)).isEqualTo(-1);
    assertThat(lookup(2)).as("nothing makes room for it").isEqualTo(2);
    assertThat(cache.totalCharge()).isEqualTo(1);
    heavy.close();
    assertThat(freed).containsExactly(1, 3);
  }

  @Test
  void pinnedEntry_thatTheEvictorMet_canBeEvictedOnceItIsUnpinned() {
    cache = new LruCache<>(4, 0);
    CacheHandle<Value> pinned = Replacing.put(cache, 1, 0, (id, at) -> new Value(0, 1));
    for (int i = 1; i < 20; i++) {
      insert(i, i);
    }
    assertThat(lookup(0)).isEqualTo(0);
    pinned.close();
    assertThat(lookup(0)).as("within the capacity it stays").isEqualTo(0);
    for (int i = 20; i < 40; i++) {
      insert(i, i);
    }
    assertThat(lookup(0)).isEqualTo(-1);
    assertThat(cache.totalCharge()).isEqualTo(4);
  }

  @Test
  void erase_entryThatTheEvictorMetPinned_freesItAtTheLastUnpin() {
    cache = new LruCache<>(4, 0);
    CacheHandle<Value> pinned = Replacing.put(cache, 1, 0, (id, at) -> new Value(0, 1));
    for (int i = 1; i < 8; i++) {
      insert(i, i);
    }
    cache.erase(1, 0);
    assertThat(cache.totalCharge()).isEqualTo(3);
    assertThat(freed).doesNotContain(0);
    pinned.close();
    assertThat(freed).contains(0);
    assertThat(cache.totalCharge()).isEqualTo(3);
  }

  @Test
  void prune_pinnedEntryThatTheEvictorMet_staysAndIsPrunedLater() {
    cache = new LruCache<>(2, 0);
    CacheHandle<Value> pinned = Replacing.put(cache, 1, 0, (id, at) -> new Value(0, 1));
    for (int i = 1; i < 8; i++) {
      insert(i, i);
    }
    cache.prune();
    assertThat(cache.totalCharge()).isEqualTo(1);
    pinned.close();
    cache.prune();
    assertThat(cache.totalCharge()).isZero();
  }

  @Test
  void eviction_everythingWasHit_lastHitLongestAgoGoes() {
    cache = new LruCache<>(101, 0);
    for (int i = 0; i < 100; i++) {
      insert(i, i);
    }
    for (int i = 99; i >= 0; i--) {
      insert(200, 200);
      lookup(i);
    }
    for (int i = 0; i < 30; i++) {
      insert(300 + i, 300 + i);
      assertThat(lookup(0)).as("the one hit always, after %d evictions", i).isEqualTo(0);
    }
  }

  @Test
  void free_usesTheCache_findsNoLockHeld() {
    LruCache<CacheValue> small = new LruCache<>(1, 0);
    AtomicInteger frees = new AtomicInteger();
    class Reentrant implements CacheValue {
      @Override
      public long charge() {
        return 1;
      }

      @Override
      public void free() {
        frees.incrementAndGet();
        Thread other = new Thread(() -> small.erase(1, 77));
        other.start();
        try {
          other.join(60_000);
        } catch (InterruptedException e) {
          throw new AssertionError(e);
        }
        assertThat(other.isAlive()).as("blocked by the lock").isFalse();
      }
    }
    for (int i = 0; i < 3; i++) {
      Replacing.put(small, 1, i, (id, at) -> new Reentrant()).close();
    }
    small.erase(1, 2);
    Replacing.put(small, 1, 3, (id, at) -> new Reentrant()).close();
    small.prune();
    Replacing.put(small, 1, 4, (id, at) -> new Reentrant()).close();
    small.eraseAll(1);
    Replacing.put(small, 1, 5, (id, at) -> new Reentrant()).close();
    small.close();
    assertThat(frees).hasValue(6);
  }

  @Test
  void value_afterTheLastUnpinOfAnErasedEntry_isAnError() {
    CacheHandle<Value> entry = Replacing.put(cache, 1, 1, (id, at) -> new Value(1, 1));
    cache.erase(1, 1);
    entry.close();
    assertThatThrownBy(entry::value).isInstanceOf(AssertionError.class);
  }

  @Test
  void hit_ofAnyKind_allocatesNothing() {
    insert(1, 1);
    CacheHandle<Value> remembered = pin(1);
    remembered.close();
    long allocated =
        AllocationMeter.bytes(
            () -> {
              for (int i = 0; i < 10_000; i++) {
                CacheHandle<Value> entry = cache.acquire(1, 1);
                if (entry != null) {
                  entry.close();
                }
                if (remembered.tryPin()) {
                  remembered.close();
                }
              }
            });
    assertThat(allocated).isLessThan(10_000);
  }

  /** Against a model: what is pinned or erased is known exactly, and the charge adds up. */
  @Test
  void operations_randomOnes_agreeWithTheModel() {
    long seed = 20_117;
    Random random = new Random(seed);
    for (int round = 0; round < 20; round++) {
      cache = new LruCache<>(random.nextInt(60), random.nextInt(3));
      CacheModel model = new CacheModel(cache, random);
      for (int i = 0; i < 2_000; i++) {
        model.step(freed, number -> new Value(number, 1 + random.nextInt(4)));
      }
      model.finish();
      assertThat(freed.stream().distinct().count()).as("seed %d", seed).isEqualTo(model.made());
      assertThat(freed).as("seed %d, round %d", seed, round).hasSize(model.made());
      freed.clear();
    }
  }

  /** What must be true of a cache, whichever entries it chooses to evict. */
  private final class CacheModel {
    private static final int KEYS = 40;
    private final LruCache<Value> subject;
    private final Random random;
    private final List<CacheHandle<Value>> pins = new ArrayList<>();

    /** The number of the value that each key may have in the cache; -1 if none. */
    private final int[] current = new int[KEYS];

    private int made;

    CacheModel(LruCache<Value> subject, Random random) {
      this.subject = subject;
      this.random = random;
      Arrays.fill(current, -1);
    }

    int made() {
      return made;
    }

    void step(List<Integer> freed, IntFunction<Value> maker) {
      int key = random.nextInt(KEYS);
      switch (random.nextInt(12)) {
        case 0 -> {
          subject.erase(1, key);
          current[key] = -1;
        }
        case 1, 2, 3 -> {
          Value value = maker.apply(made++);
          current[key] = value.number;
          pins.add(Replacing.put(subject, 1, key, (id, at) -> value));
        }
        case 4, 5 -> {
          int before = made;
          CacheHandle<Value> entry = subject.acquire(1, key, (id, k) -> maker.apply(made++));
          assertThat(entry.value().number).isEqualTo(made > before ? before : current[key]);
          current[key] = entry.value().number;
          pins.add(entry);
        }
        case 6 -> {
          if (random.nextInt(20) == 0) {
            subject.prune();
          }
        }
        case 7 -> {
          if (random.nextInt(40) == 0) {
            subject.eraseAll(1);
            Arrays.fill(current, -1);
          }
        }
        default -> {
          CacheHandle<Value> entry = subject.acquire(1, key);
          if (entry != null) {
            assertThat(entry.value().number).isEqualTo(current[key]);
            pins.add(entry);
          }
        }
      }
      while (!pins.isEmpty() && (pins.size() > 30 || random.nextInt(3) > 0)) {
        pins.remove(random.nextInt(pins.size())).close();
      }
      check(freed);
    }

    private void check(List<Integer> freed) {
      long pinnedCharge = 0;
      List<Value> pinned = pins.stream().map(CacheHandle::value).distinct().toList();
      for (Value value : pinned) {
        assertThat(value.isFreed()).isFalse();
        pinnedCharge += value.charge;
      }
      assertThat(freed.size()).isLessThanOrEqualTo(made);
      long slack = subject.capacity() == 0 ? 0 : 3;
      assertThat(subject.totalCharge())
          .isLessThanOrEqualTo(subject.capacity() + slack + pinnedCharge);
    }

    void finish() {
      pins.forEach(CacheHandle::close);
      assertThat(subject.totalCharge()).isLessThanOrEqualTo(subject.capacity() + 3);
      subject.close();
      assertThat(subject.totalCharge()).isZero();
    }
  }

  /**
   * 500 tables, at most 74 open, 32 cursors that pin: open ones stay within the limit and the pins.
   */
  @Test
  void openTables_limit74WithPins_areBoundedAndRecover() {
    AtomicInteger open = new AtomicInteger();
    AtomicInteger loads = new AtomicInteger();
    LruCache<CacheValue> tables = new LruCache<>(74, 0);
    Loader<CacheValue> loader =
        (id, key) -> {
          open.incrementAndGet();
          loads.incrementAndGet();
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
    int before = loads.get();
    for (int round = 0; round < 10; round++) {
      for (int i = 300; i < 350; i++) {
        tables.acquire(0, i, loader).close();
      }
    }
    assertThat(loads.get() - before).as("caches again").isLessThanOrEqualTo(50);
    tables.close();
    assertThat(open).hasValue(0);
  }
}
