package dev.kv.core.read;

import static dev.kv.core.Bytes.bytes;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.kv.DB;
import dev.kv.DBIterator;
import dev.kv.ReadOptions;
import dev.kv.Snapshot;
import dev.kv.admin.DBStats;
import dev.kv.bytes.DBComparator;
import dev.kv.bytes.PinnedValue;
import dev.kv.bytes.Slice;
import dev.kv.core.key.KeyBounds;
import dev.kv.core.key.UserKeyComparator;
import dev.kv.core.memory.OffHeapBudget;
import dev.kv.errors.DBClosedException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Consumer;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** The kinds of reads over memtables and tables: what they return, refuse, count and give back. */
final class ReadCallsTest {
  private static final ReadOptions DESCENDING = ReadOptions.builder().descending(true).build();

  private final UserKeyComparator order = new UserKeyComparator(DBComparator.bytewise());
  private final AtomicInteger wanted = new AtomicInteger();
  private final TestTree tree = new TestTree(wanted::incrementAndGet);
  private boolean closed;

  @AfterEach
  void everythingIsGivenBack() {
    if (!closed) {
      tree.close();
    }
    assertThat(tree.allocator.liveBuffers()).isZero();
    assertThat(tree.arenas.liveArenas()).isZero();
    assertThat(tree.budget.used()).isZero();
  }

  private void put(String key, String value) {
    tree.put(bytes(key), bytes(value));
  }

  private static String text(byte[] value) {
    return value == null ? null : new String(value, StandardCharsets.UTF_8);
  }

  /**
   * Makes keys a to f: in level 1, level 0, and the memtable, with overwritten and deleted ones.
   */
  private void fill() {
    put("a", "1");
    put("b", "1");
    put("c", "1");
    put("d", "1");
    tree.toLevel(1, 1);
    put("b", "2");
    put("e", "2");
    tree.toLevel(0, 1);
    put("c", "3");
    put("f", "3");
    tree.delete(bytes("d"));
    tree.toMemtable();
  }

  @Test
  void getAll_inAnyOrder_givesTheValuesInTheOrderOfTheKeys() {
    fill();
    List<List<String>> orders =
        List.of(
            List.of(),
            List.of("a"),
            List.of("a", "b", "c", "d", "e", "f", "g"),
            List.of("g", "f", "e", "d", "c", "b", "a"),
            List.of("c", "a", "c", "b", "b", "z", "e"));
    for (List<String> keys : orders) {
      List<byte[]> asked = keys.stream().map(key -> bytes(key)).toList();
      List<String> expected = new ArrayList<>();
      keys.forEach(key -> expected.add(text(tree.reader.get(ReadOptions.DEFAULT, bytes(key)))));
      List<String> found = new ArrayList<>();
      tree.reader.getAll(ReadOptions.DEFAULT, asked).forEach(value -> found.add(text(value)));
      assertThat(found).isEqualTo(expected);
    }
    assertThat(text(tree.reader.get(ReadOptions.DEFAULT, bytes("c")))).isEqualTo("3");
    assertThatThrownBy(() -> tree.reader.getAll(ReadOptions.DEFAULT, List.of(bytes("a"))).add(null))
        .isInstanceOf(UnsupportedOperationException.class);
    List<byte[]> withNull = new ArrayList<>();
    withNull.add(null);
    assertThatThrownBy(() -> tree.reader.getAll(ReadOptions.DEFAULT, withNull))
        .isInstanceOf(NullPointerException.class);
  }

  @Test
  void getAll_atASnapshot_seesWhatWasThere() {
    put("a", "1");
    tree.toLevel(1, 1);
    try (Snapshot snapshot = tree.snapshotAt(tree.last())) {
      assertThat(snapshot).hasToString("Snapshot[1]");
      put("a", "2");
      tree.toMemtable();
      assertThat(text(tree.reader.getAll(ReadOptions.at(snapshot), List.of(bytes("a"))).get(0)))
          .isEqualTo("1");
    }
  }

  @Test
  void pinned_inMemtableAndTables_staysAfterTheCloseOfTheReader() {
    fill();
    assertThat(tree.reader.pinned(ReadOptions.DEFAULT, ByteBuffer.wrap(bytes("d")))).isNull();
    List<PinnedValue> held = new ArrayList<>();
    for (String key : List.of("a", "b", "c")) {
      ByteBuffer asked = ByteBuffer.wrap(bytes("x" + key), 1, 1);
      held.add(tree.reader.pinned(ReadOptions.DEFAULT, asked));
      assertThat(asked.position()).isEqualTo(1);
    }
    tree.reader.close();
    assertThat(held.stream().map(value -> value.slice().toUtf8String()).toList())
        .containsExactly("1", "2", "3");
    held.forEach(PinnedValue::close);
  }

