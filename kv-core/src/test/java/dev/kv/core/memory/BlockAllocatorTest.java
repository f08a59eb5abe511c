package dev.kv.core.memory;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.kv.OffHeapExhaustedException;
import io.netty.buffer.ByteBuf;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import org.junit.jupiter.api.Test;

class BlockAllocatorTest {
  private final OffHeapBudget budget = new OffHeapBudget(64 << 20);
  private final BlockAllocator allocator = new BlockAllocator(budget);

  @Test
  void sizeClasses_everyLength_fitItsSlotWithLittleWaste() {
    int step = 1;
    for (int length = 1; length <= SizeClasses.LARGEST; length += step) {
      step = length < 1 << 17 ? 1 : 4093;
      int index = SizeClasses.indexOf(length);
      int size = SizeClasses.size(index);
      assertThat(size).isGreaterThanOrEqualTo(length);
      assertThat(size - length).isLessThanOrEqualTo(Math.max(63, length / 16));
      assertThat(index == 0 || SizeClasses.size(index - 1) < length).isTrue();
    }
  }

  @Test
  void allocate_manySizes_neverOverlap() {
    Random random = new Random(5);
    List<ByteBuf> held = new ArrayList<>();
    List<Byte> marks = new ArrayList<>();
    for (int i = 0; i < 20_000; i++) {
      if (held.size() > 200 || random.nextInt(3) == 0 && !held.isEmpty()) {
        int at = random.nextInt(held.size());
        ByteBuf buf = held.remove(at);
        byte mark = marks.remove(at);
        ByteBuffer view = BlockAllocator.viewOf(buf);
        assertThat(view.get(0)).isEqualTo(mark);
        assertThat(view.get(view.capacity() - 1)).isEqualTo(mark);
        assertThat(buf.release()).isTrue();
      } else {
        int length = 1 + random.nextInt(random.nextInt(10) == 0 ? 100_000 : 5_000);
        ByteBuf buf = allocator.allocate(MemoryKind.BLOCK, length);
        ByteBuffer view = BlockAllocator.viewOf(buf);
        assertThat(view.capacity()).isGreaterThanOrEqualTo(length);
        byte mark = (byte) i;
        view.put(0, mark).put(view.capacity() - 1, mark);
        held.add(buf);
        marks.add(mark);
      }
      assertThat(allocator.liveBuffers()).isEqualTo(held.size());
    }
    held.forEach(ByteBuf::release);
    allocator.close();
    assertThat(allocator.liveBuffers()).isZero();
    assertThat(budget.used()).isZero();
  }

  @Test
  void allocate_kinds_areCountedApart() {
    ByteBuf index = allocator.allocate(MemoryKind.INDEX_AND_FILTER, 5000);
    ByteBuf block = allocator.allocate(MemoryKind.BLOCK, 4000);
    assertThat(budget.used(MemoryKind.INDEX_AND_FILTER)).isEqualTo(BlockAllocator.chargeOf(index));
    assertThat(budget.used(MemoryKind.BLOCK)).isPositive();
    index.release();
    assertThat(budget.used(MemoryKind.INDEX_AND_FILTER)).isZero();
    block.release();
    allocator.close();
    assertThat(budget.used()).isZero();
  }

  @Test
  void tryAllocate_budgetSpent_takesFreeSlotsAndHasNothingGivenUp() {
    int[] asked = new int[1];
    budget.onShortage(() -> asked[0]++);
    ByteBuf first = allocator.allocate(MemoryKind.BLOCK, 1000);
    budget.reserve(MemoryKind.MEMTABLE, budget.limit() - budget.used());
    ByteBuf second = allocator.tryAllocate(MemoryKind.INDEX_AND_FILTER, 1000);
    assertThat(second).isNotNull();
    assertThat(allocator.tryAllocate(MemoryKind.INDEX_AND_FILTER, 5000)).isNull();
    assertThat(allocator.tryAllocate(MemoryKind.INDEX_AND_FILTER, 10 << 20)).isNull();
    assertThat(asked[0]).isZero();
    assertThatThrownBy(() -> allocator.allocate(MemoryKind.INDEX_AND_FILTER, 5000))
        .isInstanceOf(OffHeapExhaustedException.class);
    assertThat(asked[0]).isEqualTo(1);
    budget.release(MemoryKind.MEMTABLE, 20 << 20);
    ByteBuf large = allocator.tryAllocate(MemoryKind.INDEX_AND_FILTER, 10 << 20);
    assertThat(large).isNotNull();
    first.release();
    second.release();
    large.release();
    allocator.close();
    assertThat(allocator.liveBuffers()).isZero();
  }

