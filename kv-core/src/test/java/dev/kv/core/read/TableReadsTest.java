package dev.kv.core.read;

import static dev.kv.core.Bytes.bytes;
import static org.assertj.core.api.Assertions.assertThat;

import dev.kv.DBIterator;
import dev.kv.ReadOptions;
import dev.kv.Snapshot;
import dev.kv.core.memory.MemoryKind;
import dev.kv.core.table.block.AllocationMeter;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.NavigableMap;
import java.util.Random;
import java.util.TreeMap;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

final class TableReadsTest {
  private final AtomicInteger wanted = new AtomicInteger();
  private final TestTree tree = new TestTree(wanted::incrementAndGet);

  @AfterEach
  void everythingIsGivenBack() {
    tree.close();
    assertThat(tree.allocator.liveBuffers()).isZero();
    assertThat(tree.arenas.liveArenas()).isZero();
  }

  @Test
  void get_ofAKeyInEveryLevel_findsTheNewest() {
    put("deep", "L2");
    put("all", "L2");
    tree.toLevel(2, 1);
    put("all", "L1");
    put("middle", "L1");
    tree.toLevel(1, 1);
    put("all", "L0 old");
    put("zero", "L0 old");
    tree.toLevel(0, 1);
    put("all", "L0 new");
    put("zero", "L0 new");
    delete("middle");
    tree.toLevel(0, 1);
    assertThat(get("deep")).isEqualTo("L2");
    assertThat(get("middle")).isNull();
    assertThat(get("zero")).isEqualTo("L0 new");
    assertThat(get("all")).isEqualTo("L0 new");
    assertThat(get("nothing")).isNull();
    put("all", "memtable");
    tree.toMemtable();
    assertThat(get("all")).isEqualTo("memtable");
  }

  /** As C++ LevelDB's repair leaves them: tables of every age, under numbers that say nothing. */
  @Test
  void get_levelZeroTablesOutOfOrder_findsTheHighestSequence() {
    putAt(10, "a", "new");
    deleteAt(11, "gone");
    putAt(12, "only", "here");
    tree.toLevel(0, 1);
    putAt(1, "a", "old");
    putAt(2, "gone", "old");
    putAt(3, "z", "old");
    tree.toLevel(0, 1);
    putAt(5, "a", "middle");
    putAt(6, "z", "middle");
    tree.toLevel(0, 1);
    assertThat(tree.version().levelZeroInOrder()).isFalse();
    assertThat(get("a")).isEqualTo("new");
    assertThat(get("gone")).isNull();
    assertThat(get("only")).isEqualTo("here");
    assertThat(get("z")).isEqualTo("middle");
    assertThat(get("b")).isNull();
    try (Snapshot earlier = tree.snapshotAt(7)) {
      assertThat(get(ReadOptions.at(earlier), "a")).isEqualTo("middle");
      assertThat(get(ReadOptions.at(earlier), "only")).isNull();
    }
    try (DBIterator iterator = tree.reader.iterator(ReadOptions.DEFAULT)) {
      iterator.seekToFirst();
      assertThat(iterator.valueSlice().toUtf8String()).isEqualTo("new");
    }
  }

  /**
   * The first and last keys are in the order of the tables' numbers, and what is between is not.
   */
  @Test
  void get_levelZeroTablesOfUnknownAge_findsTheHighestSequence() {
    putAt(10, "a", "a10");
    putAt(100, "m", "new");
    deleteAt(101, "n");
    putAt(11, "z", "z11");
    tree.toLevelZeroOfUnknownAge();
    putAt(20, "a", "a20");
    putAt(50, "m", "old");
    putAt(51, "n", "old");
    putAt(21, "z", "z21");
    tree.toLevelZeroOfUnknownAge();
    assertThat(get("a")).isEqualTo("a20");
    assertThat(get("m")).isEqualTo("new");
    assertThat(get("n")).isNull();
    assertThat(get("z")).isEqualTo("z21");
  }

  /** A flushed memtable is newer than what was there before, whatever that is. */
  @Test
  void get_inAFlushedTableAboveTablesOfUnknownAge_looksIntoNoOther() {
    putAt(10, "a", "10");
    putAt(11, "z", "11");
    tree.toLevelZeroOfUnknownAge();
    putAt(20, "a", "20");
    putAt(21, "z", "21");
    tree.toLevelZeroOfUnknownAge();
    putAt(30, "a", "30");
    putAt(31, "z", "31");
    tree.toLevel(0, 1);
    assertThat(tree.version().levelZeroInOrder()).isFalse();
    assertThat(get("a")).isEqualTo("30");
    assertThat(tree.version().pin(0, 0)).isNotNull();
    assertThat(tree.version().pin(0, 1)).isNull();
    assertThat(tree.version().pin(0, 2)).isNull();
    try (Snapshot earlier = tree.snapshotAt(29)) {
      assertThat(get(ReadOptions.at(earlier), "a")).isEqualTo("20");
      assertThat(tree.version().pin(0, 2)).isNotNull();
    }
  }

