package dev.kv.core.table.format;

import static org.assertj.core.api.Assertions.assertThat;

import dev.kv.core.memory.MemoryKind;
import dev.kv.core.memory.OffHeapBudget;
import dev.kv.core.table.TableBench;
import dev.kv.options.CompressionType;
import org.junit.jupiter.api.Test;

class BuildBufferPoolTest {
  private static final TableFormat FORMAT = TableBench.format(4096, 16, CompressionType.SNAPPY);

  @Test
  void acquire_afterARelease_givesTheSameBuffersToTheSameFormatOnly() {
    OffHeapBudget budget = new OffHeapBudget(0);
    try (BuildBufferPool pool = new BuildBufferPool(budget, 2)) {
      BuildBuffers first = pool.acquire(FORMAT);
      BuildBuffers second = pool.acquire(FORMAT);
      assertThat(second).isNotSameAs(first);
      pool.release(first);
      long used = budget.used();
      try (BuildBuffers other = pool.acquire(TableBench.format(4096, 1, CompressionType.SNAPPY))) {
        assertThat(other).isNotSameAs(first);
      }
      assertThat(pool.acquire(FORMAT)).isSameAs(first);
      assertThat(budget.used()).isEqualTo(used);
      pool.release(first);
      pool.release(second);
    }
    assertThat(budget.used()).isZero();
  }

  @Test
  void release_ofMoreThanTheCountOrOfLargeBuffers_freesThem() {
    OffHeapBudget budget = new OffHeapBudget(0);
    try (BuildBufferPool pool = new BuildBufferPool(budget, 1)) {
      BuildBuffers large = pool.acquire(FORMAT);
      large.output().ensureCapacity(1 << 20);
      pool.release(large);
      assertThat(budget.used()).isZero();
      BuildBuffers first = pool.acquire(FORMAT);
      long one = budget.used();
      BuildBuffers second = pool.acquire(FORMAT);
      pool.release(first);
      pool.release(second);
      assertThat(budget.used()).isEqualTo(one);
    }
  }

  @Test
  void budget_thatIsShort_getsWhatIsKept() {
    OffHeapBudget budget = new OffHeapBudget(1 << 20);
    try (BuildBufferPool pool = new BuildBufferPool(budget, 2)) {
      pool.release(pool.acquire(FORMAT));
      assertThat(budget.used()).isPositive();
      budget.reserve(MemoryKind.BLOCK, 1 << 20);
      budget.release(MemoryKind.BLOCK, 1 << 20);
      assertThat(budget.used()).isZero();
    }
  }

  @Test
  void release_afterTheClose_freesTheBuffers() {
    OffHeapBudget budget = new OffHeapBudget(0);
    BuildBufferPool pool = new BuildBufferPool(budget, 2);
    BuildBuffers late = pool.acquire(FORMAT);
    pool.close();
    pool.release(late);
    assertThat(budget.used()).isZero();
  }
}
