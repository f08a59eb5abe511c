package dev.kv.core.table.block;

import static dev.kv.core.Bytes.direct;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.kv.bytes.DBComparator;
import dev.kv.bytes.Slice;
import dev.kv.core.key.InternalKey;
import dev.kv.core.key.InternalKeyComparator;
import dev.kv.core.key.KeyComparator;
import dev.kv.core.key.UserKeyComparator;
import dev.kv.core.key.ValueKind;
import dev.kv.core.memory.OffHeapBudget;
import dev.kv.core.memory.OffHeapBuffer;
import dev.kv.errors.CorruptionException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.Comparator;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class BlockIteratorTest {
  private static final DBComparator REVERSE =
      new DBComparator() {
        @Override
        public String name() {
          return "test.Reverse";
        }

        @Override
        public int compare(Slice a, Slice b) {
          return Comparator.<Slice>reverseOrder().compare(a, b);
        }
      };

  private static BlockIterator on(KeyComparator comparator, ByteBuffer block) {
    return on(comparator, block, block.capacity());
  }

  private static BlockIterator on(KeyComparator comparator, ByteBuffer block, int length) {
    BlockIterator cursor =
        new BlockIterator(comparator, new OffHeapBuffer(new OffHeapBudget(0), 0));
    cursor.reset(block, length, "000005.ldb", 4711);
    return cursor;
  }

  @ParameterizedTest
  @ValueSource(ints = {1, 2, 16, 128, 100_000})
  void moves_randomEntries_followTheModel(int interval) {
    for (int seed = 0; seed < 25; seed++) {
      Random random = new Random(seed * 31L + interval);
      int count = random.nextInt(8) == 0 ? 0 : random.nextInt(150);
      KeyComparator internal = new InternalKeyComparator(DBComparator.bytewise());
      follow(internal, Entries.internal(internal, random, count), interval, random, true, seed);
      KeyComparator reverse = new InternalKeyComparator(REVERSE);
      follow(reverse, Entries.internal(reverse, random, count), interval, random, true, seed);
      KeyComparator user = new UserKeyComparator(DBComparator.bytewise());
      follow(user, Entries.user(user, random, count), interval, random, false, seed);
    }
  }

  @ParameterizedTest
  @ValueSource(ints = {1, 2, 16, 128})
  void moves_slotDirectory_followTheModel(int interval) {
    KeyComparator order = new InternalKeyComparator(DBComparator.bytewise());
    int written = 0;
    for (int seed = 0; seed < 100; seed++) {
      Random random = new Random(seed * 31L + interval);
      Entries entries = Entries.internal(order, random, 1 + random.nextInt(60));
      ByteBuffer block = entries.block(interval);
      BlockIterator cursor = on(order, withRoom(block, random.nextInt(1000)), block.capacity());
      try {
        if (cursor.writeEntryIndex(block.capacity())) {
          written++;
          cursor.useEntryIndex(block.capacity());
        }
        new CursorModel(cursor, entries, random, true).run(400);
      } catch (AssertionError | RuntimeException e) {
        throw new AssertionError("interval " + interval + ", seed " + seed, e);
      }
    }
    assertThat(written).isBetween(40, 99);
  }

  @Test
  void moves_inABlockInTheMiddleOfABuffer_followTheModel() {
    KeyComparator order = new InternalKeyComparator(DBComparator.bytewise());
    for (int seed = 0; seed < 50; seed++) {
      Random random = new Random(seed);
      Entries entries = Entries.internal(order, random, 1 + random.nextInt(60));
      ByteBuffer block = entries.block(1 + random.nextInt(16));
      int length = block.capacity();
      int begin = 1 + random.nextInt(500);
      byte[] around = new byte[begin + length + 100];
      random.nextBytes(around);
      ByteBuffer buffer = direct(around).put(begin, block, 0, length);
      BlockIterator cursor = new BlockIterator(order, new OffHeapBuffer(new OffHeapBudget(0), 0));
      cursor.reset(buffer, begin, length, "000005.ldb", 4711);
      try {
        new CursorModel(cursor, entries, random, true).run(400);
      } catch (AssertionError | RuntimeException e) {
        throw new AssertionError("seed " + seed, e);
      }
    }
  }

  private static ByteBuffer withRoom(ByteBuffer block, int room) {
    int length = block.capacity();
    return ByteBuffer.allocateDirect(length + room)
        .order(ByteOrder.LITTLE_ENDIAN)
        .put(0, block, 0, length);
  }

  @Test
  void seek_slotDirectoryOfKeysThatTagsGoOn_findsEach() {
    KeyComparator order = new InternalKeyComparator(DBComparator.bytewise());
    // The second user key begins with the whole internal key of the first, the third ends with
    // zeros.
    byte[] whole = InternalKey.encode(new byte[] {1}, 0x0101010101010101L >>> 8, ValueKind.VALUE);
    byte[][] users = {{1}, whole, {2}, {2, 0}, {2, 0, 0}};
    try (BlockBuilder builder = new BlockBuilder(16, new OffHeapBudget(0))) {
      for (byte[] user : users) {
        byte[] key = InternalKey.encode(user, 0x0101010101010101L >>> 8, ValueKind.VALUE);
        builder.add(direct(key), 0, key.length, direct(user), 0, user.length);
      }
      int length = builder.finish();
      ByteBuffer block = ByteBuffer.allocateDirect(length + 500).order(ByteOrder.LITTLE_ENDIAN);
      BlockIterator cursor = on(order, block.put(0, builder.buffer(), 0, length), length);
      if (cursor.writeEntryIndex(length)) {
        cursor.useEntryIndex(length);
      }
      for (byte[] user : users) {
        byte[] target = InternalKey.encode(user, InternalKey.MAX_SEQUENCE, ValueKind.VALUE);
        cursor.seek(direct(target), 0, target.length);
        assertThat(CursorModel.value(cursor)).isEqualTo(user);
      }
    }
  }

  @Test
  void writeEntryIndex_otherOrderOrNoRoom_writesNone() {
    KeyComparator bytewise = new InternalKeyComparator(DBComparator.bytewise());
    ByteBuffer block = Entries.internal(bytewise, new Random(5), 30).block(16);
    int length = block.capacity();
    assertThat(on(bytewise, withRoom(block, 1000), length).writeEntryIndex(length)).isTrue();
    for (int room = 0; room < 100; room++) {
      ByteBuffer narrow = withRoom(block, room);
      assertThat(on(bytewise, narrow, length).writeEntryIndex(length)).isFalse();
      assertThat(narrow.slice(0, length)).isEqualTo(block);
    }
    KeyComparator reverse = new InternalKeyComparator(REVERSE);
    ByteBuffer other = Entries.internal(reverse, new Random(5), 30).block(16);
    BlockIterator cursor = on(reverse, withRoom(other, 1000), other.capacity());
    assertThat(cursor.writeEntryIndex(other.capacity())).isFalse();
  }

  @Test
  void writeEntryIndex_blockOfWhichPlacesDoNotFit_takesNoRoomAndWritesNone() throws Exception {
    KeyComparator order = new InternalKeyComparator(DBComparator.bytewise());
    try (BlockBuilder builder = new BlockBuilder(16, new OffHeapBudget(0))) {
      ByteBuffer value = ByteBuffer.allocateDirect(40_000).order(ByteOrder.LITTLE_ENDIAN);
      for (int entries = 1; entries <= 2; entries++) {
        builder.reset();
        for (int i = 0; i < entries; i++) {
          byte[] key = InternalKey.encode(new byte[] {(byte) i}, 1, ValueKind.VALUE);
          builder.add(direct(key), 0, key.length, value, 0, value.capacity());
        }
        int length = builder.finish();
        boolean fits = length <= 0xffff;
        assertThat(fits).isEqualTo(entries == 1);
        assertThat(BlockIterator.roomForEntryIndex(length) > 0).isEqualTo(fits);
        ByteBuffer block = ByteBuffer.allocateDirect(length + 500).order(ByteOrder.LITTLE_ENDIAN);
        BlockIterator cursor = on(order, block.put(0, builder.buffer(), 0, length), length);
        assertThat(cursor.writeEntryIndex(length)).isEqualTo(fits);
      }
    }
    assertThat(BlockIterator.roomForEntryIndex(Integer.MAX_VALUE)).isZero();
  }

  private static void follow(
      KeyComparator order,
      Entries entries,
      int interval,
      Random random,
      boolean internal,
      int seed) {
    try {
      new CursorModel(on(order, entries.block(interval)), entries, random, internal).run(400);
    } catch (AssertionError | RuntimeException e) {
      throw new AssertionError("interval " + interval + ", seed " + seed + ", " + order, e);
    }
  }

  @Test
  void prev_intervalLargerThanItsRecord_showsEveryEntry() {
    Random random = new Random(301);
    KeyComparator order = new InternalKeyComparator(DBComparator.bytewise());
    Entries entries = Entries.internal(order, random, 1200);
    new CursorModel(on(order, entries.block(5000)), entries, random, true).run(200);
  }

  @Test
  void prev_keysLargerThanTheRecord_showsEveryEntry() throws Exception {
    KeyComparator order = new UserKeyComparator(DBComparator.bytewise());
    BlockBuilder builder = new BlockBuilder(16, new OffHeapBudget(0));
    ByteBuffer key = ByteBuffer.allocateDirect(40_000).order(ByteOrder.LITTLE_ENDIAN);
    for (int i = 0; i < 40; i++) {
      key.put(39_000, (byte) i);
      builder.add(key, 0, 39_001 + i, key, 0, i);
    }
    int length = builder.finish();
    ByteBuffer block = ByteBuffer.allocateDirect(length).order(ByteOrder.LITTLE_ENDIAN);
    block.put(0, builder.buffer(), 0, length);
    BlockIterator cursor = on(order, block);
    cursor.seekToLast();
    for (int i = 39; i >= 0; i--) {
      assertThat(cursor.isValid()).isTrue();
      assertThat(cursor.keyLength()).isEqualTo(39_001 + i);
      assertThat(cursor.keyBuffer().get(cursor.keyOffset() + 39_000)).isEqualTo((byte) i);
      assertThat(cursor.valueLength()).isEqualTo(i);
      cursor.prev();
    }
    assertThat(cursor.isValid()).isFalse();
  }

  @Test
  void seek_ownVersionsOfOneKey_findsTheNewestAtOrBelow() {
    KeyComparator order = new InternalKeyComparator(DBComparator.bytewise());
    try (BlockBuilder builder = new BlockBuilder(16, new OffHeapBudget(0))) {
      for (int sequence = 40; sequence > 0; sequence--) {
        byte[] key = InternalKey.encode("k".getBytes(), sequence * 100L, ValueKind.VALUE);
        builder.add(direct(key), 0, key.length, direct(key), 0, 0);
      }
      int length = builder.finish();
      ByteBuffer block = ByteBuffer.allocateDirect(length).order(ByteOrder.LITTLE_ENDIAN);
      BlockIterator cursor = on(order, block.put(0, builder.buffer(), 0, length));
      for (int sequence = 4100; sequence >= 100; sequence--) {
        byte[] target = InternalKey.encode("k".getBytes(), sequence, ValueKind.VALUE);
        cursor.seek(direct(target), 0, target.length);
        long found = InternalKey.sequence(InternalKey.tag(CursorModel.key(cursor)));
        assertThat(found).isEqualTo(Math.min(4000, sequence / 100 * 100L));
      }
    }
  }

  @Test
  void reset_emptyBlock_hasNoEntries() {
    KeyComparator order = new InternalKeyComparator(DBComparator.bytewise());
    ByteBuffer block = Entries.internal(order, new Random(1), 0).block(16);
    assertThat(block.capacity()).isEqualTo(8);
    BlockIterator cursor = on(order, block);
    cursor.seekToFirst();
    assertThat(cursor.isValid()).isFalse();
    cursor.seekToLast();
    assertThat(cursor.isValid()).isFalse();
    cursor.seek(ByteBuffer.allocateDirect(8), 0, 8);
    assertThat(cursor.isValid()).isFalse();
  }

  @Test
  void reset_noRestartPoints_hasNoEntries() {
    KeyComparator order = new UserKeyComparator(DBComparator.bytewise());
    BlockIterator cursor = on(order, direct(new byte[4]));
    cursor.seekToFirst();
    assertThat(cursor.isValid()).isFalse();
    cursor.seekToLast();
    assertThat(cursor.isValid()).isFalse();
    cursor.seek(direct(new byte[] {1}), 0, 1);
    assertThat(cursor.isValid()).isFalse();
    assertThatThrownBy(() -> on(order, direct(new byte[5])))
        .isInstanceOf(CorruptionException.class);
  }

  @Test
  void reset_impossibleRestartCount_throwsWithFileAndOffset() {
    KeyComparator order = new InternalKeyComparator(DBComparator.bytewise());
    ByteBuffer block = Entries.internal(order, new Random(1), 5).block(16);
    for (int count : new int[] {-1, Integer.MIN_VALUE, Integer.MAX_VALUE, block.capacity() / 4}) {
      block.putInt(block.capacity() - 4, count);
      assertThatThrownBy(() -> on(order, block))
          .isInstanceOfSatisfying(
              CorruptionException.class,
              e -> {
                assertThat(e.file()).isEqualTo("000005.ldb");
                assertThat(e.offset()).isEqualTo(4711);
              });
    }
    ByteBuffer tiny = ByteBuffer.allocateDirect(3).order(ByteOrder.LITTLE_ENDIAN);
    assertThatThrownBy(() -> on(order, tiny)).isInstanceOf(CorruptionException.class);
  }

  /** Unverified bytes may give any answer, but only a cursor or the named exception. */
  @Test
  void moves_damagedBytes_throwCorruptionOrEnd() {
    int corruptions = 0;
    for (int seed = 0; seed < 400; seed++) {
      Random random = new Random(seed);
      KeyComparator order =
          new InternalKeyComparator(seed % 3 == 0 ? REVERSE : DBComparator.bytewise());
      ByteBuffer block = Entries.internal(order, random, 30).block(1 + random.nextInt(20));
      for (int i = 0; i <= random.nextInt(3); i++) {
        block.put(random.nextInt(block.capacity()), (byte) random.nextInt(256));
      }
      try {
        corruptions += walk(order, block, random);
      } catch (RuntimeException e) {
        throw new AssertionError("seed " + seed, e);
      }
    }
    assertThat(corruptions).isGreaterThan(50);
  }

  private static int walk(KeyComparator order, ByteBuffer block, Random random) {
    int corruptions = 0;
    ByteBuffer roomy = withRoom(block, 600);
    for (int round = 0; round < 9; round++) {
      try {
        BlockIterator cursor = on(order, roomy, block.capacity());
        if (round >= 6 && cursor.writeEntryIndex(block.capacity())) {
          cursor.useEntryIndex(block.capacity());
        }
        byte[] key =
            InternalKey.encode(Entries.randomKey(random), random.nextInt(9), ValueKind.VALUE);
        switch (round % 3) {
          case 0 -> cursor.seekToFirst();
          case 1 -> cursor.seekToLast();
          default -> cursor.seek(direct(key), 0, key.length);
        }
        for (int step = 0; cursor.isValid() && step < 100; step++) {
          CursorModel.key(cursor);
          CursorModel.value(cursor);
          if (round < 3) {
            cursor.next();
          } else {
            cursor.prev();
          }
        }
      } catch (CorruptionException e) {
        corruptions++;
      }
    }
    return corruptions;
  }

  @Test
  void moves_afterWarmUp_allocateNothing() {
    KeyComparator order = new InternalKeyComparator(DBComparator.bytewise());
    Entries entries = Entries.internal(order, new Random(7), 100);
    ByteBuffer block = entries.block(16);
    BlockIterator cursor = on(order, block);
    byte[] key = entries.list().get(57).key();
    ByteBuffer target = direct(key);
    long bytes =
        AllocationMeter.bytes(
            () -> {
              cursor.reset(block, block.capacity(), "000005.ldb", 0);
              for (cursor.seekToFirst(); cursor.isValid(); ) {
                cursor.next();
              }
              for (cursor.seekToLast(); cursor.isValid(); ) {
                cursor.prev();
              }
              cursor.seek(target, 0, key.length);
            });
    assertThat(bytes).isZero();
  }

  /** Cursors over internal keys rely on it: no key reaches them that has no tag. */
  @Test
  void moves_keyShorterThanATag_throwCorruption() {
    ByteBuffer block = ByteBuffer.allocateDirect(64).order(ByteOrder.LITTLE_ENDIAN);
    int at = 3 + 7; // three lengths and the key, without a value
    block.put(1, (byte) 7).putInt(at, 0).putInt(at + 4, 1); // a restart point at 0
    ByteBuffer target = ByteBuffer.allocateDirect(8).order(ByteOrder.LITTLE_ENDIAN);
    for (DBComparator order : List.of(DBComparator.bytewise(), REVERSE)) {
      BlockIterator cursor = on(new InternalKeyComparator(order), block, at + 8);
      assertThatThrownBy(cursor::seekToFirst).isInstanceOf(CorruptionException.class);
      assertThatThrownBy(cursor::seekToLast).isInstanceOf(CorruptionException.class);
      assertThatThrownBy(() -> cursor.seek(target, 0, 8)).isInstanceOf(CorruptionException.class);
      assertThat(cursor.isValid()).isFalse();
    }
  }

  @Test
  void nextInSameBlock_keysThatShareLessThanTheyCould_findsTheSameUserKey() {
    ByteBuffer block = ByteBuffer.allocateDirect(200).order(ByteOrder.LITTLE_ENDIAN);
    int at = putEntry(block, 0, 0, "abc", 9);
    at = putEntry(block, at, 3, "", 8);
    at = putEntry(block, at, 1, "bc", 7);
    at = putEntry(block, at, 0, "abc", 6);
    at = putEntry(block, at, 2, "d", 5);
    at = putEntry(block, at, 3, "d", 4);
    block.putInt(at, 0).putInt(at + 4, 1);
    BlockIterator cursor = on(new InternalKeyComparator(DBComparator.bytewise()), block, at + 8);
    cursor.seekToFirst();
    for (boolean repeats : new boolean[] {true, true, true, false, false}) {
      assertThat(cursor.nextInSameBlock()).isTrue();
      assertThat(cursor.repeatsUserKey()).isEqualTo(repeats);
    }
    assertThat(cursor.nextInSameBlock()).isFalse();
    assertThat(cursor.isValid()).isTrue();
    assertThat(InternalKey.tag(cursor.keyBuffer(), cursor.keyOffset(), cursor.keyLength()))
        .isEqualTo(InternalKey.pack(4, ValueKind.VALUE));
  }

  /** Writes an entry without a value, and returns the offset after it. */
  private static int putEntry(ByteBuffer block, int at, int shared, String rest, long sequence) {
    int length = rest.length() + InternalKey.TRAILER;
    block.put(at, (byte) shared).put(at + 1, (byte) length).put(at + 2, (byte) 0);
    for (int i = 0; i < rest.length(); i++) {
      block.put(at + 3 + i, (byte) rest.charAt(i));
    }
    block.putLong(at + 3 + rest.length(), InternalKey.pack(sequence, ValueKind.VALUE));
    return at + 3 + length;
  }
}