  @Test
  void pinned_value_showsItsBytesUntilItsClose() {
    fill();
    for (String key : List.of("a", "c")) {
      PinnedValue value = tree.reader.pinned(ReadOptions.DEFAULT, ByteBuffer.wrap(bytes(key)));
      Slice slice = value.slice();
      ByteBuffer buffer = value.buffer();
      assertThat(value.length()).isEqualTo(1);
      assertThat(buffer.remaining()).isEqualTo(1);
      assertThat(buffer.get(buffer.position())).isEqualTo((byte) (key.equals("a") ? '1' : '3'));
      assertThat(value).hasToString("PinnedValue[1 bytes]");
      value.close();
      assertThatThrownBy(value::slice).isInstanceOf(IllegalStateException.class);
      assertThatThrownBy(value::buffer).isInstanceOf(IllegalStateException.class);
      assertThatThrownBy(slice::length).isInstanceOf(IllegalStateException.class);
      assertThat(value).hasToString("PinnedValue[1 bytes, closed]");
      value.close();
    }
  }

  @Test
  void lookups_withOptionsOfScans_areRefused() {
    put("a", "1");
    tree.toMemtable();
    ByteBuffer key = ByteBuffer.wrap(bytes("a"));
    List<Runnable> lookups =
        List.of(
            () -> tree.reader.get(DESCENDING, bytes("a")),
            () -> tree.reader.get(DESCENDING, key, ByteBuffer.allocate(9)),
            () -> tree.reader.read(DESCENDING, bytes("a"), value -> "no"),
            () -> tree.reader.pinned(DESCENDING, key),
            () -> tree.reader.getAll(DESCENDING, List.of(bytes("a"))),
            () -> tree.reader.iterator(DESCENDING));
    for (Runnable lookup : lookups) {
      assertThatThrownBy(lookup::run).isInstanceOf(IllegalArgumentException.class);
    }
    assertThat(tree.reader.openIterators()).isZero();
  }

  @Test
  void forEach_descending_visitsTheLastKeyFirst() {
    fill();
    List<String> keys = new ArrayList<>();
    tree.reader.forEach(DESCENDING, (key, value) -> keys.add(key.toUtf8String()));
    assertThat(keys).isNotEmpty().isSortedAccordingTo(Comparator.reverseOrder());
    assertThat(tree.reader.openIterators()).isZero();
  }

  @Test
  void lookups_ofKeysOnly_findEmptyValues() {
    fill();
    for (String key : List.of("a", "b", "c")) {
      assertThat(tree.reader.get(ReadOptions.KEYS, bytes(key))).isEmpty();
    }
    assertThat(tree.reader.get(ReadOptions.KEYS, bytes("d"))).isNull();
    assertThat(
            tree.reader.get(ReadOptions.KEYS, ByteBuffer.wrap(bytes("d")), ByteBuffer.allocate(10)))
        .isEqualTo(DB.NOT_FOUND);
  }

  @Test
  void containsKey_ofEachPlace_isTrueForKeysThatExist() {
    fill();
    for (String key : List.of("a", "b", "c")) {
      assertThat(tree.reader.containsKey(bytes(key))).isTrue();
      assertThat(tree.reader.containsKey(ReadOptions.KEYS, bytes(key))).isTrue();
    }
    assertThat(tree.reader.containsKey(bytes("d"))).isFalse();
    assertThat(tree.reader.containsKey(ReadOptions.KEYS, bytes("d"))).isFalse();
  }

