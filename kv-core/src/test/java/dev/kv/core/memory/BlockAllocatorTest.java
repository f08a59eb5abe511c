package dev.kv.core.memory;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.kv.OffHeapExhaustedException;
import io.netty.buffer.ByteBuf;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Test;

class BlockAllocatorTest {
  private final OffHeapBudget budget = new OffHeapBudget(64 << 20);
  private final BlockAllocator allocator = new BlockAllocator(budget);

  @Test
  void sizeClasses_everyLength_fitItsSlotWithLittleWaste() {
    for (int length = 1; length <= SizeClasses.LARGEST; length++) {
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
}