  private void putAt(long sequence, String key, String value) {
    tree.putAt(sequence, bytes(key), bytes(value));
  }

  private void deleteAt(long sequence, String key) {
    tree.deleteAt(sequence, bytes(key));
  }

  @Test
  void seeks_inVain_chargeTheFirstTableUntilItIsWornOut() {
    put("a", "deep");
    put("z", "deep");
    tree.toLevel(2, 1);
    put("a", "shallow");
    put("m", "shallow");
    put("z", "shallow");
    tree.toLevel(1, 1);
    for (int i = 0; i < 200; i++) {
      assertThat(get("a")).isEqualTo("shallow");
    }
    assertThat(wanted.get()).isZero();
    for (int i = 0; i < 99; i++) {
      assertThat(get("b")).isNull();
    }
    assertThat(wanted.get()).isZero();
    assertThat(tree.version().seekCandidate()).isNull();
    get("b");
    assertThat(wanted.get()).isEqualTo(1);
    assertThat(tree.version().seekCandidate().level()).isEqualTo(1);
    get("b");
    assertThat(wanted.get()).isEqualTo(1);
  }

  @Test
  void seeks_inVainInLevel0_chargeTheNewestTable() {
    put("a", "1");
    put("z", "1");
    tree.toLevel(0, 1);
    put("a", "2");
    put("z", "2");
    tree.toLevel(0, 1);
    for (int i = 0; i < 100; i++) {
      get("m");
    }
    assertThat(wanted.get()).isEqualTo(1);
    assertThat(tree.version().seekCandidate().level()).isZero();
    assertThat(tree.version().seekCandidate().file()).isSameAs(tree.version().file(0, 0));
  }

  @Test
  void iterators_thatReadMuch_chargeTheFirstOfSeveralTables() {
    byte[] value = new byte[4000];
    fill(500, value);
    tree.toLevel(2, 1);
    fill(500, value);
    tree.toLevel(1, 1);
    int before = tree.version().file(1, 0).allowedSeeks();
    try (DBIterator iterator = tree.reader.iterator(ReadOptions.DEFAULT)) {
      for (int i = 0; i < 3; i++) {
        for (iterator.seekToFirst(); iterator.isValid(); iterator.next()) {}
      }
    }
    assertThat(tree.version().file(1, 0).allowedSeeks()).isBetween(before - 40, before - 3);
    assertThat(tree.version().file(2, 0).allowedSeeks()).isEqualTo(before);
  }

  private void fill(int count, byte[] value) {
    for (int i = 0; i < count; i++) {
      tree.put(bytes(String.format(Locale.ROOT, "key%04d", i)), value);
    }
  }

  @Test
  void close_ofTheReader_releasesTablesUnderOpenIterators() {
    fill(500, new byte[100]);
    tree.toLevel(1, 4);
    DBIterator iterator = tree.reader.iterator(ReadOptions.DEFAULT);
    iterator.seekToFirst();
    DBIterator other = tree.reader.iterator(ReadOptions.DEFAULT);
    other.seekToLast();
    tree.reader.close();
    iterator.close();
  }

  @Test
  void close_ofIteratorsByAnotherThread_givesTheirMemoryBack() throws InterruptedException {
    fill(500, new byte[100]);
    tree.toLevel(1, 4);
    openAndClose(1);
    long before = tree.budget.used(MemoryKind.WRITE_BUFFER);
    openAndClose(100);
    assertThat(tree.budget.used(MemoryKind.WRITE_BUFFER)).isLessThanOrEqualTo(before + 10_000);
  }

  private void openAndClose(int count) throws InterruptedException {
    for (int i = 0; i < count; i++) {
      DBIterator iterator = tree.reader.iterator(ReadOptions.DEFAULT);
      iterator.seekToLast();
      Thread closer = new Thread(iterator::close);
      closer.start();
      closer.join();
    }
  }

  @Test
  void reads_ofTables_allocateNothing() {
    fill(2000, new byte[100]);
    tree.toLevel(2, 3);
    for (int i = 0; i < 2000; i += 10) {
      put(String.format(Locale.ROOT, "key%04d", i), "newer");
    }
    tree.toLevel(0, 1);
    ByteBuffer key = ByteBuffer.allocateDirect(7).put(0, bytes("key0500"));
    ByteBuffer into = ByteBuffer.allocateDirect(200);
    assertThat(
            AllocationMeter.bytes(
                () -> {
                  for (int i = 0; i < 1000; i++) {
                    key.put(6, (byte) ('0' + i % 10));
                    tree.reader.get(ReadOptions.DEFAULT, key, into.clear());
                  }
                }))
        .as("bytes for 1000 gets")
        .isLessThan(1000);
    try (DBIterator iterator = tree.reader.iterator(ReadOptions.DEFAULT)) {
      assertThat(AllocationMeter.bytes(() -> walk(iterator)))
          .as("bytes for 4000 steps")
          .isLessThan(4000);
    }
  }