  @Test
  void lookups_areCountedByTheirPlace() {
    fill();
    tree.reader.get(ReadOptions.DEFAULT, bytes("f"));
    tree.reader.get(ReadOptions.DEFAULT, bytes("d"));
    tree.reader.get(ReadOptions.DEFAULT, bytes("e"));
    tree.reader.get(ReadOptions.DEFAULT, bytes("a"));
    tree.reader.get(ReadOptions.DEFAULT, bytes("zz"));
    tree.reader.iterator(ReadOptions.DEFAULT).close();
    DBStats.Reads reads = tree.reader.reads();
    assertThat(reads.memtables()).isEqualTo(2);
    assertThat(reads.levels().subList(0, 3)).containsExactly(1L, 1L, 0L);
    assertThat(reads.notFound()).isEqualTo(1);
    assertThat(reads.iterators()).isEqualTo(1);
    assertThat(tree.reader.database()).isEqualTo("tree");
    tree.close();
    closed = true;
    assertThat(tree.reader.reads().memtables()).as("of contexts that are closed").isEqualTo(2);
  }

  @Test
  void forEach_visitsTheRange_andItsExceptionEndsIt() {
    fill();
    StringBuilder seen = new StringBuilder();
    tree.reader.forEach(
        ReadOptions.DEFAULT,
        (key, value) -> seen.append(key.toUtf8String()).append(value.toUtf8String()));
    assertThat(seen).hasToString("a1b2c3e2f3");
    IllegalMonitorStateException own = new IllegalMonitorStateException();
    assertThatThrownBy(
            () ->
                tree.reader.forEach(
                    ReadOptions.DEFAULT,
                    (key, value) -> {
                      throw own;
                    }))
        .isSameAs(own);
    assertThat(tree.reader.openIterators()).isZero();
    assertThatThrownBy(
            () -> tree.reader.forEach(ReadOptions.DEFAULT, (key, value) -> tree.reader.close()))
        .isInstanceOf(DBClosedException.class);
    assertThat(tree.reader.openIterators()).isZero();
  }

  /** A scan of one table passes each block at a time, and must decide as the steps do. */
  @Test
  void forEach_overOneTable_passesWhatStepsShow() {
    for (int i = 0; i < 400; i++) {
      String key = String.format(Locale.ROOT, "key%04d", i);
      for (int version = 0; version < 1 + i % 4; version++) {
        put(key, "value" + i + "-" + version);
      }
      if (i % 5 == 0) {
        tree.delete(bytes(key));
      }
    }
    long middle = tree.last() - 300;
    tree.toLevel(1, 1);
    try (Snapshot snapshot = tree.snapshotAt(middle)) {
      ReadOptions bounded =
          ReadOptions.builder()
              .lowerBound(bytes("key0101"))
              .upperBound(bytes("key0222"))
              .snapshot(snapshot)
              .build();
      List<ReadOptions> all =
          List.of(
              ReadOptions.DEFAULT,
              ReadOptions.KEYS,
              ReadOptions.at(snapshot),
              bounded,
              ReadOptions.withPrefix(bytes("key01")));
      for (ReadOptions options : all) {
        List<String> steps = new ArrayList<>();
        try (DBIterator cursor = tree.reader.iterator(options)) {
          for (cursor.seekToFirst(); cursor.isValid(); cursor.next()) {
            steps.add(text(cursor.key()) + "=" + text(cursor.value()));
          }
        }
        List<String> passed = new ArrayList<>();
        tree.reader.forEach(
            options, (key, value) -> passed.add(key.toUtf8String() + "=" + value.toUtf8String()));
        assertThat(passed).as("%s", options).isEqualTo(steps).isNotEmpty();
      }
    }
    int[] count = new int[1];
    assertThatThrownBy(
            () ->
                tree.reader.forEach(
                    ReadOptions.DEFAULT,
                    (key, value) -> {
                      if (++count[0] == 7) {
                        throw new IllegalMonitorStateException();
                      }
                    }))
        .isInstanceOf(IllegalMonitorStateException.class);
    count[0] = 0;
    assertThatThrownBy(
            () ->
                tree.reader.forEach(
                    ReadOptions.DEFAULT,
                    (key, value) -> {
                      if (++count[0] == 7) {
                        tree.reader.close();
                      }
                    }))
        .isInstanceOf(DBClosedException.class);
    assertThat(count[0]).as("a close ends the scan at the next entry").isEqualTo(7);
  }

  @Test
  void state_tellsWhetherItsMemTablesHoldARange() {
    fill();
    put("m", "4");
    tree.toMemtable();
    ReadState state = tree.states.acquire(0);
    try {
      record Case(String from, String to, boolean holds) {}
      List<Case> cases =
          List.of(
              new Case(null, null, true),
              new Case("a", "c", false),
              new Case("a", "d", true),
              new Case("d", "e", true),
              new Case("g", "m", false),
              new Case("g", "n", true),
              new Case("n", null, false));
      for (Case each : cases) {
        KeyBounds keys =
            KeyBounds.of(
                each.from() == null ? null : bytes(each.from()),
                each.to() == null ? null : bytes(each.to()),
                order);
        assertThat(state.memTablesHold(keys)).as("%s", each).isEqualTo(each.holds());
      }
    } finally {
      state.unpin(0);
    }
  }

