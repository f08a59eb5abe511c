package dev.kv.core.memory;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.kv.core.Children;
import dev.kv.errors.OffHeapExhaustedException;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

/** The budget, scratch buffers and arenas. */
class OffHeapMemoryTest {
  private final OffHeapBudget budget = new OffHeapBudget(1 << 20);

  @Test
  void budget_reservations_countByKindUpToTheLimit() {
    budget.reserve(MemoryKind.BLOCK, 1 << 19);
    assertThat(budget.tryReserve(MemoryKind.MEMTABLE, (1 << 19) + 1)).isFalse();
    budget.reserve(MemoryKind.MEMTABLE, 1 << 19);
    assertThatThrownBy(() -> budget.reserve(MemoryKind.WRITE_BUFFER, 1))
        .isInstanceOf(OffHeapExhaustedException.class)
        .hasMessageContaining("offHeapLimit");
    assertThatThrownBy(() -> budget.reserve(MemoryKind.WRITE_BUFFER, Long.MAX_VALUE))
        .isInstanceOf(OffHeapExhaustedException.class);
    assertThat(budget.used(MemoryKind.WRITE_BUFFER)).isZero();
    assertThat(budget.used()).isEqualTo(budget.limit());
    budget.release(MemoryKind.BLOCK, 1 << 19);
    assertThat(budget.used()).isEqualTo(1 << 19);
    assertThatThrownBy(() -> budget.release(MemoryKind.BLOCK, 1))
        .isInstanceOf(AssertionError.class)
        .hasMessageContaining("released 1 bytes too many");
  }

  @Test
  void budget_withMemoryForJobs_refusesItToMemtablesAlone() {
    OffHeapBudget shared = new OffHeapBudget(100, 30);
    assertThat(shared.tryReserve(MemoryKind.MEMTABLE, 71)).isFalse();
    assertThat(shared.tryReserve(MemoryKind.MEMTABLE, 70)).isTrue();
    assertThat(shared.tryReserve(MemoryKind.MEMTABLE, 1)).isFalse();
    assertThat(shared.tryReserve(MemoryKind.WRITE_BUFFER, 31)).isFalse();
    assertThat(shared.tryReserve(MemoryKind.WRITE_BUFFER, 30)).isTrue();
    assertThat(shared.limit()).isEqualTo(100);
    assertThatThrownBy(() -> new OffHeapBudget(100, 101))
        .isInstanceOf(IllegalArgumentException.class);
  }

  @Test
  void budget_withoutLimit_takesAnything() {
    OffHeapBudget unlimited = new OffHeapBudget(0);
    unlimited.reserve(MemoryKind.BLOCK, 1L << 50);
    assertThat(unlimited.used(MemoryKind.BLOCK)).isEqualTo(1L << 50);
    assertThatThrownBy(() -> new OffHeapBudget(-1)).isInstanceOf(IllegalArgumentException.class);
    assertThatThrownBy(() -> unlimited.tryReserve(MemoryKind.BLOCK, -1))
        .isInstanceOf(IllegalArgumentException.class);
  }

  @Test
  void budget_short_asksForWhatIsOnlyKept() {
    budget.reserve(MemoryKind.BLOCK, 1 << 20);
    OffHeapBudget.Reclaimer reclaimer = () -> budget.release(MemoryKind.BLOCK, 100);
    budget.onShortage(reclaimer);
    budget.reserve(MemoryKind.WRITE_BUFFER, 100);
    budget.forget(reclaimer);
    assertThatThrownBy(() -> budget.reserve(MemoryKind.WRITE_BUFFER, 100))
        .isInstanceOf(OffHeapExhaustedException.class);
  }

  @Test
  void buffer_growing_keepsItsBytesAndItsCount() {
    OffHeapBuffer buffer = new OffHeapBuffer(budget, 16);
    assertThat(buffer.buffer().order()).isEqualTo(ByteOrder.LITTLE_ENDIAN);
    buffer.buffer().putLong(8, 42);
    ByteBuffer first = buffer.buffer();
    assertThat(buffer.ensureCapacity(16)).isSameAs(first);
    ByteBuffer grown = buffer.ensureCapacity(17);
    assertThat(grown).isSameAs(buffer.buffer());
    assertThat(grown.capacity()).as("at least doubled").isGreaterThanOrEqualTo(32);
    assertThat(grown.getLong(8)).isEqualTo(42);
    assertThat(grown.order()).isEqualTo(ByteOrder.LITTLE_ENDIAN);
    assertThat(budget.used(MemoryKind.WRITE_BUFFER)).isEqualTo(grown.capacity());
    buffer.close();
    buffer.close();
    assertThat(budget.used()).isZero();
    assertThatThrownBy(() -> buffer.ensureCapacity(1000)).isInstanceOf(AssertionError.class);
    assertThat(budget.used()).isZero();
  }