  private static void walk(DBIterator iterator) {
    long sum = 0;
    for (iterator.seekToFirst(); iterator.isValid(); iterator.next()) {
      sum += iterator.keySlice().length() + iterator.valueSlice().length();
    }
    for (iterator.seekToLast(); iterator.isValid(); iterator.prev()) {
      sum -= iterator.keySlice().length() + iterator.valueSlice().length();
    }
    if (sum != 0) {
      throw new AssertionError("forward and backward differ by " + sum);
    }
  }

  @ParameterizedTest
  @ValueSource(ints = {1, 2, 3})
  void reads_ofARandomTree_agreeWithTheModel(int seed) {
    Random random = new Random(seed);
    List<Snapshot> snapshots = new ArrayList<>();
    List<NavigableMap<String, String>> models = new ArrayList<>();
    NavigableMap<String, String> model = new TreeMap<>();
    int[] places = {3, 2, 1, 0, 0, 0, -1, -1};
    for (int place : places) {
      for (int i = 0; i < 300; i++) {
        String key = key(random);
        if (random.nextInt(4) == 0) {
          tree.delete(bytes(key));
          model.remove(key);
        } else {
          String value = "value " + place + " " + i;
          put(key, value);
          model.put(key, value);
        }
        if (random.nextInt(150) == 0) {
          snapshots.add(tree.snapshots.acquire(null));
          models.add(new TreeMap<>(model));
        }
      }
      if (place < 0) {
        tree.toMemtable();
      } else {
        tree.toLevel(place, place == 0 ? 1 : 4);
      }
    }
    check(ReadOptions.DEFAULT, model, random, "seed " + seed);
    for (int i = 0; i < snapshots.size(); i++) {
      ReadOptions options = ReadOptions.at(snapshots.get(i));
      check(options, models.get(i), random, "seed " + seed + " snapshot " + i);
      snapshots.get(i).close();
    }
  }

  private static String key(Random random) {
    int number = random.nextInt(200);
    return number % 7 + "key" + number;
  }

  private void check(
      ReadOptions options, NavigableMap<String, String> model, Random random, String context) {
    for (int i = 0; i < 200; i++) {
      String key = key(random);
      byte[] value = tree.reader.get(options, bytes(key));
      assertThat(value == null ? null : text(value)).as(context).isEqualTo(model.get(key));
    }
    try (DBIterator iterator = tree.reader.iterator(options)) {
      List<String> forward = new ArrayList<>();
      for (iterator.seekToFirst(); iterator.isValid(); iterator.next()) {
        forward.add(text(iterator.key()));
      }
      assertThat(forward).as(context).containsExactlyElementsOf(model.keySet());
      walk(iterator);
      moveAtRandom(iterator, model, random, context);
    }
  }

  private static void moveAtRandom(
      DBIterator iterator, NavigableMap<String, String> model, Random random, String context) {
    Map.Entry<String, String> at = null;
    StringBuilder trace = new StringBuilder(context);
    for (int step = 0; step < 200; step++) {
      String target = key(random);
      switch (at == null ? random.nextInt(4) : random.nextInt(16)) {
        case 0 -> {
          trace.append(" first");
          iterator.seekToFirst();
          at = model.firstEntry();
        }
        case 1 -> {
          trace.append(" last");
          iterator.seekToLast();
          at = model.lastEntry();
        }
        case 2 -> {
          trace.append(" seek ").append(target);
          iterator.seek(bytes(target));
          at = model.ceilingEntry(target);
        }
        case 3 -> {
          trace.append(" seekForPrev ").append(target);
          iterator.seekForPrev(bytes(target));
          at = model.floorEntry(target);
        }
        case 4, 5, 6, 7, 8, 9 -> {
          trace.append(" next");
          iterator.next();
          at = model.higherEntry(at.getKey());
        }
        default -> {
          trace.append(" prev");
          iterator.prev();
          at = model.lowerEntry(at.getKey());
        }
      }
      assertThat(iterator.isValid()).as(trace.toString()).isEqualTo(at != null);
      if (at != null) {
        assertThat(text(iterator.key())).as(trace.toString()).isEqualTo(at.getKey());
        assertThat(text(iterator.value())).as(trace.toString()).isEqualTo(at.getValue());
      }
    }
  }

  private void put(String key, String value) {
    tree.put(bytes(key), bytes(value));
  }

  private void delete(String key) {
    tree.delete(bytes(key));
  }

  private String get(String key) {
    return get(ReadOptions.DEFAULT, key);
  }

  private String get(ReadOptions options, String key) {
    byte[] value = tree.reader.get(options, bytes(key));
    return value == null ? null : text(value);
  }

  private static String text(byte[] bytes) {
    return new String(bytes, StandardCharsets.UTF_8);
  }
}
