package dev.kv.core.memtable;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.kv.bytes.DBComparator;
import dev.kv.core.batch.BatchCursor;
import dev.kv.core.batch.EncodedBatch;
import dev.kv.core.batch.MalformedBatchException;
import dev.kv.core.iterator.InternalIterator;
import dev.kv.core.key.InternalKey;
import dev.kv.core.key.InternalKeyComparator;
import dev.kv.core.memory.ArenaPool;
import dev.kv.core.memory.OffHeapBudget;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.Random;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class BatchInserterTest {
  private static final long FIRST = 1000;

  private final ArenaPool arenas = new ArenaPool(new OffHeapBudget(0));
  private final OffHeapBudget budget = new OffHeapBudget(0);
  private final List<MemTable> created = new ArrayList<>();

  @AfterEach
  void releaseAll() {
    created.forEach(MemTable::release);
    assertThat(budget.used()).as("the memory of the sort is given back").isZero();
  }

  private MemTable memTable(DBComparator comparator) {
    MemTable table =
        new MemTable(new InternalKeyComparator(comparator), arenas.acquire(8 << 20), arenas);
    created.add(table);
    return table;
  }

  private static BatchCursor cursor(EncodedBatch batch) {
    ByteBuffer direct = ByteBuffer.allocateDirect(batch.length()).order(ByteOrder.LITTLE_ENDIAN);
    direct.put(0, batch.bytes(), 0, batch.length());
    BatchCursor cursor = new BatchCursor();
    cursor.start(direct, EncodedBatch.HEADER, batch.length() - EncodedBatch.HEADER);
    return cursor;
  }

  private static void insertOneByOne(EncodedBatch batch, MemTable target) {
    BatchCursor cursor = cursor(batch);
    for (long sequence = FIRST; cursor.next(); sequence++) {
      target.add(
          sequence,
          cursor.kind(),
          cursor.buffer(),
          cursor.keyOffset(),
          cursor.keyLength(),
          cursor.valueOffset(),
          cursor.valueLength());
    }
  }

  private static List<String> entries(MemTable table) {
    List<String> entries = new ArrayList<>();
    InternalIterator cursor = table.iterator();
    for (cursor.seekToFirst(); cursor.isValid(); cursor.next()) {
      byte[] key = InternalKey.copy(cursor.keyBuffer(), cursor.keyOffset(), cursor.keyLength());
      byte[] value = new byte[cursor.valueLength()];
      cursor.valueBuffer().get(cursor.valueOffset(), value);
      entries.add(Arrays.toString(key) + Arrays.toString(value));
    }
    return entries;
  }

  /** Short and long keys, some of them several times, with and without a common prefix. */
  private static EncodedBatch randomBatch(Random random, int count) {
    EncodedBatch batch = new EncodedBatch();
    byte[] prefix = new byte[random.nextInt(20)];
    random.nextBytes(prefix);
    int values = random.nextBoolean() ? 256 : 3;
    for (int i = 0; i < count; i++) {
      byte[] key = Arrays.copyOf(prefix, prefix.length + random.nextInt(14));
      for (int at = prefix.length; at < key.length; at++) {
        key[at] = (byte) (random.nextInt(values) - values / 2);
      }
      if (random.nextInt(8) == 0) {
        batch.delete(key);
      } else {
        batch.put(key, new byte[] {(byte) i, (byte) (i >> 8)});
      }
    }
    return batch;
  }

  @ParameterizedTest
  @ValueSource(booleans = {true, false})
  void insert_largeBatches_areTheSameAsOneByOne(boolean bytewise) {
    long seed = 1907;
    Random random = new Random(seed);
    DBComparator comparator =
        bytewise
            ? DBComparator.bytewise()
            : DBComparator.ofArrays("test.Reverse", (a, b) -> Arrays.compareUnsigned(b, a));
    for (int round = 0; round < 8; round++) {
      EncodedBatch batch = randomBatch(random, BatchInserter.SORTED_FROM + random.nextInt(2) - 1);
      MemTable expected = memTable(comparator);
      insertOneByOne(batch, expected);
      MemTable table = memTable(comparator);
      BatchInserter.insert(cursor(batch), batch.count(), FIRST, table, budget);
      assertThat(entries(table)).as("seed %d, round %d", seed, round).isEqualTo(entries(expected));
      assertThat(table.tombstoneCount()).isEqualTo(expected.tombstoneCount());
    }
  }

  @Test
  void insert_withoutMemoryForTheSort_isUnsorted() {
    EncodedBatch batch = randomBatch(new Random(1908), BatchInserter.SORTED_FROM);
    MemTable expected = memTable(DBComparator.bytewise());
    insertOneByOne(batch, expected);
    OffHeapBudget forOneBuffer = new OffHeapBudget(BatchInserter.SORTED_FROM * 24L);
    MemTable table = memTable(DBComparator.bytewise());
    BatchInserter.insert(cursor(batch), batch.count(), FIRST, table, forOneBuffer);
    assertThat(entries(table)).isEqualTo(entries(expected));
    assertThat(forOneBuffer.used()).isZero();
  }

  @Test
  void keyOrder_decimalNumbers_isTheOrderOfTheKeys() {
    Random random = new Random(1909);
    EncodedBatch batch = new EncodedBatch();
    List<String> keys = new ArrayList<>();
    for (int i = 0; i < 5000; i++) {
      String key = String.format(Locale.ROOT, "%016d", random.nextInt(1_000_000));
      keys.add(key);
      batch.put(key.getBytes(StandardCharsets.US_ASCII), new byte[0]);
    }
    BatchCursor cursor = cursor(batch);
    List<String> sorted = new ArrayList<>();
    try (KeyOrder order = new KeyOrder(cursor, batch.count(), budget)) {
      assertThat(budget.used()).as("two buffers").isEqualTo(2 * 16 * 5000);
      for (int i = 0; i < batch.count(); i++) {
        cursor.moveTo(order.position(i));
        cursor.next();
        byte[] key = new byte[cursor.keyLength()];
        cursor.buffer().get(cursor.keyOffset(), key);
        sorted.add(new String(key, StandardCharsets.US_ASCII));
        assertThat(keys.get(order.number(i))).isEqualTo(sorted.get(i));
      }
    }
    keys.sort(null);
    assertThat(sorted).isEqualTo(keys);
  }

  /** {@link #releaseAll} finds memory that stays. */
  @Test
  void keyOrder_thatFailsInTheMiddle_givesItsMemoryBack() {
    EncodedBatch batch = new EncodedBatch();
    batch.put(new byte[] {1}, new byte[0]);
    int second = batch.length();
    batch.put(new byte[] {2}, new byte[0]);
    BatchCursor cursor = cursor(batch);
    cursor.buffer().put(second, (byte) 99);
    assertThatThrownBy(() -> new KeyOrder(cursor, 2, budget))
        .isInstanceOf(MalformedBatchException.class);
  }
}
