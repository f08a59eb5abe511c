package dev.kv.core.table.mapped;

import static org.assertj.core.api.Assertions.assertThat;

import dev.kv.bytes.DBComparator;
import dev.kv.core.Bytes;
import dev.kv.core.key.InternalKey;
import dev.kv.core.key.InternalKeyComparator;
import dev.kv.core.key.ValueKind;
import dev.kv.core.memory.OffHeapBudget;
import dev.kv.core.memory.OffHeapBuffer;
import dev.kv.core.table.block.BlockBuilder;
import dev.kv.core.table.block.BlockIterator;
import java.nio.ByteBuffer;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

class EntryIndexesTest {
  private static final int BLOCKS = 3;

  private final OffHeapBudget budget = new OffHeapBudget(64 << 10);
  private final EntryIndexMemory memory = new EntryIndexMemory(budget, 0);
  private final EntryIndexes indexes = new EntryIndexes(memory, BLOCKS);
  private final OffHeapBuffer scratch = new OffHeapBuffer(new OffHeapBudget(0), 0);

  @AfterEach
  void everythingIsGivenBack() {
    scratch.close();
    indexes.free();
    assertThat(memory.bytes()).isZero();
    assertThat(budget.used()).isZero();
  }

  /** Returns a cursor over a block of three entries, or of none. */
  private BlockIterator block(boolean empty) {
    ByteBuffer copy;
    int length;
    try (BlockBuilder builder = new BlockBuilder(16, new OffHeapBudget(0))) {
      for (int i = 0; i < (empty ? 0 : 3); i++) {
        byte[] key = InternalKey.encode(Bytes.bytes("key" + i), 7, ValueKind.VALUE);
        builder.add(Bytes.direct(key), 0, key.length, Bytes.direct(key), 0, 1);
      }
      length = builder.finish();
      copy = Bytes.direct(length).put(0, builder.buffer(), 0, length);
    }
    BlockIterator cursor =
        new BlockIterator(new InternalKeyComparator(DBComparator.bytewise()), scratch);
    cursor.reset(copy, length, "000005.ldb", 0);
    return cursor;
  }

  @Test
  void write_ofABlock_isTheIndexAtItsPlace() {
    assertThat(indexes.wants(1)).as("the first second visit").isTrue();
    assertThat(indexes.memory(1)).isNull();
    indexes.write(block(false), 1);
    ByteBuffer written = indexes.memory(1);
    assertThat(written).isNotNull();
    assertThat(written.capacity()).isEqualTo(BLOCKS * EntryIndexes.place(1));
    assertThat(written.getShort(EntryIndexes.place(1))).as("entries").isEqualTo((short) 3);
    assertThat(indexes.memory(0)).isNull();
    assertThat(indexes.memory(2)).isNull();
    assertThat(indexes.wants(1)).isFalse();
    assertThat(indexes.wants(2)).isTrue();
    indexes.write(block(false), 2);
    assertThat(indexes.memory(2)).isSameAs(written);
    assertThat(memory.bytes()).isEqualTo(written.capacity());
  }

  @Test
  void write_ofABlockThatHasNoIndex_isNotTriedAgain() {
    indexes.write(block(true), 0);
    assertThat(indexes.memory(0)).isNull();
    assertThat(indexes.wants(0)).isFalse();
    assertThat(indexes.wants(1)).isTrue();
  }

  @Test
  void write_withoutMemory_isTriedAgainAfterAsManyVisitsAsThereAreBlocks() {
    EntryIndexes large = new EntryIndexes(memory, 1000);
    assertThat(large.wants(0)).isTrue();
    large.write(block(false), 0);
    assertThat(large.memory(0)).isNull();
    for (int i = 0; i < 1000; i++) {
      assertThat(large.wants(i)).as("visit %d", i).isFalse();
    }
    assertThat(large.wants(0)).isTrue();
    large.free();
  }

  @Test
  void wasUsed_afterALookupHasUsedAnIndex_isTrueOnce() {
    assertThat(indexes.wasUsed()).isFalse();
    indexes.write(block(false), 0);
    assertThat(indexes.memory(1)).isNull();
    assertThat(indexes.wasUsed()).isFalse();
    assertThat(indexes.memory(0)).isNotNull();
    assertThat(indexes.memory(0)).isNotNull();
    assertThat(indexes.wasUsed()).isTrue();
    assertThat(indexes.wasUsed()).isFalse();
  }

  @Test
  void drop_ofTheMemory_leavesBlocksToBeWrittenAgain() {
    indexes.write(block(false), 0);
    indexes.drop();
    assertThat(memory.bytes()).isZero();
    assertThat(indexes.memory(0)).isNull();
    indexes.drop();
    indexes.write(block(false), 0);
    assertThat(indexes.memory(0)).isNotNull();
  }
}
