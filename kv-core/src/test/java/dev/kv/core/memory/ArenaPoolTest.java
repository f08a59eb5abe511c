package dev.kv.core.memory;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.kv.errors.OffHeapExhaustedException;
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
}
