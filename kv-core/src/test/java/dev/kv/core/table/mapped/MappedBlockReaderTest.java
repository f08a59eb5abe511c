package dev.kv.core.table.mapped;

import static org.assertj.core.api.Assertions.assertThat;

import dev.kv.core.cache.LruCache;
import dev.kv.core.env.MappedBytes;
import dev.kv.core.memory.BlockAllocator;
import dev.kv.core.memory.MemoryKind;
import dev.kv.core.memory.OffHeapBudget;
import dev.kv.core.memory.OffHeapBuffer;
import dev.kv.core.table.cache.BlockProvider;
import dev.kv.core.table.cache.CachedBlock;
import dev.kv.core.table.cache.PinnedBlock;
import dev.kv.core.table.cache.StoredBlocks;
import dev.kv.core.table.cache.TableFile;
import dev.kv.core.table.cache.UncachedBlock;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.Random;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

class MappedBlockReaderTest {
  private static final int LARGE = 100_000;
  private static final int SMALL = 4_000;

  private final StoredBlocks stored = new StoredBlocks();
  private final byte[] large = random(LARGE);
  private final long offset = stored.add(large);
  private final byte[] small = random(SMALL);
  private final long smallOffset = stored.add(small);
  private final byte[] bytes = stored.bytes();
  private final TableFile file = StoredBlocks.file(bytes);
  private final OffHeapBudget budget = new OffHeapBudget(160 << 10);
  private final BlockAllocator allocator = new BlockAllocator(budget);
  private final LruCache<CachedBlock> cache = CachedBlock.newCache(allocator, 0);
  private final BlockProvider blocks = new BlockProvider(cache, allocator, budget, true);
  private int absorbed;

  @AfterEach
  void everythingIsGivenBack() {
    blocks.close();
    cache.close();
    allocator.close();
    assertThat(allocator.liveBuffers()).isZero();
  }

  private static byte[] random(int length) {
    byte[] bytes = new byte[length];
    new Random(length).nextBytes(bytes);
    return bytes;
  }

  private MappedBlockReader reader() {
    MappedBytes mapped =
        new MappedBytes() {
          @Override
          public ByteBuffer mapping() {
            return ByteBuffer.allocateDirect(bytes.length)
                .put(0, bytes)
                .order(ByteOrder.LITTLE_ENDIAN);
          }

          @Override
          public void absorbFault() {
            absorbed++;
          }

          @Override
          public boolean absorbMissedFault() {
            return false;
          }
        };
    return new MappedBlockReader(
        file, mapped, 2, blocks, new EntryIndexMemory(budget, 0), (lookup, block, at, size) -> 0);
  }

  private static byte[] bytes(PinnedBlock of) {
    byte[] bytes = new byte[of.length()];
    of.bytes().get(0, bytes);
    return bytes;
  }

  @Test
  void copy_ofABlockNotVerified_isNull() {
    assertThat(reader().copy(0, offset, LARGE)).isNull();
    assertThat(absorbed).isZero();
  }

  @Test
  void copy_ofAnotherTrailer_isNullUntilTheBlockIsVerifiedAgain() {
    MappedBlockReader reader = reader();
    reader.verifiedCopy(0, offset, LARGE, null).close();
    bytes[LARGE] = 1; // snappy
    assertThat(reader.copy(0, offset, LARGE)).isNull();
    bytes[LARGE] = 0;
    assertThat(reader.copy(0, offset, LARGE)).as("forgotten").isNull();
    reader.verifiedCopy(0, offset, LARGE, null).close();
    bytes[LARGE + 1] ^= 1; // checksum
    assertThat(reader.copy(0, offset, LARGE)).isNull();
    assertThat(absorbed).isEqualTo(2);
  }

  @Test
  void verifiedCopy_withMemory_isInItUnlessItIsLarge() {
    MappedBlockReader reader = reader();
    try (OffHeapBuffer memory = new OffHeapBuffer(budget, 0)) {
      UncachedBlock copy = reader.verifiedCopy(1, smallOffset, SMALL, memory);
      assertThat(copy.bytes()).isSameAs(memory.buffer());
      assertThat(bytes(copy)).isEqualTo(small);
      copy.close();
      assertThat(allocator.liveBuffers()).isZero();

      UncachedBlock other = reader.verifiedCopy(0, offset, LARGE, memory);
      assertThat(other.bytes()).isNotSameAs(memory.buffer());
      assertThat(bytes(other)).isEqualTo(large);
      other.close();
    }
  }

  @Test
  void verifiedCopy_memoryThatCannotGrow_isInMemoryThatNothingCounts() {
    MappedBlockReader reader = reader();
    reader.verifiedCopy(1, smallOffset, SMALL, null).close();
    allocator.trim();
    long left = budget.limit() - budget.used();
    budget.reserve(MemoryKind.MEMTABLE, left);
    try (OffHeapBuffer memory = new OffHeapBuffer(budget, 0)) {
      UncachedBlock copy = reader.verifiedCopy(1, smallOffset, SMALL, memory);
      assertThat(bytes(copy)).isEqualTo(small);
      assertThat(budget.used()).isEqualTo(budget.limit());
      copy.close();
    }
    budget.release(MemoryKind.MEMTABLE, left);
  }

  @Test
  void copies_budgetUsedUp_areNotCounted() {
    UncachedBlock copy = reader().verifiedCopy(0, offset, LARGE, null);
    assertThat(copy).isNotNull();
    assertThat(bytes(copy)).isEqualTo(large);
    UncachedBlock part = blocks.copyOf(copy.bytes(), 100, LARGE - 200);
    assertThat(part.bytes().get(0)).isEqualTo(large[100]);
    assertThat(part.length()).isEqualTo(LARGE - 200);
    assertThat(budget.used()).isLessThanOrEqualTo(160 << 10);
    part.close();
    copy.close();
  }
}
