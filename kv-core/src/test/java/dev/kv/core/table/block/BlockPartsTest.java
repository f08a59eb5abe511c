package dev.kv.core.table.block;

import static dev.kv.core.Bytes.bytes;
import static dev.kv.core.Bytes.direct;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.kv.bytes.DBComparator;
import dev.kv.core.key.InternalKey;
import dev.kv.core.key.InternalKeyComparator;
import dev.kv.core.key.ValueKind;
import dev.kv.core.memory.OffHeapBudget;
import dev.kv.core.memory.OffHeapBuffer;
import java.nio.ByteBuffer;
import org.junit.jupiter.api.Test;

/**
 * The builder of blocks, the entry index, the record of positions and the copies, each by itself.
 */
class BlockPartsTest {
  private final OffHeapBudget budget = new OffHeapBudget(0);

  private static void add(BlockBuilder builder, String key, String value) {
    byte[] k = bytes(key);
    byte[] v = bytes(value);
    builder.add(direct(bytes("xx" + key)), 2, k.length, direct(bytes("y" + value)), 1, v.length);
  }

  // The builder.

  @Test
  void builder_estimatesTheSizeOfTheFinishedBlock_atEachEntry() {
    for (int interval : new int[] {1, 3}) {
      try (BlockBuilder builder = new BlockBuilder(interval, budget)) {
        for (int round = 0; round < 2; round++) {
          assertThat(builder.finish()).isEqualTo(8);
          for (int i = 0; i < 150; i++) {
            add(builder, "key" + (1000 + i), "v".repeat(i % 7));
            long estimate = builder.sizeEstimate();
            int length = builder.finish();
            assertThat(length).isEqualTo(estimate);
            assertThat(builder.buffer().getInt(length - Integer.BYTES))
                .as("restart points")
                .isEqualTo(i / interval + 1);
          }
          assertThat(builder.lastKeyLength()).isEqualTo(7);
          assertThat(builder.lastKey().slice(0, 7)).isEqualTo(direct(bytes("key1149")));
          builder.reset();
          assertThat(builder.lastKeyLength()).as("kept").isEqualTo(7);
        }
      }
      assertThat(budget.used()).isZero();
    }
  }

  @Test
  void builder_hasRoomForWhatABufferCanHold() {
    int most = Integer.MAX_VALUE - 8 - 8 - 4 - 15; // two numbers, a restart point, a head
    try (BlockBuilder builder = new BlockBuilder(1, budget)) {
      assertThat(builder.hasRoomFor(10, most - 10)).isTrue();
      assertThat(builder.hasRoomFor(10, most - 9)).isFalse();
      add(builder, "a", "v".repeat(1000));
      assertThat(builder.hasRoomFor(10, most - 10 - 1000 - 15)).isTrue();
      assertThat(builder.hasRoomFor(10, most - 10 - 1000)).isFalse();
    }
  }

  @Test
  void builder_sharesPrefixesBetweenRestarts_andWritesShortAndLongHeads() {
    try (BlockBuilder builder = new BlockBuilder(2, budget)) {
      add(builder, "abc", "1");
      add(builder, "abd", "22");
      add(builder, "abe", "3");
      String longKey = "abe" + "k".repeat(0x80);
      add(builder, longKey, "");
      int length = builder.finish();
      byte[] found = new byte[3 + 3 + 1 + 3 + 1 + 2 + 3 + 3 + 1];
      builder.buffer().get(0, found);
      assertThat(found)
          .isEqualTo(
              new byte[] {
                0, 3, 1, 'a', 'b', 'c', '1', 2, 1, 2, 'd', '2', '2', 0, 3, 1, 'a', 'b', 'e', '3'
              });
      assertThat(builder.buffer().get(20)).isEqualTo((byte) 3);
      assertThat(builder.buffer().get(21)).as("0x80 as a varint").isEqualTo((byte) 0x80);
      assertThat(builder.buffer().get(22)).isEqualTo((byte) 1);
      assertThat(length).isEqualTo(24 + 0x80 + 3 * Integer.BYTES);
      assertThat(builder.buffer().getInt(length - 8)).isEqualTo(13);
      assertThat(builder.buffer().getInt(length - 12)).isZero();
    }
  }

