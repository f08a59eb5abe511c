package dev.kv.core.memtable;

import static dev.kv.core.Bytes.bytes;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.kv.bytes.DBComparator;
import dev.kv.core.Call;
import dev.kv.core.iterator.InternalIterator;
import dev.kv.core.key.InternalKey;
import dev.kv.core.key.InternalKeyComparator;
import dev.kv.core.key.LookupKey;
import dev.kv.core.key.LookupResult;
import dev.kv.core.key.ValueKind;
import dev.kv.core.memory.ArenaPool;
import dev.kv.core.memory.MemoryKind;
import dev.kv.core.memory.OffHeapBudget;
import dev.kv.core.memory.ValueRef;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.Locale;
import java.util.Map;
import java.util.Random;
import java.util.TreeMap;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class MemTableTest {
  private final OffHeapBudget budget = new OffHeapBudget(0);
  private final ArenaPool pool = new ArenaPool(budget);
  private final LookupKey lookup = new LookupKey(budget);
  private final ValueRef value = new ValueRef();

  private MemTable create(DBComparator comparator, int capacity) {
    return new MemTable(new InternalKeyComparator(comparator), pool.acquire(capacity), pool);
  }

  /** Returns a memtable that begins in a small arena. */
  private MemTable createGrowing(DBComparator comparator, int limit) {
    return new MemTable(
        new InternalKeyComparator(comparator),
        pool.acquire(MemTable.EMPTY_ARENA_BYTES, limit, true),
        pool);
  }

  private static ByteBuffer direct(byte[]... parts) {
    int length = Arrays.stream(parts).mapToInt(part -> part.length).sum();
    ByteBuffer buffer = ByteBuffer.allocateDirect(length).order(ByteOrder.LITTLE_ENDIAN);
    int at = 0;
    for (byte[] part : parts) {
      buffer.put(at, part);
      at += part.length;
    }
    return buffer;
  }

  private static void add(MemTable table, long sequence, ValueKind kind, byte[] key, byte[] value) {
    table.add(sequence, kind, direct(key, value), 0, key.length, key.length, value.length);
  }

  private int get(MemTable table, byte[] key, long sequence) {
    lookup.set(key, sequence);
    return table.get(lookup, value);
  }

  @Test
  void get_emptyTable_findsNothing() {
    MemTable table = create(DBComparator.bytewise(), 1 << 16);
    assertThat(table.isEmpty()).isTrue();
    assertThat(get(table, bytes("a"), 9)).isEqualTo(LookupResult.NOT_FOUND);
    InternalIterator cursor = table.iterator();
    cursor.seekToFirst();
    assertThat(cursor.isValid()).isFalse();
    cursor.seekToLast();
    assertThat(cursor.isValid()).isFalse();
    cursor.seek(direct(InternalKey.encode(bytes("x"), 1, ValueKind.VALUE)), 0, 9);
    assertThat(cursor.isValid()).isFalse();
    table.release();
  }

  @Test
  void get_versions_seesTheNewestInView() {
    MemTable table = create(DBComparator.bytewise(), 1 << 16);
    add(table, 1, ValueKind.VALUE, bytes("k"), bytes("one"));
    add(table, 2, ValueKind.DELETION, bytes("k"), new byte[0]);
    add(table, InternalKey.MAX_SEQUENCE, ValueKind.VALUE, bytes("k"), bytes("last"));
    assertThat(get(table, bytes("k"), 0)).isEqualTo(LookupResult.NOT_FOUND);
    assertThat(get(table, bytes("k"), 1)).isEqualTo(LookupResult.FOUND);
    assertThat(value.copy()).isEqualTo(bytes("one"));
    assertThat(get(table, bytes("k"), 1000)).isEqualTo(LookupResult.DELETED);
    assertThat(get(table, bytes("k"), InternalKey.MAX_SEQUENCE)).isEqualTo(LookupResult.FOUND);
    assertThat(value.copy()).isEqualTo(bytes("last"));
    assertThat(get(table, bytes("k\0"), InternalKey.MAX_SEQUENCE))
        .isEqualTo(LookupResult.NOT_FOUND);
    table.release();
  }

  @ParameterizedTest
  @ValueSource(booleans = {true, false})
  void table_randomEntries_isTheModelInBothDirections(boolean bytewise) {
    long seed = 4711;
    Random random = new Random(seed);
    DBComparator comparator =
        bytewise
            ? DBComparator.bytewise()
            : DBComparator.ofArrays("test.Reverse", (a, b) -> Arrays.compareUnsigned(b, a));
    InternalKeyComparator order = new InternalKeyComparator(comparator);
    MemTable table = createGrowing(comparator, 4 << 20);
    TreeMap<byte[], byte[]> model = new TreeMap<>(order::compare);
    for (long sequence = 1; sequence <= 8000; sequence++) {
      byte[] key = new byte[random.nextInt(4) == 0 ? random.nextInt(30) : random.nextInt(4)];
      for (int i = 0; i < key.length; i++) {
        key[i] = (byte) (random.nextInt(3) * 127);
      }
      byte[] content = new byte[random.nextInt(50)];
      random.nextBytes(content);
      ValueKind kind = random.nextInt(5) == 0 ? ValueKind.DELETION : ValueKind.VALUE;
      assertThat(table.ensureRoomFor(key.length + content.length, 1)).isTrue();
      add(table, sequence, kind, key, content);
      model.put(InternalKey.encode(key, sequence, kind), content);
    }
    assertThat(table.entryCount()).isEqualTo(model.size());
    InternalIterator cursor = table.iterator();
    cursor.seekToFirst();
    for (Map.Entry<byte[], byte[]> entry : model.entrySet()) {
      expect(cursor, entry, seed);
      cursor.next();
    }
    assertThat(cursor.isValid()).isFalse();
    cursor.seekToLast();
    for (Map.Entry<byte[], byte[]> entry : model.descendingMap().entrySet()) {
      expect(cursor, entry, seed);
      cursor.prev();
    }
    assertThat(cursor.isValid()).isFalse();
    for (int i = 0; i < 3000; i++) {
      byte[] user = new byte[random.nextInt(6)];
      for (int j = 0; j < user.length; j++) {
        user[j] = (byte) (random.nextInt(3) * 127);
      }
      byte[] target = InternalKey.encode(user, random.nextInt(9000), ValueKind.VALUE);
      cursor.seek(direct(target), 0, target.length);
      Map.Entry<byte[], byte[]> expected = model.ceilingEntry(target);
      assertThat(cursor.isValid()).isEqualTo(expected != null);
      if (expected != null) {
        expect(cursor, expected, seed);
      }
    }
    table.release();
  }

  private static void expect(InternalIterator cursor, Map.Entry<byte[], byte[]> entry, long seed) {
    assertThat(cursor.isValid()).as("seed %d", seed).isTrue();
    byte[] key = InternalKey.copy(cursor.keyBuffer(), cursor.keyOffset(), cursor.keyLength());
    assertThat(key).as("seed %d", seed).isEqualTo(entry.getKey());
    byte[] content = new byte[cursor.valueLength()];
    cursor.valueBuffer().get(cursor.valueOffset(), content);
    assertThat(content).as("seed %d", seed).isEqualTo(entry.getValue());
  }

  @Test
  void add_ascendingKeys_staysSortedAmongRandomOnes() {
    MemTable table = create(DBComparator.bytewise(), 1 << 20);
    Random random = new Random(1);
    for (int i = 0; i < 5000; i++) {
      int n = i % 100 == 0 ? random.nextInt(100_000) : 100_000 + i;
      add(table, i + 1, ValueKind.VALUE, bytes(String.format(Locale.ROOT, "%08d", n)), new byte[0]);
    }
    InternalIterator cursor = table.iterator();
    byte[] before = new byte[0];
    int seen = 0;
    for (cursor.seekToFirst(); cursor.isValid(); cursor.next()) {
      byte[] key = InternalKey.copy(cursor.keyBuffer(), cursor.keyOffset(), cursor.keyLength());
      assertThat(Arrays.compareUnsigned(before, key)).isNegative();
      before = key;
      seen++;
    }
    assertThat(seen).isEqualTo(5000);
    table.release();
  }

  @Test
  void ensureRoomFor_untilItSaysNo_addNeverFails() {
    Random random = new Random(2);
    for (int round = 0; round < 50; round++) {
      MemTable table = create(DBComparator.bytewise(), 1 << 14);
      long sequence = 0;
      byte[] key = new byte[random.nextInt(40)];
      byte[] content = new byte[random.nextInt(40)];
      while (table.ensureRoomFor(key.length + content.length, 1)) {
        random.nextBytes(key);
        add(table, ++sequence, ValueKind.VALUE, key, content);
      }
      assertThat(sequence).isPositive();
      assertThat(table.memoryUsed()).isLessThanOrEqualTo(1 << 14);
      assertThatThrownBy(
              () -> add(table, 1L << 40, ValueKind.VALUE, new byte[1 << 14], new byte[0]))
          .isInstanceOf(AssertionError.class);
      table.release();
    }
  }

  @Test
  void cursor_acrossTheGrowthOfTheArena_keepsItsEntryAndGoesOn() {
    MemTable table = createGrowing(DBComparator.bytewise(), 1 << 20);
    byte[] content = new byte[1000];
    assertThat(table.ensureRoomFor(content.length + 1, 1)).isTrue();
    add(table, 1, ValueKind.VALUE, bytes("a"), content);
    InternalIterator cursor = table.iterator();
    cursor.seekToFirst();
    ByteBuffer before = cursor.keyBuffer();
    long sequence = 1;
    for (int i = 0; i < 500; i++) {
      assertThat(table.ensureRoomFor(content.length + 4, 1)).isTrue();
      add(table, ++sequence, ValueKind.VALUE, bytes("b" + (100 + i)), content);
    }
    assertThat(before.get(cursor.keyOffset())).as("the old buffer is kept").isEqualTo((byte) 'a');
    int seen = 0;
    for (; cursor.isValid(); cursor.next()) {
      seen++;
    }
    assertThat(seen).isEqualTo(501);
    assertThat(cursor.keyBuffer()).isNotSameAs(before);
    assertThat(budget.used())
        .as("the old buffers are not counted")
        .isEqualTo(lookupBytes() + (1 << 20));
    table.release();
  }

  private long lookupBytes() {
    return budget.used(MemoryKind.WRITE_BUFFER);
  }

  @Test
  void growth_withoutMemory_leavesTheMemtableAsItWas() {
    OffHeapBudget small = new OffHeapBudget(100 << 10);
    ArenaPool arenas = new ArenaPool(small);
    MemTable table =
        new MemTable(
            new InternalKeyComparator(DBComparator.bytewise()),
            arenas.acquire(MemTable.EMPTY_ARENA_BYTES, 1 << 20, true),
            arenas);
    long sequence = 0;
    while (table.ensureRoomFor(101, 1)) {
      add(table, ++sequence, ValueKind.VALUE, bytes("k"), new byte[100]);
    }
    assertThat(get(table, bytes("k"), sequence)).isEqualTo(LookupResult.FOUND);
    assertThat(table.memoryUsed()).isBetween(60L << 10, 64L << 10);
    assertThat(small.used()).isEqualTo(64 << 10);
    table.release();
    arenas.close();
    assertThat(small.used()).isZero();
  }

  @Test
  void release_ofAnArenaAboveTheLimit_givesTheMemoryBack() {
    OffHeapBudget counted = new OffHeapBudget(0);
    ArenaPool arenas = new ArenaPool(counted);
    arenas.release(arenas.acquire(1 << 20, 64 << 10, true));
    assertThat(counted.used()).isZero();
    arenas.release(arenas.acquire(16 << 10, 64 << 10, true));
    assertThat(counted.used()).as("one of usual size is kept").isEqualTo(16 << 10);
    arenas.close();
  }

  @Test
  void memtable_emptyArenaBytes_hasRoomForNoEntry() {
    MemTable none = create(DBComparator.bytewise(), MemTable.EMPTY_ARENA_BYTES);
    assertThat(none.ensureRoomFor(0, 1)).isFalse();
    assertThat(none.isEmpty()).isTrue();
    assertThat(none.iterator().isValid()).isFalse();
    none.release();
  }

  @Test
  void arenaBytesFor_anyEntries_isEnough() {
    byte[] key = new byte[1000];
    byte[] content = new byte[100_000];
    int bytes = (int) MemTable.arenaBytesFor(10L * (key.length + content.length), 10);
    MemTable table = create(DBComparator.bytewise(), bytes);
    assertThat(table.ensureRoomFor(10L * (key.length + content.length), 10)).isTrue();
    for (int i = 0; i < 10; i++) {
      add(table, i + 1, ValueKind.VALUE, key, content);
    }
    table.release();
    pool.close();
    lookup.close();
    assertThat(pool.liveArenas()).isZero();
    assertThat(budget.used()).isZero();
  }

  /** Values repeat their key's number, so that a reader sees whether it reads a whole entry. */
  @ParameterizedTest
  @ValueSource(booleans = {true, false})
  void reader_besideTheWriter_seesWholeEntriesInOrder(boolean grows) throws InterruptedException {
    MemTable table =
        grows
            ? createGrowing(DBComparator.bytewise(), 8 << 20)
            : create(DBComparator.bytewise(), 8 << 20);
    AtomicBoolean done = new AtomicBoolean();
    Call reader = Call.start(() -> readAll(table, done));
    ByteBuffer source = direct(new byte[24]);
    Random random = new Random(12);
    for (long sequence = 1; sequence <= 60_000; sequence++) {
      long number = random.nextLong();
      source.putLong(0, number).putLong(8, number).putLong(16, ~number);
      assertThat(table.ensureRoomFor(24, 1)).isTrue();
      table.add(sequence, ValueKind.VALUE, source, 0, 8, 8, 16);
    }
    done.set(true);
    assertThat(reader.outcome()).as("seed 12").isNull();
    table.release();
  }

  private static void readAll(MemTable table, AtomicBoolean done) {
    boolean last;
    do {
      last = done.get();
      int atLeast = table.entryCount();
      int seen = 0;
      long before = 0;
      InternalIterator cursor = table.iterator();
      for (cursor.seekToFirst(); cursor.isValid(); cursor.next()) {
        long number = cursor.keyBuffer().getLong(cursor.keyOffset());
        assertThat(cursor.valueBuffer().getLong(cursor.valueOffset())).isEqualTo(number);
        assertThat(cursor.valueBuffer().getLong(cursor.valueOffset() + 8)).isEqualTo(~number);
        long ordered = Long.reverseBytes(number);
        assertThat(seen == 0 || Long.compareUnsigned(before, ordered) <= 0).isTrue();
        before = ordered;
        seen++;
      }
      assertThat(seen).isGreaterThanOrEqualTo(atLeast);
    } while (!last);
  }

  @ParameterizedTest
  @ValueSource(booleans = {true, false})
  void get_besideTheWriter_findsEachKeyOfItsViewAndNoOther(boolean grows) throws Exception {
    MemTable table =
        grows
            ? createGrowing(DBComparator.bytewise(), 4 << 20)
            : create(DBComparator.bytewise(), 4 << 20);
    AtomicLong published = new AtomicLong(-1);
    AtomicBoolean done = new AtomicBoolean();
    Call reader = Call.start(() -> getAtRandom(table, published, done));
    ByteBuffer source = direct(new byte[108]);
    for (long sequence = 0; sequence < 20_000; sequence++) {
      source.putLong(0, mixed(sequence));
      assertThat(table.ensureRoomFor(108, 1)).isTrue();
      table.add(sequence, ValueKind.VALUE, source, 0, 8, 8, 100);
      published.setRelease(sequence);
    }
    done.set(true);
    assertThat(reader.outcome()).as("seed 5").isNull();
    table.release();
  }

  private static void getAtRandom(MemTable table, AtomicLong published, AtomicBoolean done) {
    Random random = new Random(5);
    ByteBuffer key = direct(new byte[8]);
    try (LookupKey lookup = new LookupKey(new OffHeapBudget(0))) {
      ValueRef value = new ValueRef();
      boolean last;
      do {
        last = done.get();
        long view = published.getAcquire();
        for (int i = 0; i < 100 && view >= 0; i++) {
          long number = random.nextLong(view + 1);
          byte[] user = new byte[8];
          key.putLong(0, mixed(number)).get(0, user);
          lookup.set(user, view);
          assertThat(table.get(lookup, value)).as("view %d", view).isEqualTo(LookupResult.FOUND);
          assertThat(table.newestTag(lookup)).isEqualTo(InternalKey.pack(number, ValueKind.VALUE));
          key.putLong(0, ~mixed(number)).get(0, user);
          lookup.set(user, view);
          assertThat(table.get(lookup, value)).isEqualTo(LookupResult.NOT_FOUND);
          assertThat(table.newestTag(lookup)).isEqualTo(MemTable.NO_ENTRY);
        }
      } while (!last);
    }
  }

  @Test
  void get_equalKeysOfOtherBytes_areFoundInALargeMemtable() {
    DBComparator ignoringCase =
        DBComparator.ofArrays(
            "test.IgnoringCase",
            (a, b) ->
                new String(a, StandardCharsets.UTF_8)
                    .compareToIgnoreCase(new String(b, StandardCharsets.UTF_8)));
    MemTable table = create(ignoringCase, 1 << 20);
    for (int i = 0; i < 2000; i++) {
      assertThat(table.ensureRoomFor(200, 1)).isTrue();
      add(
          table,
          i,
          ValueKind.VALUE,
          bytes(String.format(Locale.ROOT, "key%05d", i)),
          new byte[100]);
    }
    for (int i = 0; i < 2000; i++) {
      assertThat(get(table, bytes(String.format(Locale.ROOT, "KEY%05d", i)), 2000))
          .isEqualTo(LookupResult.FOUND);
    }
    table.release();
  }

  @Test
  void ensureRoomFor_theLastBytes_returnsTrueWithoutAFilter() {
    byte[] key = bytes("key");
    int small = 100;
    int large = (1 << 20) - (40 << 10);
    MemTable table = create(DBComparator.bytewise(), 1 << 20);
    assertThat(table.ensureRoomFor(300L * (key.length + small), 300)).isTrue();
    int count = 0;
    while (table.memoryUsed() < 32 << 10) { // twice the size of the filter
      add(table, count++, ValueKind.VALUE, key, new byte[small]);
    }
    assertThat(table.ensureRoomFor(key.length + large, 1)).isTrue();
    add(table, 1000, ValueKind.VALUE, key, new byte[large]);
    assertThat(get(table, key, 1000)).isEqualTo(LookupResult.FOUND);
    assertThat(get(table, key, 5)).isEqualTo(LookupResult.FOUND);
    table.release();
  }

  /** Keys ascend in groups of eight; the order inside a group is mixed. */
  @Test
  void backwardReader_besideTheWriter_missesNothingOfItsView() throws InterruptedException {
    MemTable table = create(DBComparator.bytewise(), 32 << 20);
    AtomicLong published = new AtomicLong(-1);
    AtomicBoolean done = new AtomicBoolean();
    CountDownLatch started = new CountDownLatch(1);
    AtomicInteger met = new AtomicInteger();
    Call reader = Call.start(() -> readBackward(table, published, done, started, met));
    assertThat(started.await(30, TimeUnit.SECONDS)).isTrue();
    ByteBuffer source = direct(new byte[8]);
    for (long sequence = 0; sequence < 400_000; sequence++) {
      source.putLong(0, Long.reverseBytes(mixed(sequence)));
      table.add(sequence, ValueKind.VALUE, source, 0, 8, 8, 0);
      published.setRelease(sequence);
    }
    done.set(true);
    assertThat(reader.outcome()).isNull();
    assertThat(met).as("turns during which something was written").hasPositiveValue();
    table.release();
  }

  /** Returns the key of a sequence number, or the number of a key. */
  private static long mixed(long number) {
    return number ^ ((number >>> 3) * 0x9e3779b97f4a7c15L >>> 61);
  }

  private static void readBackward(
      MemTable table,
      AtomicLong published,
      AtomicBoolean done,
      CountDownLatch started,
      AtomicInteger met) {
    while (!done.get()) {
      long view = published.getAcquire();
      long expected = view | 7;
      InternalIterator cursor = table.iterator();
      cursor.seekToLast();
      for (int steps = 0; steps < 24 && expected >= 0; cursor.prev()) {
        assertThat(cursor.isValid()).as("before key %d, view %d", expected, view).isTrue();
        ByteBuffer memory = cursor.keyBuffer();
        long tag = InternalKey.tag(memory, cursor.keyOffset(), cursor.keyLength());
        if (InternalKey.sequence(tag) <= view) {
          while (mixed(expected) > view) {
            expected--;
          }
          assertThat(Long.reverseBytes(memory.getLong(cursor.keyOffset())))
              .as("view %d", view)
              .isEqualTo(expected--);
          steps++;
        }
      }
      if (view >= 0 && published.getAcquire() > view) {
        met.incrementAndGet();
      }
      started.countDown();
    }
  }

  private void addDeletion(MemTable table, long sequence, String key) {
    add(table, sequence, ValueKind.DELETION, bytes(key), new byte[0]);
  }

  @Test
  void hasManyTombstones_ofQueues_isTrueFromTheLimitOn() {
    MemTable table = create(DBComparator.bytewise(), 8 << 20);
    long sequence = 1;
    for (int i = 0; i <= MemTable.MANY_TOMBSTONES; i++) {
      assertThat(table.hasManyTombstones()).isFalse();
      byte[] key = bytes(String.format(Locale.ROOT, "%02d-%06d", i % 20, i / 20)); // 20 queues
      add(table, sequence++, ValueKind.VALUE, key, bytes("new"));
      add(table, sequence++, ValueKind.VALUE, key, bytes("taken"));
      add(table, sequence++, ValueKind.DELETION, key, new byte[0]); // all but the first one count
    }
    assertThat(table.hasManyTombstones()).isTrue();
    table.release();
  }

  @Test
  void hasManyTombstones_ofKeysAtRandom_isFalse() {
    MemTable table = create(DBComparator.bytewise(), 8 << 20);
    Random random = new Random(1);
    for (int i = 1; i <= 4 * MemTable.MANY_TOMBSTONES; i++) {
      addDeletion(table, i, String.format(Locale.ROOT, "%08d", random.nextInt(100_000_000)));
    }
    assertThat(table.hasManyTombstones()).isFalse();
    table.release();
  }

  @Test
  void hasManyTombstones_amongMorePuts_isFalse() {
    MemTable table = create(DBComparator.bytewise(), 16 << 20);
    int deletes = MemTable.MANY_TOMBSTONES + 1;
    for (int i = 1; i <= deletes; i++) {
      addDeletion(table, i, String.format(Locale.ROOT, "%08d", i));
    }
    assertThat(table.hasManyTombstones()).isTrue();
    for (int i = 1; i <= 4 * deletes; i++) {
      byte[] key = bytes(String.format(Locale.ROOT, "x%08d", i));
      add(table, deletes + i, ValueKind.VALUE, key, new byte[0]);
    }
    assertThat(table.hasManyTombstones()).isFalse();
    table.release();
  }

  @Test
  void hasManyTombstones_ofAQuarterOfTheEntries_isTrue() {
    MemTable table = create(DBComparator.bytewise(), 16 << 20);
    int deletes = MemTable.MANY_TOMBSTONES + 1;
    for (int i = 1; i <= deletes; i++) {
      addDeletion(table, i, String.format(Locale.ROOT, "%08d", i));
    }
    for (int i = 1; i <= 3 * deletes; i++) {
      byte[] key = bytes(String.format(Locale.ROOT, "x%08d", i));
      add(table, deletes + i, ValueKind.VALUE, key, new byte[0]);
    }
    assertThat(table.hasManyTombstones()).isTrue();
    table.release();
  }

  /** Up to 256 operations are between the neighbors of a run. */
  @ParameterizedTest
  @CsvSource({"256, true", "257, false"})
  void hasManyTombstones_ofARun_dependsOnTheDistanceOfItsTombstones(int distance, boolean many) {
    MemTable table = create(DBComparator.bytewise(), 8 << 20);
    for (int i = 1; i <= MemTable.MANY_TOMBSTONES + 1; i++) {
      addDeletion(table, (long) i * distance, String.format(Locale.ROOT, "%08d", i));
    }
    assertThat(table.hasManyTombstones()).isEqualTo(many);
    table.release();
  }

  @Test
  void newestTag_isThatOfTheNewestEntryInView() {
    MemTable table = create(DBComparator.bytewise(), 1 << 16);
    add(table, 3, ValueKind.VALUE, bytes("k"), bytes("three"));
    add(table, 5, ValueKind.DELETION, bytes("k"), new byte[0]);
    assertThat(newestTag(table, "k", 2)).isEqualTo(MemTable.NO_ENTRY);
    assertThat(newestTag(table, "k", 4)).isEqualTo(InternalKey.pack(3, ValueKind.VALUE));
    assertThat(newestTag(table, "k", 9)).isEqualTo(InternalKey.pack(5, ValueKind.DELETION));
    assertThat(newestTag(table, "j", 9)).isEqualTo(MemTable.NO_ENTRY);
    assertThat(newestTag(table, "l", 9)).isEqualTo(MemTable.NO_ENTRY);
    table.release();
  }

  private long newestTag(MemTable table, String key, long sequence) {
    lookup.set(bytes(key), sequence);
    return table.newestTag(lookup);
  }

  @Test
  void counts_ofEntries_leaveOutWhatTombstonesHide() {
    MemTable table = create(DBComparator.bytewise(), 1 << 16);
    for (int i = 1; i <= 5; i++) {
      add(table, i, ValueKind.VALUE, bytes("k" + i), bytes("v"));
    }
    assertThat(table.isEmpty()).isFalse();
    assertThat(table.estimatedKeys()).isEqualTo(5);
    addDeletion(table, 6, "k1");
    addDeletion(table, 7, "k2");
    assertThat(table.entryCount()).isEqualTo(7);
    assertThat(table.estimatedKeys()).isEqualTo(3);
    assertThat(table.arenaBytes()).isEqualTo(1 << 16);
    table.release();
  }

  /** The filter takes a 64th of the arena once the entries take twice as much. */
  @ParameterizedTest
  @ValueSource(booleans = {true, false})
  void ensureRoomFor_ofALargeMemtable_createsAFilterUnlessKeysOfOtherBytesAreEqual(
      boolean bytewise) {
    DBComparator order =
        bytewise
            ? DBComparator.bytewise()
            : DBComparator.ofArrays("test.Same", Arrays::compareUnsigned);
    MemTable table = create(order, 1 << 20);
    int filter = (1 << 20) / 64;
    for (int i = 0; table.memoryUsed() < 2 * filter; i++) {
      add(table, i + 1, ValueKind.VALUE, bytes("key" + i), new byte[1000]);
    }
    long before = table.memoryUsed();
    assertThat(table.ensureRoomFor(100, 1)).isTrue();
    assertThat(table.memoryUsed() - before).isBetween(bytewise ? filter : 0L, filter + 8L);
    assertThat(table.memoryUsed() == before).isEqualTo(!bytewise);
    for (int i = 0; i < 10; i++) {
      assertThat(get(table, bytes("key" + i), 1000)).isEqualTo(LookupResult.FOUND);
      assertThat(get(table, bytes("key" + i + "x"), 1000)).isEqualTo(LookupResult.NOT_FOUND);
    }
    assertThat(newestTag(table, "other", 1000)).isEqualTo(MemTable.NO_ENTRY);
    table.release();
  }

  @Test
  void arenaBytesFor_manySmallEntries_isEnough() {
    int count = 10_000;
    MemTable table =
        create(DBComparator.bytewise(), (int) MemTable.arenaBytesFor(2 * count, count));
    assertThat(table.ensureRoomFor(2 * count, count)).isTrue();
    table.release();
  }

  /** It would otherwise want a second arena of the same size. */
  @Test
  void ensureRoomFor_exactlyWhatIsLeft_needsNoMemory() {
    OffHeapBudget full = new OffHeapBudget(1 << 14);
    ArenaPool arenas = new ArenaPool(full);
    MemTable table =
        new MemTable(
            new InternalKeyComparator(DBComparator.bytewise()), arenas.acquire(1 << 14), arenas);
    long left = (1 << 14) - table.memoryUsed() - OffHeapSkipList.MAX_NODE_OVERHEAD;
    assertThat(table.ensureRoomFor(left + 1, 1)).isFalse();
    assertThat(table.ensureRoomFor(left, 1)).isTrue();
    table.release();
  }

  /** Two writes with one sequence number would be a bug of the commit. */
  @Test
  void add_ofASequenceNumberTwice_isAnError() {
    MemTable table = create(DBComparator.bytewise(), 1 << 16);
    add(table, 1, ValueKind.VALUE, bytes("a"), bytes("1"));
    assertThatThrownBy(() -> add(table, 1, ValueKind.VALUE, bytes("a"), bytes("2")))
        .isInstanceOf(AssertionError.class)
        .hasMessageContaining("same sequence number");
    add(table, 2, ValueKind.VALUE, bytes("b"), bytes("1"));
    assertThatThrownBy(() -> add(table, 1, ValueKind.VALUE, bytes("a"), bytes("2")))
        .isInstanceOf(AssertionError.class);
    add(table, 1, ValueKind.VALUE, bytes("aa"), bytes("1"));
    assertThat(table.entryCount()).isEqualTo(3);
    table.release();
  }
}