  @Test
  void buffer_growthThatDoesNotFit_leavesItAsItWas() {
    try (OffHeapBuffer buffer = new OffHeapBuffer(budget, 16)) {
      buffer.buffer().putLong(0, 42);
      assertThatThrownBy(() -> buffer.ensureCapacity(1 << 21))
          .isInstanceOf(OffHeapExhaustedException.class);
      assertThat(buffer.buffer().getLong(0)).isEqualTo(42);
      assertThat(budget.used()).isEqualTo(buffer.buffer().capacity());
    }
  }

  @Test
  void arena_allocations_areAlignedAndEndWhenFull() {
    ArenaPool pool = new ArenaPool(budget);
    NativeArena arena = pool.acquire(100);
    assertThat(arena.capacity()).isBetween(100, 104);
    assertThat(arena.allocate(3, 1)).isZero();
    assertThat(arena.allocate(8, 8)).isEqualTo(8);
    assertThat(arena.allocate(1, 4)).isEqualTo(16);
    assertThat(arena.allocate(4, 4)).isEqualTo(20);
    assertThat(arena.used()).isEqualTo(24);
    assertThat(arena.allocate(arena.capacity() - 24 + 1, 1)).isEqualTo(NativeArena.FULL);
    assertThat(arena.allocate(Integer.MAX_VALUE, 8)).isEqualTo(NativeArena.FULL);
    assertThat(arena.allocate(-1, 1)).isEqualTo(NativeArena.FULL);
    assertThat(arena.used()).isEqualTo(24);
    assertThat(arena.allocate(0, 1)).isEqualTo(24);
    assertThat(arena.allocate(arena.capacity() - 24, 1)).isEqualTo(24);
    pool.release(arena);
    pool.close();
  }

  @Test
  void pool_released_isPoisonedAndComesBackForTheSameSize() {
    ArenaPool pool = new ArenaPool(budget);
    NativeArena arena = pool.acquire(1000);
    arena.buffer().put(arena.allocate(10, 1), (byte) 1);
    pool.release(arena);
    assertThat(arena.buffer().get(0)).isEqualTo(Invariants.POISON);
    assertThat(pool.acquire(100_000)).as("too small to serve").isNotSameAs(arena);
    assertThat(pool.acquire(10)).as("too big to be spent on it").isNotSameAs(arena);
    assertThat(pool.acquire(900)).isSameAs(arena);
    assertThat(arena.used()).isZero();
    assertThat(pool.liveArenas()).isEqualTo(3);
  }

  @Test
  void pool_arenaThatMayGrow_beginsSmallAndKeepsItsContents() {
    try (ArenaPool pool = new ArenaPool(budget)) {
      NativeArena arena = pool.acquire(100, 1 << 18, true);
      assertThat(arena.capacity()).isLessThanOrEqualTo(16 << 10);
      arena.buffer().putLong(arena.allocate(8, 8), 42);
      assertThat(pool.grow(arena, (1 << 18) + 1)).as("beyond its limit").isFalse();
      assertThat(pool.grow(arena, 40_000)).isTrue();
      assertThat(arena.capacity()).isBetween(40_000, 1 << 17);
      assertThat(arena.buffer().getLong(0)).isEqualTo(42);
      assertThat(pool.grow(arena, 1 << 18)).isTrue();
      assertThat(arena.capacity()).isEqualTo(1 << 18);
      assertThat(arena.buffer().getLong(0)).isEqualTo(42);
      assertThat(arena.allocate(8, 8)).isEqualTo(8);
      assertThat(budget.used()).isEqualTo(1 << 18);
      pool.release(arena);
      assertThat(pool.acquire(100, 1 << 18, true)).as("a free one of full size").isSameAs(arena);
      pool.release(arena);
    }
    assertThat(budget.used()).isZero();
  }

  @Test
  void pool_arenaThatWillHardlyFill_leavesTheFreeOneOfFullSize() {
    try (ArenaPool pool = new ArenaPool(budget)) {
      pool.release(pool.acquire(1 << 18));
      NativeArena small = pool.acquire(100, 1 << 18, false);
      assertThat(small.capacity()).isEqualTo(16 << 10);
      pool.release(small);
    }
    assertThat(budget.used()).isZero();
  }

  @Test
  void pool_growthWhileAFreeArenaIsKept_takesItsMemory() {
    try (ArenaPool pool = new ArenaPool(budget)) {
      NativeArena small = pool.acquire(100, 1 << 18, true);
      pool.release(pool.acquire(1 << 18));
      assertThat(pool.grow(small, 20_000)).isTrue();
      assertThat(small.capacity()).as("a free one that is too large stays").isEqualTo(1 << 16);
      long used = budget.used();
      assertThat(pool.grow(small, 100_000)).isTrue();
      assertThat(small.capacity()).isEqualTo(1 << 18);
      assertThat(budget.used()).isLessThan(used);
      pool.release(small);
    }
    assertThat(budget.used()).isZero();
  }

