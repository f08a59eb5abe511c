package dev.kv.core.memory;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.sun.management.ThreadMXBean;
import dev.kv.errors.OffHeapExhaustedException;
import java.lang.management.ManagementFactory;
import java.util.concurrent.atomic.AtomicReference;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

class ArenaPoolTest {
  private static final int LIMIT = 1 << 20;
  private static final int SHARE = 256 << 10;
  private static final int CACHED = 768 << 10;

  private final OffHeapBudget budget = new OffHeapBudget(LIMIT);
  private final ArenaPool arenas = new ArenaPool(budget, SHARE, bytes -> {});
  private long cached;

  /** Fills most of the budget with memory that is kept for reuse, as a cache does. */
  private void fillCache() {
    cached = CACHED;
    budget.reserve(MemoryKind.BLOCK, cached);
    budget.onShortage(
        () -> {
          budget.release(MemoryKind.BLOCK, cached);
          cached = 0;
        });
  }

  @Test
  void acquire_belowTheShare_takesMemoryFromTheCache() {
    fillCache();
    NativeArena small = arenas.acquire(SHARE / 2);
    NativeArena large = arenas.acquire(SHARE);
    assertThat(cached).isZero();
    arenas.release(small);
    arenas.release(large);
  }

  @Test
  void acquireAndGrow_aboveTheShare_leaveTheCacheAlone() {
    fillCache();
    NativeArena full = arenas.acquire(SHARE / 2, LIMIT, false);
    NativeArena rest = arenas.acquire(SHARE / 2);
    assertThat(arenas.grow(full, SHARE)).isFalse();
    assertThat(full.capacity()).isEqualTo(SHARE / 2);
    assertThatThrownBy(() -> arenas.acquire(SHARE)).isInstanceOf(OffHeapExhaustedException.class);
    assertThat(cached).isEqualTo(CACHED);
    arenas.release(full);
    arenas.release(rest);
  }

  @Test
  void acquire_aboveTheShare_takesTheMemoryOfFreeArenas() {
    fillCache();
    NativeArena inUse = arenas.acquire(SHARE / 2);
    arenas.release(arenas.acquire(SHARE / 2));
    NativeArena other = arenas.acquire(SHARE / 8);
    assertThat(cached).isEqualTo(CACHED);
    assertThat(budget.used(MemoryKind.MEMTABLE)).isEqualTo(SHARE / 2 + SHARE / 8);
    arenas.release(inUse);
    arenas.release(other);
  }

  @Test
  void acquireGrowAndRelease_tellByHowMuchTheArenasInUseGrow() {
    long[] used = new long[1];
    ArenaPool told = new ArenaPool(budget, SHARE, bytes -> used[0] += bytes);
    NativeArena arena = told.acquire(1000, 1 << 18, false);
    assertThat(used[0]).isEqualTo(arena.capacity());
    NativeArena other = told.acquire(1000);
    assertThat(used[0]).isEqualTo(arena.capacity() + 1000);
    assertThat(told.grow(arena, 20_000)).isTrue();
    assertThat(used[0]).isEqualTo(arena.capacity() + 1000);
    told.release(arena);
    assertThat(used[0]).isEqualTo(1000);
    told.release(other);
    assertThat(used[0]).isZero();
    told.close();
  }

  @Test
  void acquire_whoseCallbackThrows_releasesTheArena() {
    OutOfMemoryError error = new OutOfMemoryError("simulated");
    ArenaPool failing = new ArenaPool(budget, SHARE, bytes -> failIfPositive(bytes, error));
    assertThatThrownBy(() -> failing.acquire(1000)).isSameAs(error);
    assertThat(failing.liveArenas()).isZero();
    failing.close();
    assertThat(budget.used()).isZero();
  }