  @Test
  void allocate_overTheLimit_isRefusedAndRecovers() {
    List<ByteBuf> held = new ArrayList<>();
    assertThatThrownBy(
            () -> {
              while (true) {
                held.add(allocator.allocate(MemoryKind.BLOCK, 60_000));
              }
            })
        .isInstanceOf(OffHeapExhaustedException.class)
        .hasMessageContaining("offHeapLimit");
    assertThat(budget.used()).isLessThanOrEqualTo(budget.limit());
    held.forEach(ByteBuf::release);
    allocator.allocate(MemoryKind.BLOCK, 60_000).release();
    allocator.close();
    assertThat(budget.used()).isZero();
  }

  @Test
  void release_twice_isAnErrorThatShowsTheFirst() {
    ByteBuf buf = allocator.allocate(MemoryKind.BLOCK, 100);
    buf.release();
    assertThatThrownBy(buf::release)
        .isInstanceOf(AssertionError.class)
        .hasMessageContaining("twice")
        .hasCauseInstanceOf(Throwable.class);
  }

  @Test
  void release_memory_isPoisonedAndALateWriteShows() {
    ByteBuf buf = allocator.allocate(MemoryKind.BLOCK, 100);
    ByteBuffer view = BlockAllocator.viewOf(buf);
    view.put(3, (byte) 1);
    buf.release();
    assertThat(view.get(3)).isEqualTo(Invariants.POISON);
    view.put(3, (byte) 1);
    assertThatThrownBy(() -> allocator.allocate(MemoryKind.BLOCK, 100))
        .isInstanceOf(AssertionError.class)
        .hasMessageContaining("after its release");
  }

  @Test
  void retain_keepsTheMemory() {
    ByteBuf buf = allocator.allocate(MemoryKind.BLOCK, 100).retain();
    buf.release();
    assertThat(allocator.liveBuffers()).isEqualTo(1);
    buf.release();
    assertThat(allocator.liveBuffers()).isZero();
  }

  @Test
  void release_ofAStaleBuffer_doesNotReleaseForItsSuccessor() {
    ByteBuf stale = allocator.allocate(MemoryKind.BLOCK, 100);
    stale.release();
    ByteBuf successor = allocator.allocate(MemoryKind.BLOCK, 100);
    assertThatThrownBy(stale::release).isInstanceOf(AssertionError.class);
    assertThatThrownBy(() -> stale.release(1)).isInstanceOf(AssertionError.class);
    assertThatThrownBy(() -> BlockAllocator.viewOf(stale))
        .isInstanceOf(AssertionError.class)
        .hasCauseInstanceOf(Throwable.class);
    assertThat(successor.refCnt()).isEqualTo(1);
    successor.release();
  }

  @Test
  void allocate_bigBuffers_areRecycled() {
    allocator.allocate(MemoryKind.BLOCK, 3 << 20).release();
    long used = budget.used();
    for (int i = 0; i < 100; i++) {
      allocator.allocate(MemoryKind.BLOCK, 3 << 20).release();
    }
    assertThat(budget.used()).isEqualTo(used);
    allocator.allocate(MemoryKind.BLOCK, SizeClasses.LARGEST + 1).release();
    assertThat(budget.used()).as("above the classes").isEqualTo(used);
  }

  /** Slabs of sizes that nobody asks for any more must not cost those in use theirs. */
  @Test
  void allocate_oneSizeOverAndOverAfterManyOthers_goesOnWithOneSlab() {
    for (int size = 64 << 10; size <= 512 << 10; size += 8 << 10) {
      allocator.allocate(MemoryKind.BLOCK, size).release();
    }
    assertThat(budget.used()).as("what is kept").isBetween(4L << 20, 17L << 20);
    allocator.allocate(MemoryKind.BLOCK, 4096).release();
    long used = budget.used();
    for (int i = 0; i < 100; i++) {
      ByteBuf again = allocator.allocate(MemoryKind.BLOCK, 4096);
      assertThat(budget.used()).as("with a buffer out").isEqualTo(used);
      again.release();
      assertThat(budget.used()).as("with none").isEqualTo(used);
    }
    allocator.close();
    assertThat(budget.used()).isZero();
  }