  @Test
  void oldestIterators_areAtMostThoseThatAreAskedFor() {
    put("a", "1");
    tree.toMemtable();
    DBIterator one = tree.reader.iterator(ReadOptions.DEFAULT);
    DBIterator two = tree.reader.iterator(ReadOptions.DEFAULT);
    List<DBStats.OpenIterator> both = tree.reader.oldestIterators(9);
    assertThat(both).hasSize(2).doesNotContainNull();
    assertThat(both.get(0).ageMicros()).isGreaterThanOrEqualTo(both.get(1).ageMicros());
    assertThat(both.get(1).ageMicros()).isBetween(0L, 60_000_000L);
    assertThat(tree.reader.oldestIterators(1)).hasSize(1);
    one.close();
    assertThat(tree.reader.oldestIterators(9)).hasSize(1);
    two.close();
  }

  @Test
  void memTablesSince_aMark_findTheNewestOfAllLaterOnes() {
    fill();
    ReadMark mark = tree.reader.mark();
    put("a", "now");
    tree.toMemtable();
    tree.delete(bytes("b"));
    put("c", "now");
    tree.toMemtable();
    put("c", "later");
    tree.toMemtable();
    tree.reader.withMemTablesSince(
        mark,
        recent -> {
          assertThat(recent.pin()).isTrue();
          long last = tree.last();
          Map<String, Long> newest = Map.of("a", last - 3, "b", last - 2, "c", last);
          newest.forEach(
              (key, sequence) -> {
                assertThat(recent.hasNewer(bytes(key), sequence - 1)).as(key).isTrue();
                assertThat(recent.hasNewer(bytes(key), sequence)).as(key).isFalse();
              });
          assertThat(recent.hasNewer(bytes("f"), 0)).as("older").isFalse();
          return 0;
        });
  }

  /** The view gives back a value and memtables that its owner did not. */
  @Test
  void commitView_closedInTheMiddle_givesBackWhatItPinned() {
    fill();
    ValidationView view = tree.reader.validationView();
    assertThat(view.find(bytes("a"))).isTrue();
    assertThat(text(view.value().copy())).isEqualTo("1");
    assertThat(view.recent().pin()).isTrue();
    view.close();
  }

  @Test
  void seeks_ofEachKind_placeTheIteratorAndEndTheirMove() {
    fill();
    List<Consumer<DBIterator>> seeks =
        List.of(
            DBIterator::seekToFirst,
            DBIterator::seekToLast,
            cursor -> cursor.seek(bytes("b")),
            cursor -> cursor.seek(ByteBuffer.wrap(bytes("b"))),
            cursor -> cursor.seekForPrev(bytes("b")),
            cursor -> cursor.seekForPrev(ByteBuffer.wrap(bytes("b"))));
    List<String> reached = List.of("a", "f", "b", "b", "b", "b");
    for (int i = 0; i < seeks.size(); i++) {
      try (DBIterator cursor = tree.reader.iterator(ReadOptions.DEFAULT)) {
        assertThat(cursor.isPlaced()).isFalse();
        assertThatThrownBy(cursor::isValid).hasMessageContaining("no position yet");
        for (int round = 0; round < 3; round++) {
          seeks.get(i).accept(cursor);
          assertThat(cursor.isPlaced()).isTrue();
          assertThat(cursor.isValid()).isTrue();
          assertThat(text(cursor.key())).isEqualTo(reached.get(i));
        }
      }
      ReadOptions nothing =
          ReadOptions.builder().lowerBound(bytes("x")).upperBound(bytes("y")).build();
      try (DBIterator cursor = tree.reader.iterator(nothing)) {
        seeks.get(i).accept(cursor);
        assertThat(cursor.isValid()).isFalse();
        seeks.get((i + 1) % seeks.size()).accept(cursor);
        assertThat(cursor.isValid()).isFalse();
      }
    }
    try (DBIterator cursor = tree.reader.iterator(ReadOptions.DEFAULT)) {
      assertThatThrownBy(() -> cursor.seek((byte[]) null)).isInstanceOf(NullPointerException.class);
      assertThatThrownBy(() -> cursor.seek((ByteBuffer) null))
          .isInstanceOf(NullPointerException.class);
      assertThatThrownBy(() -> cursor.seekForPrev((byte[]) null))
          .isInstanceOf(NullPointerException.class);
      assertThatThrownBy(() -> cursor.seekForPrev((ByteBuffer) null))
          .isInstanceOf(NullPointerException.class);
      assertThatThrownBy(cursor::isValid)
          .as("a null changes nothing")
          .hasMessageContaining("no position yet");
    }
  }

