package dev.kv.core.memory;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.kv.core.Call;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicIntegerArray;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class ObjectPoolTest {
  private final List<Object> closed = new ArrayList<>();
  private final ObjectPool<Object> pool = new ObjectPool<>(2, Object::new, closed::add);

  @Test
  void acquire_afterRelease_returnsTheSameObjectOnce() {
    Object first = pool.acquire();
    pool.release(first);

    assertThat(pool.acquire()).isSameAs(first);
    assertThat(pool.acquire()).isNotSameAs(first);
    assertThat(closed).isEmpty();
  }

  @Test
  void acquire_fromAnotherStripe_findsTheObject() {
    Object first = pool.acquire(0);
    pool.release(first, Stripes.COUNT - 1);

    assertThat(pool.acquire(0)).isSameAs(first);
  }

  @Test
  void release_fullPool_closesTheObject() {
    for (int i = 0; i < 2 * Stripes.COUNT; i++) {
      pool.release(new Object());
    }
    assertThat(closed).isEmpty();
    Object last = new Object();
    pool.release(last);

    assertThat(closed).containsExactly(last);
  }

  @Test
  void discard_pooledObject_closesItAndMakesRoomForAnother() {
    ObjectPool<Object> one = new ObjectPool<>(1, Object::new, closed::add);
    for (int i = 0; i < Stripes.COUNT; i++) {
      one.release(new Object(), 0);
    }
    Object large = one.acquire(0);
    one.discard(large, Stripes.COUNT - 1);
    assertThat(closed).containsExactly(large);
    Object other = new Object();
    one.release(other, 0);
    assertThat(closed).containsExactly(large);
    assertThat(one.acquire(0)).isSameAs(other);
    one.discard(new Object(), 0);
    assertThat(closed).hasSize(2);
  }

  @Test
  void release_objectsOfOtherThreads_areUsedByOneThreadAtATime() throws InterruptedException {
    AtomicInteger twice = new AtomicInteger();
    ObjectPool<AtomicInteger> shared =
        new ObjectPool<>(1, AtomicInteger::new, object -> object.set(-1000));
    Call.Body user =
        () -> {
          for (int i = 0; i < 100_000; i++) {
            AtomicInteger mine = shared.acquire(i % 3);
            if (mine.incrementAndGet() != 1) {
              twice.incrementAndGet();
            }
            mine.decrementAndGet();
            if (i % 7 == 0) {
              shared.discard(mine, i % 5);
            } else {
              shared.release(mine, i % 2);
            }
          }
        };
    Call one = Call.start(user);
    Call two = Call.start(user);
    assertThat(one.outcome()).isNull();
    assertThat(two.outcome()).isNull();
    assertThat(twice.get()).isZero();
    shared.close();
  }

  @Test
  void acquireForLong_manyObjects_leaveSlotsForOthers() {
    for (int i = 0; i < 2 * Stripes.COUNT + 2; i++) {
      pool.release(new Object(), 0);
    }
    closed.clear();
    Set<Object> kept = new HashSet<>();
    for (int i = 0; i < 2 * Stripes.COUNT + 2; i++) {
      kept.add(pool.acquireForLong(0));
    }
    assertThat(kept).hasSize(2 * Stripes.COUNT + 2);
    Object first = pool.acquire(0);
    pool.release(first, 0);
    assertThat(pool.acquire(0)).as("not a new one").isSameAs(first);
    assertThat(closed).isEmpty();
  }

  @Test
  void acquire_stripeUsedByAnotherThread_leavesTheStripe() throws InterruptedException {
    int[] stripes = new int[3];
    Thread other =
        new Thread(
            () -> {
              stripes[0] = Stripes.current();
              Object mine = pool.acquire(stripes[0]);
              pool.release(mine, stripes[0]);
              Object nested = pool.acquire(stripes[0]);
              Object second = pool.acquire(stripes[0]);
              stripes[1] = Stripes.current();
              pool.release(second, stripes[0]);
              pool.release(nested, stripes[0]);
            });
    other.start();
    other.join();
    assertThat(stripes[1]).as("a thread that uses two objects stays").isEqualTo(stripes[0]);

    Thread late =
        new Thread(
            () -> {
              stripes[0] = Stripes.current();
              pool.acquire(stripes[0]);
              stripes[1] = Stripes.current();
            });
    pool.release(new Object(), Stripes.current());
    Object held = null;
    for (int stripe = 0; stripe < Stripes.COUNT; stripe++) {
      Object each = new Object();
      pool.release(each, stripe);
      held = pool.acquire(stripe);
    }
    assertThat(held).isNotNull();
    late.start();
    late.join();
    assertThat(stripes[1]).isBetween(0, Stripes.COUNT - 1).isNotEqualTo(stripes[0]);
  }

  @ParameterizedTest
  @ValueSource(booleans = {false, true})
  void acquire_objectOfAnotherStripe_isMetInTheStripeOfItsUser(boolean forLong)
      throws InterruptedException {
    pool.release(new Object(), 5);
    Object held = forLong ? pool.acquireForLong(3) : pool.acquire(3);
    int[] after = new int[1];
    Thread other =
        new Thread(
            () -> {
              goToStripe(3);
              pool.acquire(3);
              after[0] = Stripes.current();
            });
    other.start();
    other.join();
    assertThat(after[0]).isNotEqualTo(3);
    pool.release(held, 3);
    assertThat(pool.acquire(3)).isSameAs(held);
    assertThat(closed).isEmpty();
  }

  private static void goToStripe(int stripe) {
    for (int from = 0; Stripes.current() != stripe; from++) {
      Stripes.leave(from); // to a stripe that is a step of its own further
    }
  }

  @Test
  void leave_newThreadWithTheLastBitsOfAnother_hasAllItsMoves() throws InterruptedException {
    int[] moves = new int[2];
    long[] id = new long[1];
    for (int i = 0; i < 2; i++) {
      int number = i;
      Thread thread = new Thread(() -> moves[number] = movesOfThisThread());
      while (i == 1 && (thread.getId() - id[0]) % 1024 != 0) {
        thread = new Thread(() -> moves[number] = movesOfThisThread());
      }
      id[0] = thread.getId();
      thread.start();
      thread.join();
    }
    assertThat(moves[0]).isPositive();
    assertThat(moves[1]).isEqualTo(moves[0]);
  }

  private static int movesOfThisThread() {
    int moves = 0;
    for (int before = -1; before != Stripes.current(); moves++) {
      before = Stripes.current();
      Stripes.leave(before);
    }
    return moves;
  }

  @Test
  void acquire_manyThreadsInOneStripe_spread() throws InterruptedException {
    int threads = Stripes.COUNT / 2;
    AtomicIntegerArray stripes = new AtomicIntegerArray(threads);
    AtomicBoolean stopped = new AtomicBoolean();
    List<Thread> started = new ArrayList<>();
    for (int i = 0; i < threads; i++) {
      int number = i;
      Thread thread =
          new Thread(
              () -> {
                goToStripe(0);
                while (!stopped.get()) {
                  int stripe = Stripes.current();
                  Object mine = pool.acquire(stripe);
                  Thread.yield();
                  pool.release(mine, stripe);
                  stripes.set(number, stripe);
                }
              });
      started.add(thread);
      thread.start();
    }
    long deadline = System.nanoTime() + TimeUnit.SECONDS.toNanos(20);
    int most = 0;
    while (most < threads && System.nanoTime() < deadline) {
      Thread.sleep(1);
      Set<Integer> different = new HashSet<>();
      for (int i = 0; i < threads; i++) {
        different.add(stripes.get(i));
      }
      most = Math.max(most, different.size());
    }
    stopped.set(true);
    for (Thread thread : started) {
      thread.join();
    }
    assertThat(most).isEqualTo(threads);
  }

  @Test
  void close_objectInUse_closesItAtItsRelease() {
    Object used = new Object();
    pool.release(used);
    assertThat(pool.acquire()).isSameAs(used);
    pool.close();
    assertThat(closed).isEmpty();
    pool.release(used);
    assertThat(closed).containsExactly(used);
  }

  @Test
  void close_pooledAndLateObjects_closesEachOnce() {
    Object pooled = new Object();
    Object late = new Object();
    pool.release(pooled, Stripes.COUNT - 1);

    pool.close();
    assertThat(closed).containsExactly(pooled);
    pool.release(late);
    assertThat(closed).containsExactly(pooled, late);
  }

  @Test
  void close_besideReleases_closesEveryObjectOnce() throws InterruptedException {
    for (int round = 0; round < 300; round++) {
      AtomicInteger made = new AtomicInteger();
      AtomicInteger ended = new AtomicInteger();
      ObjectPool<Object> shared =
          new ObjectPool<>(
              1,
              () -> {
                made.incrementAndGet();
                return new Object();
              },
              object -> ended.incrementAndGet());
      Call.Body user =
          () -> {
            for (int i = 0; i < 20; i++) {
              shared.release(shared.acquire());
            }
          };
      Call one = Call.start(user);
      Call two = Call.start(user);
      shared.close();
      assertThat(one.outcome()).isNull();
      assertThat(two.outcome()).isNull();

      assertThat(ended.get()).isEqualTo(made.get());
    }
  }

  @Test
  void create_moreThanAStripeHolds_isRefused() {
    assertThatThrownBy(() -> new ObjectPool<>(17, Object::new, object -> {}))
        .isInstanceOf(IllegalArgumentException.class);
  }
}
