package dev.kv.core.read;

import static org.assertj.core.api.Assertions.assertThat;

import dev.kv.ReadOptions;
import dev.kv.bytes.DBComparator;
import dev.kv.core.key.KeyBounds;
import dev.kv.core.key.UserKeyComparator;
import dev.kv.core.memory.MemoryKind;
import dev.kv.core.memory.OffHeapBudget;
import org.junit.jupiter.api.Test;

class ReadContextTest {
  @Test
  void create_atTheLimit_countsWhatItTakes() {
    OffHeapBudget budget = new OffHeapBudget(1);
    try (ReadContext context = new ReadContext(budget, new LookupStats())) {
      assertThat(context.isReusable()).isTrue();
      assertThat(budget.used()).isGreaterThan(budget.limit());
      assertThat(budget.tryReserve(MemoryKind.BLOCK, 0)).isTrue();
      assertThat(budget.tryReserve(MemoryKind.BLOCK, 1)).isFalse();
    }
    assertThat(budget.used()).isZero();
  }

  @Test
  void isReusable_afterALargeKeyOrBound_isFalse() {
    byte[] large = new byte[2 << 20];
    OffHeapBudget budget = new OffHeapBudget(0);
    UserKeyComparator order = new UserKeyComparator(DBComparator.bytewise());
    KeyBounds bounds = KeyBounds.of(ReadOptions.builder().lowerBound(large).build(), order);
    try (ReadContext context = new ReadContext(budget, new LookupStats())) {
      context.lower(bounds, 1);
      assertThat(context.isReusable()).isFalse();
    }
    try (ReadContext context = new ReadContext(budget, new LookupStats())) {
      context.key().set(large, 1);
      assertThat(context.isReusable()).isFalse();
    }
  }
}