  @Test
  void steps_ofAnIterator_endTheirMove() {
    fill();
    try (DBIterator cursor = tree.reader.iterator(ReadOptions.DEFAULT)) {
      cursor.seekToFirst();
      cursor.next();
      cursor.next();
      assertThat(text(cursor.key())).isEqualTo("c");
      cursor.prev();
      cursor.prev();
      cursor.next();
      assertThat(text(cursor.key()) + text(cursor.value())).isEqualTo("b2");
    }
  }

  @Test
  void iterator_onAnEntryWhenItIsClosed_givesNothingOfIt() {
    fill();
    for (boolean ofTheReader : new boolean[] {false, true}) {
      DBIterator cursor = tree.reader.iterator(ReadOptions.DEFAULT);
      cursor.seekToFirst();
      if (ofTheReader) {
        tree.reader.close();
      } else {
        cursor.close();
      }
      List<Runnable> uses =
          List.of(
              cursor::isValid,
              cursor::isPlaced,
              cursor::key,
              cursor::value,
              cursor::keySlice,
              cursor::valueSlice,
              cursor::next,
              cursor::prev,
              cursor::seekToFirst,
              cursor::seekToLast,
              () -> cursor.seek(bytes("a")),
              () -> cursor.seek(ByteBuffer.wrap(bytes("a"))),
              () -> cursor.seekForPrev(bytes("a")),
              () -> cursor.seekForPrev(ByteBuffer.wrap(bytes("a"))));
      for (Runnable use : uses) {
        assertThatThrownBy(use::run)
            .isInstanceOf(ofTheReader ? DBClosedException.class : IllegalStateException.class);
      }
    }
  }

  @Test
  void commitView_seesItsBaseAndLaterMemTables() {
    fill();
    long before = tree.last();
    try (ValidationView view = tree.reader.validationView()) {
      ReadMark mark = tree.reader.mark();
      assertThat(view.sinceSequence()).isEqualTo(before);
      assertThat(view.isChangedOutsideLogSince(mark)).isFalse();
      for (String key : List.of("a", "b", "c")) {
        assertThat(view.find(bytes(key))).as(key).isTrue();
        view.releaseValue();
      }
      assertThat(view.find(bytes("d"))).isFalse();
      assertThat(view.find(bytes("x"))).isFalse();
      // Sequence numbers: a=1 b=2 c=3 d=4, b=5 e=6, c=7 f=8 d=9.
      long[] newest = {1, 5, 7, 9, 6, 8};
      for (int i = 0; i < newest.length; i++) {
        byte[] key = {(byte) ('a' + i)};
        assertThat(view.hasNewer(key, newest[i] - 1)).as("%c", 'a' + i).isTrue();
        assertThat(view.hasNewer(key, newest[i])).as("%c", 'a' + i).isFalse();
      }
      assertThat(view.hasNewer(bytes("x"), 0)).isFalse();
      assertThat(text(view.firstNewer(range("b", "e", true), 5))).isEqualTo("c");
      assertThat(text(view.firstNewer(range(null, null, false), 8))).isEqualTo("d");
      assertThat(text(view.firstNewer(range("e", "f", true), 7))).isEqualTo("f");
      assertThat(view.firstNewer(range("e", "f", false), 7)).isNull();
      assertThat(view.firstNewer(range("e", null, false), 8)).isNull();

      put("g", "4");
      put("a", "4");
      tree.toMemtable();
      RecentMemTables recent = view.recent();
      assertThat(recent.isChangedOutsideLog()).isFalse();
      assertThat(recent.pin()).isTrue();
      assertThat(recent.hasNewer(bytes("a"), before)).isTrue();
      assertThat(recent.hasNewer(bytes("b"), before)).isFalse();
      assertThat(text(recent.firstNewer(range(null, null, false), before))).isEqualTo("a");
      assertThat(text(recent.firstNewer(range("b", null, false), before))).isEqualTo("g");
      assertThat(recent.firstNewer(range("b", "g", false), before)).isNull();
      recent.unpin();
      recent.unpin();
      assertThatThrownBy(() -> recent.hasNewer(bytes("a"), 0)).isInstanceOf(AssertionError.class);
    }
  }