  @Test
  void pool_manyReleased_keepsFewAndCloseDropsThem() {
    ArenaPool pool = new ArenaPool(budget);
    List<NativeArena> arenas = new ArrayList<>();
    for (int i = 0; i < 5; i++) {
      arenas.add(pool.acquire(1000));
    }
    assertThat(budget.used(MemoryKind.MEMTABLE)).isEqualTo(5000);
    NativeArena last = arenas.remove(4);
    arenas.forEach(pool::release);
    assertThat(budget.used(MemoryKind.MEMTABLE)).as("two free ones").isEqualTo(3000);
    pool.close();
    assertThat(budget.used(MemoryKind.MEMTABLE)).isEqualTo(1000);
    pool.release(last);
    assertThat(budget.used()).isZero();
    assertThatThrownBy(() -> pool.release(last))
        .isInstanceOf(AssertionError.class)
        .hasMessageContaining("released twice");
  }

  @Test
  void shortage_inAnyCause_isRecognized() {
    Exception budgetSpent = new OffHeapExhaustedException("full");
    Error jvmSpent = new OutOfMemoryError("Cannot reserve 10 bytes of direct buffer memory");
    for (Throwable cause : new Throwable[] {budgetSpent, jvmSpent}) {
      assertThat(MemoryShortage.isCauseOf(cause)).isTrue();
      assertThat(MemoryShortage.isCauseOf(new IOException(new IllegalStateException(cause))))
          .isTrue();
    }
    assertThat(MemoryShortage.isCauseOf(new OutOfMemoryError("Direct buffer memory"))).isTrue();
    Throwable[] others = {
      new OutOfMemoryError("Java heap space"),
      new OutOfMemoryError(),
      new IOException("direct buffer memory", new IOException("disk")),
    };
    for (Throwable other : others) {
      assertThat(MemoryShortage.isCauseOf(other)).isFalse();
    }
  }

  @Test
  void undo_thatIsNotCanceled_runsOnce() {
    int[] runs = new int[1];
    Undo undo = new Undo(() -> runs[0]++);
    undo.close();
    undo.close();
    assertThat(runs[0]).isEqualTo(1);
    try (Undo canceled = new Undo(() -> runs[0]++)) {
      canceled.cancel();
    }
    assertThat(runs[0]).isEqualTo(1);
  }

  @Test
  void valueRef_release_closesThePinOnce() {
    int[] closed = new int[1];
    ValueRef value = new ValueRef();
    ByteBuffer memory = ByteBuffer.allocateDirect(4).put(2, (byte) 9);
    value.set(memory, 2, 1, () -> closed[0]++);
    assertThat(value.copy()).containsExactly(9);
    value.release();
    value.release();
    assertThat(closed[0]).isEqualTo(1);
    assertThat(value.copy()).isEmpty();
  }

  @Test
  void valueRef_whosePinIsTaken_leavesItOpen() {
    int[] closed = new int[1];
    Pinned pin = () -> closed[0]++;
    ValueRef value = new ValueRef();
    value.set(ByteBuffer.allocateDirect(4), 0, 4, pin);
    assertThat(value.takePin()).isSameAs(pin);
    value.release();
    assertThat(closed[0]).isZero();
  }

  /** A reference to a buffer of a table would keep the memory of the table after its close. */
  @Test
  void valueRef_release_dropsABufferUnlessItBelongsToTheOwner() {
    ValueRef value = new ValueRef();
    ByteBuffer ofATable = ByteBuffer.allocateDirect(4);
    value.set(ofATable, 0, 4, null);
    value.release();
    assertThat(value.buffer).isNotSameAs(ofATable);
    ByteBuffer own = ByteBuffer.allocateDirect(4).put(1, (byte) 7);
    value.setKept(own, 1, 1);
    assertThat(value.copy()).containsExactly(7);
    value.release();
    assertThat(value.buffer).isSameAs(own);
    assertThat(value.copy()).isEmpty();
    value.set(ofATable, 0, 4, null);
    value.release();
    assertThat(value.buffer).isNotSameAs(ofATable);
  }

  /** What the child JVM does: it asks for more direct memory than it may have. */
  static final class Child {
    private Child() {}

    public static void main(String[] arguments) {
      OffHeapBudget budget = new OffHeapBudget(0);
      BlockAllocator allocator = new BlockAllocator(budget);
      try {
        allocator.allocate(MemoryKind.BLOCK, 6 << 20);
      } catch (OffHeapExhaustedException e) {
        System.out.print(budget.used() + " " + e.getMessage());
      }
    }
  }

  @Test
  void directMemory_spent_isAnExceptionThatNamesTheFlag() throws IOException, InterruptedException {
    Children.Ended child = Children.run(List.of("-XX:MaxDirectMemorySize=4m"), Child.class);
    assertThat(child.output()).startsWith("0 ").contains("-XX:MaxDirectMemorySize", "offHeapLimit");
  }
}
