package dev.kv.core.cache;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.kv.core.Latches;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;
import java.util.Random;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** The cache under threads: one load, one free, none while pinned. */
@Timeout(value = 60, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class LruCacheConcurrencyTest {
  private static final long POISON = 0xdeadL;
  private static final int STEPS = Boolean.getBoolean("kv.long") ? 5_000_000 : 40_000;

  private final AtomicLong made = new AtomicLong();
  private final AtomicLong freed = new AtomicLong();
  private final List<Throwable> failures = Collections.synchronizedList(new ArrayList<>());
  private final List<Thread> threads = new ArrayList<>();

  /** A value whose contents tell its key, and go bad when it is freed. */
  private final class Block implements CacheValue {
    private final long[] contents = new long[8];
    private final long charge;
    private final AtomicBoolean gone = new AtomicBoolean();

    Block(long key, long charge) {
      java.util.Arrays.fill(contents, key);
      this.charge = charge;
      made.incrementAndGet();
    }

    void check(long key) {
      for (long word : contents) {
        if (word != key) {
          throw new AssertionError("block " + key + " holds " + Long.toHexString(word));
        }
      }
    }

    @Override
    public long charge() {
      return charge;
    }

    @Override
    public void free() {
      if (!gone.compareAndSet(false, true)) {
        throw new AssertionError("freed twice");
      }
      java.util.Arrays.fill(contents, POISON);
      freed.incrementAndGet();
    }
  }

  private void start(Runnable work) {
    Thread thread = new Thread(work);
    thread.setUncaughtExceptionHandler((dead, failure) -> failures.add(failure));
    threads.add(thread);
    thread.start();
  }

  private void join() throws InterruptedException {
    for (Thread thread : threads) {
      thread.join();
    }
    threads.clear();
    assertThat(failures).isEmpty();
  }

  /**
   * Waits until so many threads load an entry or wait for its load; a wait for the lock is none.
   */
  private void awaitWaiting(int count) {
    while (threads.stream().filter(LruCacheConcurrencyTest::hasAnEntry).count() < count) {
      Thread.onSpinWait();
    }
  }

  private static boolean hasAnEntry(Thread thread) {
    return List.of(Thread.State.WAITING, Thread.State.TIMED_WAITING).contains(thread.getState())
        && Arrays.stream(thread.getStackTrace())
            .anyMatch(
                frame ->
                    frame.getClassName().equals(LruShard.class.getName())
                        && List.of("load", "awaitLoad").contains(frame.getMethodName()));
  }

  @Test
  void acquire_manyThreadsOneKey_loadOnceAndGetTheSameEntry() throws InterruptedException {
    LruCache<Block> cache = new LruCache<>(10, 0);
    AtomicInteger loads = new AtomicInteger();
    CountDownLatch loading = new CountDownLatch(1);
    List<CacheHandle<Block>> entries = Collections.synchronizedList(new ArrayList<>());
    Loader<Block> loader =
        (id, key) -> {
          loads.incrementAndGet();
          Latches.await(loading);
          return new Block(key, 1);
        };
    for (int i = 0; i < 6; i++) {
      start(() -> entries.add(cache.acquire(1, 5, loader)));
    }
    awaitWaiting(6);
    assertThat(cache.acquire(1, 5)).as("a lookup does not wait").isNull();
    cache.acquire(1, 6, (id, key) -> new Block(key, 1)).close();
    loading.countDown();
    join();
    assertThat(loads).hasValue(1);
    assertThat(entries).hasSize(6);
    assertThat(entries.stream().distinct()).hasSize(1);
    cache.erase(1, 5);
    assertThat(freed).hasValue(0);
    entries.forEach(CacheHandle::close);
    assertThat(freed).hasValue(1);
  }

  @Test
  void acquire_loaderFails_waitersLoadThemselvesOneAfterTheOther() throws InterruptedException {
    LruCache<Block> cache = new LruCache<>(10, 0);
    AtomicInteger attempts = new AtomicInteger();
    CountDownLatch loading = new CountDownLatch(1);
    AtomicInteger refused = new AtomicInteger();
    Loader<Block> loader =
        (id, key) -> {
          Latches.await(loading);
          if (attempts.incrementAndGet() <= 3) {
            throw new IllegalStateException("no luck");
          }
          return new Block(key, 1);
        };
    for (int i = 0; i < 6; i++) {
      start(
          () -> {
            try {
              CacheHandle<Block> entry = cache.acquire(1, 5, loader);
              entry.value().check(5);
              entry.close();
            } catch (IllegalStateException e) {
              refused.incrementAndGet();
            }
          });
    }
    awaitWaiting(6);
    loading.countDown();
    join();
    assertThat(refused).as("each failure reaches one caller").hasValue(3);
    assertThat(attempts).hasValue(4);
    assertThat(cache.totalCharge()).isEqualTo(1);
    cache.close();
    assertThat(freed).hasValue(1);
  }

  @Test
  void acquire_erasedAndClosedWhileOthersWait_givesThemTheValueOutsideTheCache()
      throws InterruptedException {
    for (boolean close : new boolean[] {false, true}) {
      LruCache<Block> cache = new LruCache<>(10, 0);
      CountDownLatch loading = new CountDownLatch(1);
      long before = freed.get();
      for (int i = 0; i < 3; i++) {
        start(
            () -> {
              CacheHandle<Block> entry =
                  cache.acquire(
                      1,
                      5,
                      (id, key) -> {
                        Latches.await(loading);
                        return new Block(key, 1);
                      });
              entry.value().check(5);
              entry.close();
            });
      }
      awaitWaiting(3);
      if (close) {
        cache.close();
      } else {
        cache.eraseAll(1);
      }
      loading.countDown();
      join();
      assertThat(cache.totalCharge()).isZero();
      assertThat(freed.get() - before).isEqualTo(1);
    }
  }

  @Test
  void acquire_interruptedWhileItWaits_staysInterruptedAndGetsTheEntry()
      throws InterruptedException {
    LruCache<Block> cache = new LruCache<>(10, 0);
    CountDownLatch loading = new CountDownLatch(1);
    Loader<Block> loader =
        (id, key) -> {
          Latches.await(loading);
          return new Block(key, 1);
        };
    start(() -> cache.acquire(1, 5, loader).close());
    awaitWaiting(1);
    AtomicBoolean interrupted = new AtomicBoolean();
    start(
        () -> {
          CacheHandle<Block> entry = cache.acquire(1, 5, loader);
          entry.value().check(5);
          entry.close();
          interrupted.set(Thread.currentThread().isInterrupted());
        });
    awaitWaiting(2);
    threads.get(1).interrupt();
    loading.countDown();
    join();
    assertThat(interrupted).isTrue();
  }

  @Test
  void acquire_entriesThatStay_areFoundWhileTheTableGrowsAndOthersCome()
      throws InterruptedException {
    LruCache<Block> cache = new LruCache<>(1 << 20, 0);
    for (int key = 0; key < 8; key++) {
      Replacing.put(cache, 1, key, (id, at) -> new Block(at, 1)).close();
    }
    AtomicBoolean done = new AtomicBoolean();
    for (int t = 0; t < 2; t++) {
      start(
          () -> {
            while (!done.get()) {
              for (int key = 0; key < 8; key++) {
                CacheHandle<Block> entry = cache.acquire(1, key);
                if (entry == null) {
                  throw new AssertionError("missed " + key);
                }
                entry.value().check(key);
                entry.close();
              }
            }
          });
    }
    for (int key = 8; key < STEPS / 2; key++) {
      Replacing.put(cache, 1, key, (id, at) -> new Block(at, 1)).close();
      if (key % 3 == 0) {
        cache.erase(1, key);
      }
    }
    done.set(true);
    join();
  }

  @Test
  void stress_everyOperation_freesOnceAndNeverWhilePinned() throws InterruptedException {
    for (int shardBits = 0; shardBits < 2; shardBits++) {
      LruCache<Block> cache = new LruCache<>(40, shardBits);
      Loader<Block> loader = (id, key) -> new Block(key, 1 + key % 3);
      for (int t = 0; t < 4; t++) {
        long seed = 1000 + t;
        start(() -> new Walker(cache, loader, new Random(seed)).run());
      }
      join();
      assertThat(cache.totalCharge()).as("seeds 1000 to 1003").isLessThanOrEqualTo(40);
      cache.close();
      assertThat(cache.totalCharge()).isZero();
      assertThat(freed.get()).isEqualTo(made.get());
    }
  }

  /** A thread of the stress: pins entries, holds some for a while, and looks at them again. */
  private final class Walker {
    private final LruCache<Block> cache;
    private final Loader<Block> loader;
    private final Random random;
    private final List<CacheHandle<Block>> held = new ArrayList<>();
    private final List<Long> keys = new ArrayList<>();

    Walker(LruCache<Block> cache, Loader<Block> loader, Random random) {
      this.cache = cache;
      this.loader = loader;
      this.random = random;
    }

    void run() {
      for (int i = 0; i < STEPS; i++) {
        step(random.nextInt(100));
        while (held.size() > 12 || (!held.isEmpty() && random.nextInt(3) > 0)) {
          int at = random.nextInt(held.size());
          held.get(at).value().check(keys.get(at));
          held.remove(at).close();
          keys.remove(at);
        }
      }
      held.forEach(CacheHandle::close);
    }

    private void step(long key) {
      switch (random.nextInt(40)) {
        case 0 -> cache.erase(1, key);
        case 1, 2 ->
            hold(Replacing.put(cache, 1, key, (id, at) -> new Block(key, 1 + key % 3)), key);
        case 3 -> {
          if (random.nextInt(50) == 0) {
            cache.prune();
          } else if (random.nextInt(50) == 0) {
            cache.eraseAll(1);
          }
        }
        case 4, 5, 6, 7 -> {
          CacheHandle<Block> entry = cache.acquire(1, key);
          if (entry != null) {
            hold(entry, key);
          }
        }
        case 8, 9, 10 -> {
          if (!held.isEmpty()) {
            int at = random.nextInt(held.size());
            CacheHandle<Block> remembered = held.get(at);
            if (remembered.tryPin()) {
              hold(remembered, keys.get(at));
            }
          }
        }
        case 11 -> {
          try {
            hold(
                cache.acquire(
                    1,
                    key,
                    (id, k) -> {
                      throw new IllegalStateException("no luck");
                    }),
                key);
          } catch (IllegalStateException e) {
            assertThat(e).hasMessage("no luck");
          }
        }
        default -> hold(cache.acquire(1, key, loader), key);
      }
    }

    private void hold(CacheHandle<Block> entry, long key) {
      entry.value().check(key);
      held.add(entry);
      keys.add(key);
    }
  }

  @Test
  void loader_asksForAnotherKey_getsIt() {
    LruCache<Block> cache = new LruCache<>(10, 0);
    CacheHandle<Block> outer =
        cache.acquire(
            1,
            1,
            (id, key) -> {
              cache.acquire(1, 2, (i, k) -> new Block(k, 1)).close();
              return new Block(key, 1);
            });
    outer.value().check(1);
    outer.close();
    assertThatThrownBy(outer::close).isInstanceOf(AssertionError.class);
  }
}