  @Test
  void builder_refusesWhatCannotBe() {
    assertThatThrownBy(() -> new BlockBuilder(0, budget))
        .isInstanceOf(IllegalArgumentException.class);
    try (BlockBuilder builder = new BlockBuilder(1, budget)) {
      ByteBuffer key = direct(bytes("key"));
      assertThatThrownBy(() -> builder.add(key, 0, 3, key, 0, Integer.MAX_VALUE))
          .isInstanceOf(IllegalArgumentException.class)
          .hasMessageContaining("2 GiB");
      assertThat(builder.sizeEstimate()).isEqualTo(8);
      assertThat(builder.capacity()).isZero();
      builder.reserve();
      assertThat(builder.capacity()).isEqualTo((8 << 10) + 256);
      assertThat(budget.used()).isEqualTo(builder.capacity());
      builder.setLastKey(key, 1, 2);
      assertThat(builder.lastKeyLength()).isEqualTo(2);
      assertThat(builder.lastKey().get(0)).isEqualTo((byte) 'e');
      assertThat(builder.lastKey().get(1)).isEqualTo((byte) 'y');
    }
    assertThat(budget.used()).isZero();
  }

  // The entry index.

  private static BlockIterator on(BlockBuilder builder, int room) {
    int length = builder.finish();
    ByteBuffer block = direct(length + room).put(0, builder.buffer(), 0, length);
    BlockIterator cursor =
        new BlockIterator(
            new InternalKeyComparator(DBComparator.bytewise()),
            new OffHeapBuffer(new OffHeapBudget(0), 0));
    cursor.reset(block, length, "000005.ldb", 0);
    return cursor;
  }

  private static void addUser(BlockBuilder builder, String user) {
    byte[] key = InternalKey.encode(bytes(user), 7, ValueKind.VALUE);
    builder.add(direct(key), 0, key.length, direct(key), 0, 1);
  }

  private static int find(EntryIndex index, String user) {
    byte[] key = bytes("-" + user);
    return index.find(direct(key), 1, key.length - 1);
  }

  @Test
  void entryIndex_findsTheSlotOfAKeyOrItsComplement() {
    try (BlockBuilder builder = new BlockBuilder(16, budget)) {
      addUser(builder, "abcde1");
      addUser(builder, "abcde2");
      addUser(builder, "abcde4");
      BlockIterator entries = on(builder, 0);
      ByteBuffer memory = direct(200);
      assertThat(EntryIndex.write(entries, memory, 10, 200)).isTrue();
      EntryIndex index = new EntryIndex(direct(0));
      assertThat(index.isPresent()).isFalse();
      index.read(memory, 10);
      assertThat(index.isPresent()).isTrue();
      assertThat(index.count()).isEqualTo(3);
      assertThat(index.knownBytes()).isEqualTo(5 + 8);
      assertThat(find(index, "abcde1")).isEqualTo(0);
      assertThat(find(index, "abcde2")).isEqualTo(1);
      assertThat(find(index, "abcde4")).isEqualTo(2);
      assertThat(find(index, "abcde")).as("before all").isEqualTo(~0);
      assertThat(find(index, "abcd")).as("a prefix of all").isEqualTo(~0);
      assertThat(find(index, "")).isEqualTo(~0);
      assertThat(find(index, "abcdd9")).isEqualTo(~0);
      assertThat(find(index, "abcde0")).isEqualTo(~0);
      assertThat(find(index, "abcde11")).isEqualTo(~1);
      assertThat(find(index, "abcde3")).isEqualTo(~2);
      assertThat(find(index, "abcde5")).isEqualTo(~3);
      assertThat(find(index, "abcdf")).as("after all").isEqualTo(~3);
      assertThat(find(index, "b")).as("after all, and short").isEqualTo(~3);

      entries.firstInBlock();
      for (int slot = 0; slot < 3; slot++) {
        assertThat(index.place(slot)).isEqualTo(entries.entry());
        ByteBuffer key = direct(32);
        index.copyKey(slot, key, 6);
        assertThat(key.slice(0, 6)).isEqualTo(direct(bytes("abcde" + (slot == 2 ? 4 : slot + 1))));
        entries.nextInBlock();
      }
      ByteBuffer begin = direct(32);
      index.copyKey(0, begin, 3);
      assertThat(begin.slice(0, 3)).isEqualTo(direct(bytes("abc")));
      index.clear();
      assertThat(index.isPresent()).isFalse();
    }
  }