  @Test
  void withMemTablesSince_givesBackWhatItsUserPinned() {
    fill();
    ReadMark mark = tree.reader.mark();
    put("h", "5");
    tree.toMemtable();
    boolean newer =
        tree.reader.withMemTablesSince(
            mark, recent -> recent.pin() && recent.hasNewer(bytes("h"), 0));
    assertThat(newer).isTrue();
  }

  private static ReadRange range(String low, String high, boolean highIncluded) {
    return new ReadRange(
        low == null ? null : bytes(low), high == null ? null : bytes(high), highIncluded);
  }

  @Test
  void range_containsItsEnds_exceptAnExcludedHigh() {
    record Case(ReadRange range, String inside, String outside) {}
    List<Case> cases =
        List.of(
            new Case(range(null, null, false), "acz", ""),
            new Case(range("b", null, false), "bcz", "a"),
            new Case(range(null, "c", true), "abc", "dz"),
            new Case(range(null, "c", false), "ab", "cdz"),
            new Case(range("b", "d", true), "bcd", "ae"),
            new Case(range("b", "d", false), "bc", "ade"));
    for (Case each : cases) {
      for (char key : each.inside().toCharArray()) {
        assertThat(contains(each.range(), key)).as("%s in %s", key, each).isTrue();
      }
      for (char key : each.outside().toCharArray()) {
        assertThat(contains(each.range(), key)).as("%s in %s", key, each).isFalse();
      }
    }
  }

  private boolean contains(ReadRange range, char key) {
    ByteBuffer buffer =
        ByteBuffer.allocateDirect(16).order(java.nio.ByteOrder.LITTLE_ENDIAN).put(3, (byte) key);
    return range.contains(order, buffer, 3, 1);
  }

  @Test
  void firstDifference_ofTwoViews_isTheFirstKeyThatOneHasOtherwise() {
    put("a", "1");
    put("b", "1");
    put("d", "1");
    tree.toMemtable();
    long before = tree.last();
    try (Snapshot old = tree.snapshotAt(before)) {
      assertThat(difference(old, range(null, null, false))).isNull();
      put("c", "new");
      put("d", "other");
      tree.delete(bytes("b"));
      put("e", "new");
      tree.toMemtable();
      assertThat(difference(old, range(null, null, false))).isEqualTo("b");
      assertThat(difference(old, range("a", "b", false))).isNull();
      assertThat(difference(old, range("a", "b", true))).isEqualTo("b");
      assertThat(difference(old, range("c", null, false))).isEqualTo("c");
      assertThat(difference(old, range("d", "d", true))).isEqualTo("d");
      assertThat(difference(old, range("e", "z", true))).isEqualTo("e");
      assertThat(difference(old, range("f", "z", true))).isNull();
    }
  }

  private String difference(Snapshot old, ReadRange range) {
    try (DBIterator now = tree.reader.iterator(ReadOptions.DEFAULT);
        DBIterator then = tree.reader.iterator(ReadOptions.at(old))) {
      String one = text(range.firstDifference(now, then, order));
      String two = text(range.firstDifference(then, now, order));
      assertThat(one).isEqualTo(two);
      return one;
    }
  }

  @Test
  void context_thatHasGrown_isNotReused() {
    OffHeapBudget budget = new OffHeapBudget(0);
    LookupStats stats = new LookupStats();
    ReadContext context = new ReadContext(budget, stats);
    context.key().set(new byte[(1 << 20) - 100], 1);
    assertThat(context.isReusable()).isTrue();
    context.key().set(new byte[1 << 20], 1);
    assertThat(context.isReusable()).isFalse();
    context.count(0);
    context.close();
    assertThat(budget.used()).isZero();
    try (ReadContext saved = new ReadContext(budget, stats)) {
      saved.saved().setKey(ByteBuffer.allocateDirect(2 << 20), 0, 2 << 20);
      assertThat(saved.isReusable()).isFalse();
    }
    assertThat(budget.used()).isZero();
  }
}
