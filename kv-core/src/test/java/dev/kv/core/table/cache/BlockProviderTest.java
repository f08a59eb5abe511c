package dev.kv.core.table.cache;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.kv.core.cache.LruCache;
import dev.kv.core.memory.BlockAllocator;
import dev.kv.core.memory.MemoryKind;
import dev.kv.core.memory.OffHeapBudget;
import dev.kv.core.memory.OffHeapBuffer;
import dev.kv.core.table.format.BlockHandle;
import dev.kv.errors.CorruptionException;
import java.nio.ByteBuffer;
import java.util.Random;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

class BlockProviderTest {
  private static final int LARGE = 3 << 20;

  private final StoredBlocks stored = new StoredBlocks();
  private final byte[] block = random(1000);
  private final byte[] large = random(LARGE);
  private final long offset = stored.add(block);
  private final long largeOffset = stored.add(large);

  private @Nullable OffHeapBudget budget;
  private @Nullable BlockAllocator allocator;
  private @Nullable LruCache<CachedBlock> cache;

  private static byte[] random(int length) {
    byte[] bytes = new byte[length];
    new Random(length).nextBytes(bytes);
    return bytes;
  }

  private BlockProvider provider(long cacheCapacity, long limit) {
    budget = new OffHeapBudget(limit);
    allocator = new BlockAllocator(budget);
    cache = CachedBlock.newCache(allocator, cacheCapacity);
    return new BlockProvider(cache, allocator, budget, true);
  }

  @AfterEach
  void everythingIsGivenBack() {
    if (cache != null) {
      cache.close();
      allocator.close();
      assertThat(allocator.liveBuffers()).isZero();
    }
  }

  private static byte[] bytes(PinnedBlock of) {
    byte[] bytes = new byte[of.length()];
    of.bytes().get(0, bytes);
    return bytes;
  }

  @Test
  void acquire_withFill_readsTheFileOnce() {
    TableFile file = stored.file();
    try (BlockProvider blocks = provider(1 << 20, 0)) {
      for (int i = 0; i < 3; i++) {
        PinnedBlock found = blocks.acquire(file, 1, offset, block.length, ReadFlags.DEFAULT);
        assertThat(bytes(found)).isEqualTo(block);
        assertThat(((CachedBlock) found).wasHit()).isEqualTo(i > 0);
        found.close();
      }
      assertThat(cache.misses()).isEqualTo(1);
      assertThat(cache.hits()).isEqualTo(2);
      assertThat(cache.totalCharge()).isGreaterThanOrEqualTo(block.length);
      assertThat(cache.capacity()).isEqualTo(1 << 20);
    }
  }

  @Test
  void acquire_withoutFillOrWithoutCache_cachesNothing() {
    TableFile file = stored.file();
    for (long capacity : new long[] {0, 1 << 20}) {
      ReadFlags flags = ReadFlags.of(true, capacity == 0);
      try (BlockProvider blocks = provider(capacity, 0)) {
        PinnedBlock found = blocks.acquire(file, 1, offset, block.length, flags);
        assertThat(found).isInstanceOf(UncachedBlock.class);
        assertThat(bytes(found)).isEqualTo(block);
        assertThat(budget.used(MemoryKind.BLOCK)).isGreaterThanOrEqualTo(block.length);
        found.close();
        assertThat(cache.totalCharge()).isZero();
      }
      everythingIsGivenBack();
    }
  }

  @Test
  void acquire_damagedBlock_isRefusedOnlyIfItIsVerified() {
    byte[] damaged = stored.bytes();
    damaged[(int) offset + 10] ^= 1;
    TableFile file = StoredBlocks.file(damaged);
    try (BlockProvider blocks = provider(1 << 20, 0)) {
      for (boolean fill : new boolean[] {false, true}) {
        ReadFlags verified = ReadFlags.of(true, fill);
        assertThatThrownBy(() -> blocks.acquire(file, 1, offset, block.length, verified))
            .isInstanceOf(CorruptionException.class)
            .hasMessageContaining("a block with a wrong checksum");
        blocks.acquire(file, 1, offset, block.length, ReadFlags.of(false, fill)).close();
        assertThat(cache.totalCharge()).isZero();
      }
      assertThatThrownBy(
              () -> blocks.acquire(file, 1, offset, Integer.MAX_VALUE, ReadFlags.DEFAULT))
          .hasMessageContaining("is not in the file");
    }
  }