  @Test
  void grow_whoseCallbackFindsNoMemory_hasGrown() {
    AtomicReference<OutOfMemoryError> error = new AtomicReference<>();
    ArenaPool failing = new ArenaPool(budget, SHARE, bytes -> failIfPositive(bytes, error.get()));
    NativeArena arena = failing.acquire(1000, 1 << 18, false);
    error.set(new OutOfMemoryError("simulated"));
    assertThatCode(() -> assertThat(failing.grow(arena, 20_000)).isTrue())
        .doesNotThrowAnyException();
    assertThat(arena.capacity()).isGreaterThanOrEqualTo(20_000);
    assertThat(budget.used()).isEqualTo(arena.capacity());
    failing.release(arena);
    failing.close();
    assertThat(budget.used()).isZero();
  }

  private static void failIfPositive(long bytes, @Nullable Error error) {
    if (bytes > 0 && error != null) {
      throw error;
    }
  }

  @Test
  void trim_allocatesNothing() {
    ThreadMXBean threads = (ThreadMXBean) ManagementFactory.getThreadMXBean();
    long id = Thread.currentThread().getId();
    long least = Long.MAX_VALUE;
    for (int round = 0; round < 10; round++) {
      arenas.release(arenas.acquire(1000));
      long before = threads.getThreadAllocatedBytes(id);
      arenas.trim();
      least = Math.min(least, threads.getThreadAllocatedBytes(id) - before);
      assertThat(budget.used()).isZero();
    }
    assertThat(least).isZero();
  }

  @Test
  void grow_byTheFactor_goesToTheLimitFromMoreThanHalfOfIt() {
    NativeArena arena = arenas.acquire(100, 128 << 10, false);
    assertThat(arena.capacity()).isEqualTo(16 << 10);
    assertThat(arenas.grow(arena, 20_000)).isTrue();
    assertThat(arena.capacity()).as("half of the limit").isEqualTo(64 << 10);
    assertThat(arenas.grow(arena, 70_000)).isTrue();
    assertThat(arena.capacity()).isEqualTo(128 << 10);
    NativeArena odd = arenas.acquire(100, 40_000, false);
    assertThat(arenas.grow(odd, 20_000)).isTrue();
    assertThat(odd.capacity()).as("never above the limit").isEqualTo(40_000);
    arenas.release(arena);
    arenas.release(odd);
  }

  /** One large batch would otherwise keep its memory for small memtables. */
  @Test
  void release_ofAnArenaAboveTheLimitOfMemtables_dropsIt() {
    arenas.release(arenas.acquire(100_001, 100_000, true));
    assertThat(budget.used()).isZero();
    arenas.release(arenas.acquire(100_000, 100_000, true));
    assertThat(budget.used()).isEqualTo(100_000);
  }

  @Test
  void acquire_ofAFreeArena_takesOneUpToTwiceAsLarge() {
    NativeArena first = arenas.acquire(2000);
    arenas.release(first);
    NativeArena other = arenas.acquire(999 - 7);
    assertThat(other).as("the free one is too large").isNotSameAs(first);
    assertThat(arenas.acquire(1000)).isSameAs(first);
    arenas.release(first);
    assertThat(arenas.acquire(2000)).isSameAs(first);
    arenas.release(first);
    arenas.release(other);
  }

  /** A full memtable is replaced by an empty one, so that its flush can release memory. */
  @Test
  void acquire_ofAnEmptyMemtable_isNotRefused() {
    budget.reserve(MemoryKind.BLOCK, LIMIT);
    NativeArena empty = arenas.acquire(256);
    assertThat(empty.capacity()).isEqualTo(256);
    assertThatThrownBy(() -> arenas.acquire(257)).isInstanceOf(OffHeapExhaustedException.class);
    arenas.release(empty);
  }

  @Test
  void acquire_ofTwoGiB_namesTheBatch() {
    assertThatThrownBy(() -> arenas.acquire(Integer.MAX_VALUE - 7))
        .isInstanceOf(OffHeapExhaustedException.class)
        .hasMessageContaining("smaller batches");
    assertThatThrownBy(() -> arenas.acquire(Integer.MAX_VALUE - 8))
        .isInstanceOf(OffHeapExhaustedException.class)
        .hasMessageContaining("offHeapLimit");
    assertThat(arenas.liveArenas()).isZero();
  }
}
