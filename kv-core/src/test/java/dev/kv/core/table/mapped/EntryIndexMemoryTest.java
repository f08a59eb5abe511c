package dev.kv.core.table.mapped;

import static java.util.Objects.requireNonNull;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.kv.core.memory.MemoryKind;
import dev.kv.core.memory.OffHeapBudget;
import dev.kv.errors.OffHeapExhaustedException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

class EntryIndexMemoryTest {
  private static final int MIB = 1 << 20;
  private static final int LIMIT = 16 * MIB;

  /** A table with one piece of memory, which it gives back if it is to drop it. */
  private static final class Table implements EntryIndexMemory.Owner {
    private final EntryIndexMemory memory;
    private @Nullable ByteBuffer held;
    private boolean used;
    private int drops;

    Table(EntryIndexMemory memory) {
      this.memory = memory;
    }

    boolean allocate(int length) {
      held = memory.tryAllocate(this, length);
      return held != null;
    }

    @Override
    public boolean wasUsed() {
      boolean was = used;
      used = false;
      return was;
    }

    @Override
    public void drop() {
      drops++;
      ByteBuffer present = held;
      if (present != null) {
        held = null;
        memory.release(present);
      }
    }
  }

  @Test
  void tryAllocate_upToTheLimit_countsTheBytes() {
    OffHeapBudget budget = new OffHeapBudget(0);
    EntryIndexMemory memory = new EntryIndexMemory(budget, 0);
    Table table = new Table(memory);
    assertThat(table.allocate(LIMIT)).isTrue();
    assertThat(memory.bytes()).isEqualTo(LIMIT);
    assertThat(budget.used(MemoryKind.INDEX_AND_FILTER)).isEqualTo(LIMIT);
    ByteBuffer late = requireNonNull(table.held);
    assertThat(late.order()).isEqualTo(ByteOrder.LITTLE_ENDIAN);
    memory.forget(table);
    assertThat(late.get(LIMIT - 1)).as("of a late reader").isZero();
    assertThat(table.drops).isEqualTo(1);
    assertThat(memory.bytes()).isZero();
    assertThat(budget.used()).isZero();
  }

  @Test
  void tryAllocate_aboveTheLimit_dropsWhatWasNotUsed() {
    EntryIndexMemory memory = new EntryIndexMemory(new OffHeapBudget(0), 0);
    Table used = new Table(memory);
    Table unused = new Table(memory);
    Table next = new Table(memory);
    assertThat(used.allocate(LIMIT / 2)).isTrue();
    assertThat(unused.allocate(LIMIT / 2)).isTrue();
    used.used = true;
    next.used = true;
    assertThat(next.allocate(MIB)).isTrue();
    assertThat(used.held).isNotNull();
    assertThat(unused.held).isNull();
    assertThat(memory.bytes()).isEqualTo(LIMIT / 2 + MIB);
    used.used = true;
    next.used = true;
    assertThat(unused.allocate(LIMIT / 2)).as("nothing to drop").isFalse();
    assertThat(memory.bytes()).isEqualTo(LIMIT / 2 + MIB);
    memory.forget(used);
    memory.forget(next);
    assertThat(memory.bytes()).isZero();
  }

  @Test
  void limit_isTheCapacityOfALargeCache() {
    EntryIndexMemory memory = new EntryIndexMemory(new OffHeapBudget(0), LIMIT + MIB);
    Table table = new Table(memory);
    assertThat(table.allocate(LIMIT + MIB)).isTrue();
    memory.forget(table);
  }

  @Test
  void tryAllocate_withoutBudget_isRefusedAndCountsNothing() {
    EntryIndexMemory memory = new EntryIndexMemory(new OffHeapBudget(MIB), 0);
    assertThat(new Table(memory).allocate(2 * MIB)).isFalse();
    assertThat(memory.bytes()).isZero();
  }

  @Test
  void shortage_ofTheBudget_dropsAllThatIsNotForgotten() {
    OffHeapBudget budget = new OffHeapBudget(4 * MIB);
    EntryIndexMemory memory = new EntryIndexMemory(budget, 0);
    Table table = new Table(memory);
    Table forgotten = new Table(memory);
    assertThat(table.allocate(3 * MIB)).isTrue();
    assertThat(forgotten.allocate(MIB / 2)).isTrue();
    memory.forget(forgotten);
    budget.reserve(MemoryKind.BLOCK, 2 * MIB);
    assertThat(table.held).isNull();
    assertThat(forgotten.drops).isEqualTo(1);
    assertThatThrownBy(() -> budget.reserve(MemoryKind.BLOCK, 3 * MIB))
        .isInstanceOf(OffHeapExhaustedException.class);
    budget.release(MemoryKind.BLOCK, 2 * MIB);
  }
}