  /** It takes 4 bytes, those in common, and 10 for each slot. */
  @Test
  void entryIndex_isWrittenOnlyIfAllOfItFits() {
    try (BlockBuilder builder = new BlockBuilder(16, budget)) {
      addUser(builder, "abcde1");
      addUser(builder, "abcde2");
      BlockIterator entries = on(builder, 0);
      int needed = 4 + 5 + 2 * 10;
      for (int room = 0; room < 60; room++) {
        ByteBuffer memory = direct(8 + 60);
        assertThat(EntryIndex.write(entries, memory, 8, 8 + room))
            .as("%d bytes", room)
            .isEqualTo(room >= needed);
        for (int i = 8 + room; i < memory.capacity(); i++) {
          assertThat(memory.get(i)).as("after the end").isZero();
        }
        assertThat(memory.getLong(0)).as("before the begin").isZero();
      }
    }
  }

  @Test
  void entryIndex_beginsAtTheNextMultipleOfEight() {
    assertThat(EntryIndex.begin(0)).isZero();
    assertThat(EntryIndex.begin(1)).isEqualTo(8);
    assertThat(EntryIndex.begin(7)).isEqualTo(8);
    assertThat(EntryIndex.begin(8)).isEqualTo(8);
    assertThat(EntryIndex.begin(9)).isEqualTo(16);
    assertThat(EntryIndex.room(800)).isEqualTo(100);
    assertThat(EntryIndex.room(0xffff)).isEqualTo(EntryIndex.MOST_ROOM);
    assertThat(EntryIndex.room(0x10000)).isZero();
  }

  // The positions.

  @Test
  void positions_goBackOverTheRun_andEndAtItsBegin() {
    EntryPositions positions = new EntryPositions();
    assertThat(positions.isEmpty()).isTrue();
    int keys = 0;
    for (int i = 0; i < 256; i++) {
      assertThat(positions.add(10 * i, 5, 10 * i + 3)).isEqualTo(keys);
      keys += 5;
    }
    assertThat(positions.isEmpty()).isFalse();
    positions.end(2560);
    assertThat(positions.next()).isEqualTo(2560);
    for (int i = 255; ; i--) {
      assertThat(positions.entry()).isEqualTo(10 * i);
      assertThat(positions.key()).isEqualTo(5 * i);
      assertThat(positions.keyLength()).isEqualTo(5);
      assertThat(positions.value()).isEqualTo(10 * i + 3);
      assertThat(positions.next()).isEqualTo(10 * i + 10);
      if (!positions.back()) {
        assertThat(i).isZero();
        break;
      }
    }
    assertThat(positions.add(9999, 5, 0)).as("the record is full and starts again").isZero();
    positions.end(1);
    assertThat(positions.back()).isFalse();
    positions.clear();
    assertThat(positions.isEmpty()).isTrue();
  }

  @Test
  void positions_ofLongKeys_startAgainBeforeTheirMemoryIsFull() {
    EntryPositions positions = new EntryPositions();
    assertThat(positions.add(1, 10_000, 2)).isZero();
    assertThat(positions.add(3, (16 << 10) - 10_000, 4)).as("fits exactly").isEqualTo(10_000);
    assertThat(positions.add(5, 1, 6)).isZero();
    positions.end(7);
    assertThat(positions.entry()).isEqualTo(5);
    assertThat(positions.back()).isFalse();
    positions.clear();
    assertThat(positions.add(1, 1 << 20, 2)).as("one key may be longer").isZero();
  }

  // The copies.

  @Test
  void words_ofAnyLength_copyAndCompareTheirBytesAlone() {
    ByteBuffer source = direct(64);
    for (int i = 0; i < 64; i++) {
      source.put(i, (byte) (i + 1));
    }
    for (int length = 0; length <= 24; length++) {
      ByteBuffer exact = direct(64);
      LongCopies.copyExactly(source, 3, exact, 5, length);
      ByteBuffer words = direct(64);
      LongCopies.copy(source, 3, words, 5, length);
      for (int i = 0; i < 64; i++) {
        boolean inside = i >= 5 && i < 5 + length;
        assertThat(exact.get(i)).isEqualTo(inside ? (byte) (i - 1) : 0);
        if (inside || i < 5 || i >= 5 + (length + 7 & -8)) {
          assertThat(words.get(i)).isEqualTo(inside ? (byte) (i - 1) : 0);
        }
      }
      assertThat(LongCopies.mismatch(source, 3, exact, 5, length)).isEqualTo(length);
      for (int differs = 0; differs < length; differs++) {
        ByteBuffer other = direct(64).put(0, exact, 0, 64);
        other.put(5 + differs, (byte) 0x80);
        assertThat(LongCopies.mismatch(source, 3, other, 5, length)).isEqualTo(differs);
      }
    }
  }
}