  @Test
  void allocate_budgetShort_takesBackWhatIsOnlyKept() {
    OffHeapBudget small = new OffHeapBudget(300 << 10);
    BlockAllocator blocks = new BlockAllocator(small);
    ArenaPool arenas = new ArenaPool(small);
    arenas.release(arenas.acquire(100 << 10));
    blocks.allocate(MemoryKind.BLOCK, 1000).release();
    assertThat(small.used()).as("both keep something").isGreaterThan(150 << 10);
    ByteBuf big = blocks.allocate(MemoryKind.BLOCK, 280 << 10);
    assertThat(small.used()).isEqualTo(BlockAllocator.chargeOf(big));
    big.release();
    arenas.release(arenas.acquire(290 << 10));
    blocks.close();
    arenas.close();
    assertThat(small.used()).isZero();
  }

  @Test
  void allocate_noRoomForASlab_takesASingleSlot() {
    OffHeapBudget small = new OffHeapBudget(10_000);
    BlockAllocator blocks = new BlockAllocator(small);
    ByteBuf first = blocks.allocate(MemoryKind.BLOCK, 4096);
    ByteBuf second = blocks.allocate(MemoryKind.BLOCK, 4096);
    assertThat(small.used()).isEqualTo(8192);
    assertThatThrownBy(() -> blocks.allocate(MemoryKind.BLOCK, 4096))
        .isInstanceOf(OffHeapExhaustedException.class);
    first.release();
    second.release();
    blocks.close();
    assertThat(small.used()).isZero();
  }

  @Test
  void liveAllocations_leak_isNamedWithItsPlace() {
    allocator.allocate(MemoryKind.BLOCK, 10).release();
    ByteBuf leaked = allocator.allocate(MemoryKind.BLOCK, 10);
    assertThat(allocator.liveAllocations()).hasSize(1);
    assertThat(allocator.liveAllocations().get(0)).hasStackTraceContaining("isNamedWithItsPlace");
    leaked.release();
    assertThat(allocator.liveAllocations()).isEmpty();
  }

  @Test
  void close_buffersOut_areTakenBackWhenReleased() {
    ByteBuf buf = allocator.allocate(MemoryKind.INDEX_AND_FILTER, 100);
    allocator.close();
    assertThat(budget.used(MemoryKind.INDEX_AND_FILTER)).isPositive();
    buf.release();
    assertThat(budget.used()).isZero();
  }

  /** Each thread writes its own mark into what it gets and finds it there again. */
  @Test
  void allocate_manyThreads_neverShareMemory() throws Exception {
    ExecutorService threads = Executors.newFixedThreadPool(4);
    try {
      List<Future<Integer>> results = new ArrayList<>();
      for (int t = 0; t < 4; t++) {
        int mark = t + 1;
        results.add(threads.submit(() -> churn(mark)));
      }
      for (Future<Integer> result : results) {
        assertThat(result.get()).as("foreign marks").isZero();
      }
    } finally {
      threads.shutdownNow();
    }
    assertThat(allocator.liveBuffers()).isZero();
    allocator.close();
    assertThat(budget.used()).isZero();
  }

  private int churn(int mark) {
    Random random = new Random(mark);
    ByteBuf[] held = new ByteBuf[32];
    int foreign = 0;
    for (int i = 0; i < 5_000; i++) {
      int at = random.nextInt(held.length);
      ByteBuf old = held[at];
      if (old != null) {
        ByteBuffer view = BlockAllocator.viewOf(old);
        foreign += view.getInt(0) == mark && view.getInt(view.capacity() - 4) == mark ? 0 : 1;
        old.release();
      }
      held[at] = allocator.allocate(MemoryKind.BLOCK, 64 + 64 * random.nextInt(4));
      ByteBuffer view = BlockAllocator.viewOf(held[at]);
      view.putInt(0, mark).putInt(view.capacity() - 4, mark);
    }
    for (ByteBuf left : held) {
      if (left != null) {
        left.release();
      }
    }
    return foreign;
  }
}