  @Test
  void acquire_budgetUsedUp_readsIntoMemoryThatIsNotCounted() {
    TableFile file = stored.file();
    try (BlockProvider blocks = provider(1 << 20, 64 << 10)) {
      blocks.acquire(file, 1, offset, block.length, ReadFlags.DEFAULT).close();
      PinnedBlock found =
          blocks.acquire(file, 1, largeOffset, large.length, ReadFlags.of(true, false));
      assertThat(bytes(found)).isEqualTo(large);
      assertThat(budget.used()).isLessThanOrEqualTo(64 << 10);
      assertThat(cache.totalCharge()).as("pruned").isZero();
      found.close();
    }
  }

  @Test
  void readers_thatHaveGrown_areNotKept() {
    TableFile file = stored.file();
    try (BlockProvider blocks = provider(0, 0)) {
      blocks.acquire(file, 1, offset, block.length, ReadFlags.DEFAULT).close();
      long small = budget.used(MemoryKind.WRITE_BUFFER);
      assertThat(small).isBetween((long) block.length, 64L << 10);
      blocks.acquire(file, 1, largeOffset, large.length, ReadFlags.DEFAULT).close();
      assertThat(budget.used(MemoryKind.WRITE_BUFFER)).isLessThanOrEqualTo(small);
    }
    assertThat(budget.used(MemoryKind.WRITE_BUFFER)).as("after the close").isZero();
  }

  @Test
  void scratches_thatHaveGrown_areNotKept() {
    try (BlockProvider blocks = provider(0, 0)) {
      OffHeapBuffer scratch = blocks.acquireScratch();
      blocks.releaseScratch(scratch);
      OffHeapBuffer again = blocks.acquireScratch();
      assertThat(again).isSameAs(scratch);
      again.ensureCapacity(LARGE);
      blocks.releaseScratch(again);
      assertThat(budget.used(MemoryKind.WRITE_BUFFER)).isZero();
      blocks.releaseScratch(blocks.acquireScratch());
      assertThat(budget.used(MemoryKind.WRITE_BUFFER)).isPositive();
    }
    assertThat(budget.used(MemoryKind.WRITE_BUFFER)).as("after the close").isZero();
  }

  @Test
  void copyStored_hasTheTrailerAndIsVerified() {
    TableFile file = stored.file();
    try (BlockProvider blocks = provider(0, 0);
        OffHeapBuffer target = new OffHeapBuffer(budget, 0)) {
      int length = blocks.copyStored(file, offset, block.length, target);
      assertThat(length).isEqualTo(block.length + 5);
      byte[] copy = new byte[length];
      target.buffer().get(0, copy);
      assertThat(ByteBuffer.wrap(copy))
          .isEqualTo(ByteBuffer.wrap(stored.bytes(), (int) offset, length));
      assertThatThrownBy(() -> blocks.copyStored(file, offset, block.length - 1, target))
          .isInstanceOf(CorruptionException.class);
      assertThatThrownBy(() -> blocks.copyStored(file, offset, Integer.MAX_VALUE, target))
          .hasMessageContaining("is not in the file");
    }
  }

  @Test
  void resident_countsAsIndexAndFilter() {
    TableFile file = stored.file();
    try (BlockProvider blocks = provider(0, 64 << 10)) {
      UncachedBlock index = blocks.resident(file, new BlockHandle(offset, block.length), 0);
      assertThat(bytes(index)).isEqualTo(block);
      assertThat(budget.used(MemoryKind.INDEX_AND_FILTER)).isGreaterThanOrEqualTo(block.length);
      index.close();
      assertThat(budget.used(MemoryKind.INDEX_AND_FILTER)).isZero();
      UncachedBlock uncounted = blocks.resident(file, new BlockHandle(largeOffset, LARGE), 0);
      assertThat(bytes(uncounted)).isEqualTo(large);
      assertThat(budget.used(MemoryKind.INDEX_AND_FILTER)).isZero();
      uncounted.close();
      UncachedBlock memory = blocks.residentMemory(LARGE);
      assertThat(memory.length()).isEqualTo(LARGE);
      memory.close();
      assertThat(blocks.spareMemory(LARGE)).isNull();
      UncachedBlock spare = blocks.spareMemory(100);
      assertThat(spare).isNotNull();
      spare.close();
    }
  }
}
