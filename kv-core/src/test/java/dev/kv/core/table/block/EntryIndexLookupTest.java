package dev.kv.core.table.block;

import static dev.kv.core.Bytes.direct;
import static org.assertj.core.api.Assertions.assertThat;

import dev.kv.bytes.DBComparator;
import dev.kv.core.key.InternalKey;
import dev.kv.core.key.InternalKeyComparator;
import dev.kv.core.key.LookupKey;
import dev.kv.core.key.LookupResult;
import dev.kv.core.key.ValueKind;
import dev.kv.core.memory.OffHeapBudget;
import dev.kv.core.memory.OffHeapBuffer;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Test;

class EntryIndexLookupTest {
  private static final int BEFORE = 24;

  private final InternalKeyComparator order = new InternalKeyComparator(DBComparator.bytewise());
  private final EntryIndexLookup search = new EntryIndexLookup();
  private final LookupKey key = new LookupKey(new OffHeapBudget(0));

  /** A block after other bytes, with its entry index after it. */
  private record Indexed(ByteBuffer memory, int length) {
    int indexAt() {
      return BEFORE + BlockIterator.entryIndexAfter(length);
    }
  }

  private Indexed indexed(Entries entries, int interval) {
    ByteBuffer block = entries.block(interval);
    int length = block.capacity();
    ByteBuffer memory =
        ByteBuffer.allocateDirect(BEFORE + length + 500).order(ByteOrder.LITTLE_ENDIAN);
    memory.put(BEFORE, block, 0, length);
    BlockIterator cursor = new BlockIterator(order, new OffHeapBuffer(new OffHeapBudget(0), 0));
    cursor.reset(memory, BEFORE, length, "000005.ldb", 4711);
    int at = BEFORE + BlockIterator.entryIndexAfter(length);
    return cursor.writeEntryIndex(memory, at, at + 400) ? new Indexed(memory, length) : null;
  }

  private int search(Indexed block) {
    ByteBuffer memory = block.memory();
    return search.search(memory, BEFORE, block.length(), memory, block.indexAt(), key);
  }

  /** Returns the newest entry of a user key at or before a sequence number, or null. */
  private static Entries.Entry newest(Entries entries, byte[] user, long sequence) {
    for (Entries.Entry entry : entries.list()) {
      if (Arrays.equals(InternalKey.userKey(entry.key()), user)
          && InternalKey.sequence(InternalKey.tag(entry.key())) <= sequence) {
        return entry;
      }
    }
    return null;
  }

  private static List<byte[]> keysNear(Entries entries, Random random) {
    List<byte[]> keys = new ArrayList<>();
    for (Entries.Entry entry : entries.list()) {
      byte[] user = InternalKey.userKey(entry.key());
      keys.add(user);
      keys.add(Arrays.copyOf(user, user.length + 1));
      keys.add(Arrays.copyOf(user, user.length / 2));
      keys.add(Entries.randomKey(random));
    }
    return keys;
  }

  @Test
  void search_randomEntries_agreesWithTheModelOrIsUndecided() {
    int found = 0;
    int missing = 0;
    int deleted = 0;
    int undecided = 0;
    for (int seed = 0; seed < 400; seed++) {
      Random random = new Random(seed);
      Entries entries = Entries.internal(order, random, 1 + random.nextInt(40));
      Indexed block = indexed(entries, 1 + random.nextInt(20));
      if (block == null) {
        continue;
      }
      for (byte[] user : keysNear(entries, random)) {
        long sequence = random.nextBoolean() ? InternalKey.MAX_SEQUENCE : random.nextInt(70000);
        key.set(user, sequence);
        int result = search(block);
        Entries.Entry entry = newest(entries, user, sequence);
        if (result == EntryIndexLookup.UNDECIDED) {
          undecided++;
        } else if (entry == null) {
          assertThat(result).as("seed %s", seed).isEqualTo(LookupResult.NOT_FOUND);
          missing++;
        } else {
          long tag = InternalKey.tag(entry.key());
          assertThat(search.tag()).as("seed %s", seed).isEqualTo(tag);
          if (InternalKey.kindCode(tag) == ValueKind.DELETION.code()) {
            assertThat(result).as("seed %s", seed).isEqualTo(LookupResult.DELETED);
            deleted++;
          } else {
            assertThat(result).as("seed %s", seed).isEqualTo(LookupResult.FOUND);
            byte[] value = new byte[search.valueLength()];
            block.memory().get(search.valueOffset(), value);
            assertThat(value).as("seed %s", seed).isEqualTo(entry.value());
            found++;
          }
        }
      }
    }
    assertThat(found).isGreaterThan(500);
    assertThat(deleted).isGreaterThan(500);
    assertThat(missing).isGreaterThan(500);
    assertThat(undecided).isGreaterThan(50);
  }

  @Test
  void search_longValuesAndKeys_areFound() {
    try (BlockBuilder builder = new BlockBuilder(16, new OffHeapBudget(0))) {
      byte[] value = new byte[1000];
      for (int i = 0; i < 9; i++) {
        byte[] user = new byte[200];
        user[100] = (byte) (i + 1);
        byte[] internal = InternalKey.encode(user, 7, ValueKind.VALUE);
        builder.add(direct(internal), 0, internal.length, direct(value), 0, value.length);
      }
      int length = builder.finish();
      ByteBuffer memory =
          ByteBuffer.allocateDirect(BEFORE + length + 500).order(ByteOrder.LITTLE_ENDIAN);
      memory.put(BEFORE, builder.buffer(), 0, length);
      BlockIterator cursor = new BlockIterator(order, new OffHeapBuffer(new OffHeapBudget(0), 0));
      cursor.reset(memory, BEFORE, length, "000005.ldb", 0);
      Indexed block = new Indexed(memory, length);
      assertThat(cursor.writeEntryIndex(memory, block.indexAt(), block.indexAt() + 400)).isTrue();
      for (int i = 0; i < 9; i++) {
        byte[] user = new byte[200];
        user[100] = (byte) (i + 1);
        key.set(user, 7);
        assertThat(search(block)).isEqualTo(LookupResult.FOUND);
        assertThat(search.valueLength()).isEqualTo(1000);
        key.set(user, 6);
        assertThat(search(block)).isEqualTo(EntryIndexLookup.UNDECIDED);
        user[199] = 1;
        key.set(user, 7);
        assertThat(search(block)).isEqualTo(EntryIndexLookup.UNDECIDED);
      }
    }
  }

  @Test
  void search_anyBytes_endsWithinTheMemory() {
    for (int seed = 0; seed < 4_000; seed++) {
      Random random = new Random(seed);
      Entries entries = Entries.internal(order, new Random(seed / 20), 30);
      Indexed block = indexed(entries, 16);
      if (block == null) {
        continue;
      }
      ByteBuffer memory = block.memory();
      for (int i = random.nextInt(40); i >= 0; i--) {
        int at = random.nextInt(3) == 0 ? block.indexAt() + random.nextInt(60) : -1;
        memory.put(at < 0 ? random.nextInt(memory.capacity()) : at, (byte) random.nextInt(256));
      }
      byte[] user =
          InternalKey.userKey(entries.list().get(random.nextInt(entries.list().size())).key());
      key.set(user, InternalKey.MAX_SEQUENCE);
      int result;
      try {
        result = search(block);
      } catch (IndexOutOfBoundsException e) {
        continue;
      }
      if (result == LookupResult.FOUND) {
        assertThat(search.valueLength()).as("seed %s", seed).isNotNegative();
        assertThat(search.valueOffset() + search.valueLength())
            .as("seed %s", seed)
            .isLessThanOrEqualTo(BEFORE + block.length());
      }
    }
  }
}
