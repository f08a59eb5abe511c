package dev.kv.map;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.entry;

import dev.kv.DB;
import dev.kv.Options;
import dev.kv.Snapshot;
import dev.kv.Transaction;
import dev.kv.WriteBatch;
import dev.kv.WriteOptions;
import dev.kv.bytes.DBComparator;
import dev.kv.bytes.Slice;
import dev.kv.env.Env;
import dev.kv.errors.ConflictException;
import dev.kv.errors.DBClosedException;
import dev.kv.space.Space;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.Iterator;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.NavigableMap;
import java.util.NoSuchElementException;
import java.util.Random;
import java.util.Set;
import java.util.Spliterator;
import java.util.TreeMap;
import java.util.concurrent.ConcurrentNavigableMap;
import java.util.concurrent.ConcurrentSkipListMap;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Function;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class DBMapTest {
  private final Options inMemory =
      Options.builder().createIfMissing(true).env(Env.inMemory()).build();

  private DB db;
  private DBMap<String, Long> map;

  @BeforeEach
  void open() {
    db = DB.open(Path.of("map"), inMemory);
    map = DBMap.of(db, Codecs.utf8(), Codecs.longs());
  }

  @AfterEach
  void close() {
    db.close();
  }

  @Test
  void map_anyDatabase_showsItsEntries() {
    db.put("b".getBytes(), Codecs.longs().encode(2L));
    map.put("a", 1L);
    assertThat(map).containsExactly(entry("a", 1L), entry("b", 2L));
    assertThat(db.get("a".getBytes())).isEqualTo(Codecs.longs().encode(1L));
  }

  @Test
  void map_afterAReopen_isTheSame() {
    map.putAll(Map.of("a", 1L, "b", 2L));
    db.close();
    open();
    assertThat(map).containsExactly(entry("a", 1L), entry("b", 2L));
  }

  @Test
  void comparator_isThatOfTheCodec() {
    String beyond = "\ud83d\ude00";
    String last = "\uffee";
    map.putAll(Map.of(beyond, 2L, last, 1L));
    assertThat(map.keySet()).containsExactly(last, beyond);
    assertThat(new ConcurrentSkipListMap<>(map)).isEqualTo(map);
    assertThat(new ConcurrentSkipListMap<>(map).keySet()).containsExactly(last, beyond);
    assertThat(map.descendingMap().comparator().compare(last, beyond)).isPositive();
  }

  @Test
  void set_newAndExisting_needsNoRead() {
    map.set("a", 1L);
    map.set("a", 2L);
    map.set("b", 3L);
    map.delete("b");
    map.delete("c");
    assertThat(map).containsExactly(entry("a", 2L));
  }

  @Test
  void batch_overTwoMaps_isOneWrite() {
    Space first = Space.of(db, "first/");
    Space second = Space.of(db, "second/");
    DBMap<String, Long> numbers = DBMap.of(first, Codecs.utf8(), Codecs.longs());
    DBMap<Long, String> names = DBMap.of(second, Codecs.longs(), Codecs.utf8());
    names.put(0L, "zero");
    long before = db.admin().stats().writes().lastSequence();
    WriteBatch batch = WriteBatch.create();
    numbers.set(first.within(batch), "one", 1L);
    names.set(second.within(batch), 1L, "one");
    names.delete(second.within(batch), 0L);
    assertThat(db.admin().stats().writes().lastSequence()).isEqualTo(before);
    db.write(batch);
    assertThat(db.admin().stats().writes().lastSequence()).isEqualTo(before + 3);
    assertThat(numbers).containsExactly(entry("one", 1L));
    assertThat(names).containsExactly(entry(1L, "one"));
  }

  @Test
  void transaction_overTwoMaps_readsAndWritesBoth() {
    Space first = Space.of(db, "first/");
    Space second = Space.of(db, "second/");
    DBMap<String, Long> from = DBMap.of(first, Codecs.utf8(), Codecs.longs());
    DBMap<String, Long> to = DBMap.of(second, Codecs.utf8(), Codecs.longs());
    from.put("a", 10L);
    from.put("gone", 1L);
    try (Transaction transaction = db.transaction()) {
      Transaction inFirst = first.within(transaction);
      Transaction inSecond = second.within(transaction);
      assertThat(from.getForUpdate(inFirst, "a")).isEqualTo(10);
      assertThat(to.get(inSecond, "a")).isNull();
      from.set(inFirst, "a", 3L);
      from.delete(inFirst, "gone");
      to.set(inSecond, "a", 7L);
      assertThat(to.get(inSecond, "a")).isEqualTo(7);
      assertThat(to.headMap("a").get(inSecond, "a")).isNull();
      assertThatThrownBy(() -> to.headMap("a").set(inSecond, "a", 1L))
          .isInstanceOf(IllegalArgumentException.class);
      assertThat(from).hasSize(2);
      assertThat(to).isEmpty();
      transaction.commit();
    }
    assertThat(from).containsExactly(entry("a", 3L));
    assertThat(to).containsExactly(entry("a", 7L));
  }

  /** It compiles, as Map.remove(Object, Object). */
  @Test
  void remove_inATransactionOrBatch_saysWhatToCall() {
    try (Transaction transaction = db.transaction()) {
      for (Object within : List.of(transaction, WriteBatch.create())) {
        assertThatThrownBy(() -> map.remove(within, "a"))
            .isInstanceOf(IllegalArgumentException.class)
            .hasMessageContaining("delete(transaction, key)");
      }
    }
  }

  @Test
  void transaction_valueReadForUpdateAndChangedMeanwhile_isRefused() {
    map.put("a", 1L);
    try (Transaction transaction = db.transaction()) {
      map.set(transaction, "b", map.getForUpdate(transaction, "a"));
      map.put("a", 2L);
      assertThatThrownBy(transaction::commit).isInstanceOf(ConflictException.class);
    }
    assertThat(map).containsExactly(entry("a", 2L));
  }

  @Test
  void putAll_anyMap_isOneWrite() {
    long before = db.admin().stats().writes().lastSequence();
    map.putAll(Map.of("a", 1L, "b", 2L));
    assertThat(db.admin().stats().writes().lastSequence()).isEqualTo(before + 2);
    assertThatThrownBy(() -> map.headMap("c").putAll(new TreeMap<>(Map.of("a", 9L, "d", 9L))))
        .isInstanceOf(IllegalArgumentException.class);
    assertThat(map).containsExactly(entry("a", 1L), entry("b", 2L));
  }

  @Test
  void at_snapshot_showsItAndRefusesWrites() {
    map.putAll(Map.of("a", 1L, "b", 2L));
    try (Snapshot snapshot = db.snapshot()) {
      NavigableMap<String, Long> before = map.at(snapshot);
      map.clear();
      map.put("c", 3L);
      assertThat(before).containsExactly(entry("a", 1L), entry("b", 2L));
      assertThat(before.headMap("b")).containsExactly(entry("a", 1L));
      assertThat(before.computeIfAbsent("a", key -> 9L)).isEqualTo(1);
      List<Runnable> writes =
          List.of(
              () -> before.put("a", 1L),
              () -> before.putAll(Map.of()),
              () -> before.putIfAbsent("x", 1L),
              () -> before.remove("a"),
              () -> before.remove("x"),
              () -> before.remove("a", 2L),
              () -> before.replace("x", 2L),
              () -> before.replace("a", 2L, 3L),
              () -> before.compute("x", (key, old) -> null),
              () -> before.computeIfAbsent("x", key -> 1L),
              () -> before.merge("a", 1L, Long::sum),
              () -> before.clear(),
              () -> before.pollFirstEntry(),
              () -> before.navigableKeySet().pollLast(),
              () -> before.values().removeIf(value -> false));
      for (Runnable write : writes) {
        assertThatThrownBy(write::run)
            .isInstanceOf(UnsupportedOperationException.class)
            .hasMessageContaining("snapshot");
      }
    }
    assertThat(map).containsExactly(entry("c", 3L));
  }

  @Test
  void writing_withSync_writesTheSameMap() {
    DBMap<String, Long> synced = map.headMap("m").writing(WriteOptions.SYNC);
    synced.put("a", 1L);
    synced.merge("a", 2L, Long::sum);
    assertThat(map).containsExactly(entry("a", 3L));
    assertThatThrownBy(() -> synced.put("n", 1L)).isInstanceOf(IllegalArgumentException.class);
  }

  @Test
  void iterator_ofManyEntries_crossesItsChunks() {
    for (int entries : new int[] {15, 16, 17, 48, 5000}) {
      DBMap<Integer, Integer> numbers =
          DBMap.of(Space.of(db, entries + "/"), Codecs.ints(), Codecs.ints());
      List<Integer> wanted = IntStream.range(-entries / 2, entries - entries / 2).boxed().toList();
      wanted.forEach(key -> numbers.set(key, key));
      assertThat(List.copyOf(numbers.keySet())).isEqualTo(wanted);
      assertThat(List.copyOf(numbers.values())).isEqualTo(wanted);
      List<Integer> reversed = new ArrayList<>(wanted);
      java.util.Collections.reverse(reversed);
      assertThat(List.copyOf(numbers.descendingKeySet())).isEqualTo(reversed);
      assertThat(numbers.size()).isEqualTo(entries);
      assertThat(numbers.mappingCount()).isEqualTo(entries);
      numbers.keySet().removeIf(key -> key % 2 != 0);
      assertThat(numbers.keySet())
          .containsExactlyElementsOf(wanted.stream().filter(key -> key % 2 == 0).toList());
      numbers.clear();
      assertThat(numbers).isEmpty();
    }
  }

  @Test
  void iterator_largeValues_holdsOneChunkOfBytes() {
    DBMap<Integer, byte[]> large = DBMap.of(db, Codecs.ints(), Codecs.bytes());
    for (int i = 0; i < 40; i++) {
      large.set(i, new byte[100_000]);
    }
    int count = 0;
    for (byte[] value : large.values()) {
      assertThat(value).hasSize(100_000);
      count++;
    }
    assertThat(count).isEqualTo(40);
  }

  @Test
  void iterator_duringWrites_isWeaklyConsistentAndHoldsNothing() {
    for (int i = 0; i < 100; i++) {
      map.set(String.format(Locale.ROOT, "%03d", i), (long) i);
    }
    Iterator<String> keys = map.keySet().iterator();
    assertThat(keys.next()).isEqualTo("000");
    assertThat(db.admin().stats().views().iterators()).isZero();
    map.tailMap("050").clear();
    map.set("020a", 0L);
    List<String> rest = new ArrayList<>();
    keys.forEachRemaining(rest::add);
    assertThat(rest).startsWith("001").contains("020a").endsWith("049").hasSize(50);
    assertThatThrownBy(keys::next).isInstanceOf(NoSuchElementException.class);
  }

  @Test
  void iterator_remove_deletesTheKeyOnce() {
    map.putAll(Map.of("a", 1L, "b", 2L));
    Iterator<Map.Entry<String, Long>> entries = map.entrySet().iterator();
    assertThatThrownBy(entries::remove).isInstanceOf(IllegalStateException.class);
    entries.next();
    assertThat(entries.hasNext()).isTrue();
    entries.remove();
    assertThatThrownBy(entries::remove).isInstanceOf(IllegalStateException.class);
    assertThat(map).containsExactly(entry("b", 2L));
  }

  @Test
  void iterator_removeAfterAnEntryThatCannotBeDecoded_deletesNothing() {
    map.set("a", 1L);
    db.put("b".getBytes(), new byte[] {1});
    Iterator<Map.Entry<String, Long>> entries = map.entrySet().iterator();
    entries.next();
    assertThatThrownBy(entries::next).isInstanceOf(IllegalArgumentException.class);
    assertThatThrownBy(entries::remove).isInstanceOf(IllegalStateException.class);
    assertThat(db.get("b".getBytes())).isNotNull();
    assertThat(map).containsKey("a");
  }

  @ParameterizedTest
  @ValueSource(ints = {0, 1, 999, 1000, 1001, 3000})
  void clear_anyNumberOfEntries_deletesTheRangeAlone(int entries) {
    DBMap.of(db, Codecs.bytes(), Codecs.longs()).set(new byte[] {(byte) 0x7f}, 0L); // before
    DBMap.of(db, Codecs.bytes(), Codecs.longs()).set(new byte[] {(byte) 0xff}, 0L); // after
    DBMap<Integer, Integer> numbers =
        DBMap.of(Space.of(db, new byte[] {(byte) 0x80}), Codecs.ints(), Codecs.ints());
    for (int i = -1; i <= entries; i++) {
      numbers.set(i, i);
    }
    DBMap<Integer, Integer> middle = numbers.subMap(0, entries);
    assertThat(middle).hasSize(entries);
    middle.clear();
    assertThat(numbers.keySet()).containsExactly(-1, entries);
    middle.clear();
    middle.descendingMap().clear();
    numbers.clear();
    assertThat(numbers).isEmpty();
    assertThat(DBMap.of(db, Codecs.bytes(), Codecs.longs())).hasSize(2);
  }

  @Test
  void removeIf_valueChangedMeanwhile_keepsTheEntry() {
    map.putAll(Map.of("a", 1L, "b", 1L));
    boolean removed =
        map.entrySet()
            .removeIf(
                entry -> {
                  if (entry.getKey().equals("a")) {
                    map.put("a", 2L);
                  }
                  return entry.getValue() == 1L;
                });
    assertThat(removed).isTrue();
    assertThat(map).containsExactly(entry("a", 2L));
  }

  @Test
  void compute_valueChangedMeanwhile_beginsAgain() {
    map.put("a", 1L);
    AtomicInteger calls = new AtomicInteger();
    assertThat(
            map.compute(
                "a",
                (key, old) -> {
                  if (calls.incrementAndGet() == 1) {
                    map.set("a", 10L);
                  }
                  return old + 1;
                }))
        .isEqualTo(11);
    assertThat(calls).hasValue(2);
    assertThat(map.get("a")).isEqualTo(11);
  }

  @Test
  void compute_functionThrows_changesNothing() {
    map.put("a", 1L);
    IllegalStateException thrown = new IllegalStateException("the function's");
    assertThatThrownBy(
            () ->
                map.compute(
                    "a",
                    (key, old) -> {
                      throw thrown;
                    }))
        .isSameAs(thrown);
    assertThat(map).containsExactly(entry("a", 1L));
  }

  @Test
  void changes_ofManyThreads_areNotLost() throws Exception {
    int threads = 4;
    int each = 500;
    ExecutorService executor = Executors.newFixedThreadPool(threads);
    try {
      List<Future<?>> running = new ArrayList<>();
      for (int t = 0; t < threads; t++) {
        running.add(
            executor.submit(
                () -> {
                  for (int i = 0; i < each; i++) {
                    map.merge("merge", 1L, Long::sum);
                    map.compute("compute", (key, old) -> old == null ? 1 : old + 1);
                    Long old;
                    do {
                      old = map.putIfAbsent("replace", 0L);
                    } while (old == null || !map.replace("replace", old, old + 1));
                  }
                }));
      }
      for (Future<?> one : running) {
        one.get();
      }
    } finally {
      executor.shutdownNow();
    }
    assertThat(map).hasSize(3);
    assertThat(map.values()).containsOnly((long) threads * each);
  }

  @Test
  void poll_byManyThreads_returnsEachEntryOnce() throws Exception {
    int entries = 400;
    for (long i = 0; i < entries; i++) {
      map.set("key" + i, i);
    }
    ExecutorService executor = Executors.newFixedThreadPool(3);
    List<Long> polled = java.util.Collections.synchronizedList(new ArrayList<>());
    try {
      List<Future<?>> running = new ArrayList<>();
      for (int t = 0; t < 3; t++) {
        boolean last = t == 0;
        running.add(
            executor.submit(
                () -> {
                  Map.Entry<String, Long> next;
                  while ((next = last ? map.pollLastEntry() : map.pollFirstEntry()) != null) {
                    polled.add(next.getValue());
                  }
                }));
      }
      for (Future<?> one : running) {
        one.get();
      }
    } finally {
      executor.shutdownNow();
    }
    assertThat(polled).hasSize(entries).doesNotHaveDuplicates();
    assertThat(map).isEmpty();
  }

  @Test
  void arraysAsValues_compareByContent() {
    DBMap<String, byte[]> bytes = DBMap.of(db, Codecs.utf8(), Codecs.bytes());
    bytes.put("a", new byte[] {1});
    assertThat(bytes.containsValue(new byte[] {1})).isTrue();
    assertThat(bytes.replace("a", new byte[] {1}, new byte[] {2})).isTrue();
    assertThat(bytes.entrySet().contains(Map.entry("a", new byte[] {2}))).isTrue();
    assertThat(bytes.remove("a", new byte[] {1})).isFalse();
    assertThat(bytes.remove("a", new byte[] {2})).isTrue();
  }

  @Test
  void entry_setValue_isRefused() {
    map.put("a", 1L);
    assertThatThrownBy(() -> map.firstEntry().setValue(2L))
        .isInstanceOf(UnsupportedOperationException.class);
  }

  @Test
  void nulls_anywhere_areRefusedByName() {
    assertThatThrownBy(() -> map.get(null))
        .isInstanceOf(NullPointerException.class)
        .hasMessage("key");
    assertThatThrownBy(() -> map.put("a", null))
        .isInstanceOf(NullPointerException.class)
        .hasMessage("value");
    assertThatThrownBy(() -> DBMap.of(null, Codecs.utf8(), Codecs.longs()))
        .isInstanceOf(NullPointerException.class)
        .hasMessage("db");
    assertThatThrownBy(() -> map.at(null))
        .isInstanceOf(NullPointerException.class)
        .hasMessage("snapshot");
  }

  @Test
  void codec_returningNull_isReported() {
    KeyCodec<String> broken = KeyCodec.of(key -> null, bytes -> null);
    DBMap<String, String> strings = DBMap.of(db, broken, broken);
    assertThatThrownBy(() -> strings.get("a"))
        .isInstanceOf(NullPointerException.class)
        .hasMessage("map of " + db + ": the codec returned null for a key");
    db.put(new byte[] {1}, new byte[] {1});
    assertThatThrownBy(strings::firstKey)
        .isInstanceOf(NullPointerException.class)
        .hasMessage("map of " + db + ": key '\\x01': the codec returned null");
  }

  @Test
  void entriesOfAnotherCodec_failInTheCodec() {
    db.put("a".getBytes(), "text".getBytes());
    String message =
        "map of " + db + ": the value of key 'a': a long has 8 bytes, and this has 4: ";
    List<ThrowingCallable> reads =
        List.of(
            () -> map.get("a"),
            () -> map.put("b", map.put("a", 1L)),
            () -> map.firstEntry(),
            () -> map.values().iterator().next(),
            () -> map.entrySet().iterator().next(),
            () -> map.merge("a", 1L, Long::sum),
            () -> db.transact(transaction -> map.getForUpdate(transaction, "a")));
    for (ThrowingCallable read : reads) {
      db.put("a".getBytes(), "text".getBytes());
      assertThatThrownBy(read)
          .isInstanceOf(IllegalArgumentException.class)
          .hasMessageStartingWith(message)
          .hasCauseInstanceOf(IllegalArgumentException.class);
    }
    DBMap<Long, String> others = DBMap.of(Space.of(db, "n/"), Codecs.longs(), Codecs.utf8());
    db.put("n/\nkey".getBytes(), new byte[0]);
    assertThatThrownBy(others::firstKey)
        .hasMessageStartingWith(
            "map of Space['n/' of " + db + "]: key '\\x0akey': a long has 8 bytes");
    assertThatThrownBy(() -> others.set(1L, "\ud83d"))
        .hasMessageStartingWith("map of Space['n/' of " + db + "]: a value: ");
  }

  @Test
  void key_thatTheCodecRefuses_isNotInTheMap() {
    String half = "\ud800";
    map.set("a", 1L);
    assertThat(new HashMap<>(Map.of(half, 1L)).equals(map)).isFalse();
    assertThat(map.keySet().equals(Set.of(half))).isFalse();
    assertThat(map.entrySet().equals(Set.of(entry(half, 1L)))).isFalse();
    assertThat(map.get(half)).isNull();
    assertThat(map.getOrDefault(half, 2L)).isEqualTo(2);
    assertThat(map.containsKey(half)).isFalse();
    assertThat(map.remove(half)).isNull();
    assertThat(map.remove(half, 1L)).isFalse();
    assertThat(map.keySet().contains(half)).isFalse();
    assertThat(map.keySet().remove(half)).isFalse();
    assertThat(map.entrySet().contains(entry(half, 1L))).isFalse();
    assertThat(map.entrySet().remove(entry(half, 1L))).isFalse();
    assertThat(map).containsExactly(entry("a", 1L));
    NavigableMap<String, Long> reading = DBMap.reading(db, Codecs.utf8(), Codecs.longs());
    assertThat(reading.get(half)).isNull();
    assertThatThrownBy(() -> reading.remove(half))
        .isInstanceOf(UnsupportedOperationException.class);
  }

  @Test
  void key_thatTheCodecRefuses_isNotWritten() {
    String half = "\ud800";
    List<ThrowingCallable> writes =
        List.of(
            () -> map.put(half, 1L),
            () -> map.putIfAbsent(half, 1L),
            () -> map.putAll(Map.of(half, 1L)),
            () -> map.set(half, 1L),
            () -> map.delete(half),
            () -> map.replace(half, 1L),
            () -> map.computeIfAbsent(half, key -> null),
            () -> map.computeIfPresent(half, (key, old) -> null),
            () -> map.compute(half, (key, old) -> null),
            () -> map.merge(half, 1L, Long::sum),
            () -> map.headMap(half),
            () -> map.ceilingKey(half));
    for (ThrowingCallable write : writes) {
      assertThatThrownBy(write)
          .isInstanceOf(IllegalArgumentException.class)
          .hasMessageContaining("surrogate");
    }
  }

  @Test
  void codec_throwingAnything_isNamedWithTheEntry() {
    IllegalStateException failure = new IllegalStateException("not my format");
    Codec<String> strange =
        Codec.of(
            String::getBytes,
            bytes -> {
              throw failure;
            });
    DBMap<String, String> strings = DBMap.of(db, Codecs.utf8(), strange);
    String key = "k".repeat(100);
    strings.set(key, "");
    assertThatThrownBy(() -> strings.get(key))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessage(
            "map of "
                + db
                + ": the value of key '"
                + "k".repeat(64)
                + "... (100 bytes)': not my format")
        .hasCause(failure);
  }

  @Test
  void codec_thatReadsAClosedDatabase_throwsWhatThatThrows() {
    DB other = DB.open(Path.of("other"), inMemory);
    Codec<String> joining = Codec.of(String::getBytes, bytes -> "" + other.get(new byte[0]));
    DBMap<String, String> strings = DBMap.of(db, Codecs.utf8(), joining);
    strings.set("a", "");
    other.close();
    assertThatThrownBy(() -> strings.get("a")).isInstanceOf(DBClosedException.class);
  }

  @Test
  void of_otherComparator_isRefused() {
    Options reversed =
        inMemory.toBuilder()
            .comparator(DBComparator.of("test.Reverse", Comparator.<Slice>reverseOrder()))
            .build();
    try (DB other = DB.open(Path.of("reversed"), reversed)) {
      assertThatThrownBy(() -> DBMap.of(other, Codecs.utf8(), Codecs.longs()))
          .isInstanceOf(IllegalArgumentException.class)
          .hasMessage("a map needs the bytewise comparator, and this database has test.Reverse");
    }
  }

  @Test
  void map_afterTheClose_throws() {
    map.put("a", 1L);
    Iterator<String> begun = map.keySet().iterator();
    db.close();
    assertThatThrownBy(() -> map.get("a")).isInstanceOf(DBClosedException.class);
    assertThatThrownBy(() -> map.put("a", 2L)).isInstanceOf(DBClosedException.class);
    assertThatThrownBy(begun::hasNext).isInstanceOf(DBClosedException.class);
    assertThatThrownBy(map::size).isInstanceOf(DBClosedException.class);
  }

  @Test
  void streams_ofTheViews_neitherCountNorLeak() {
    for (long i = 0; i < 3000; i++) {
      map.set("key" + i, i);
    }
    assertThat(map.entrySet().spliterator().getExactSizeIfKnown()).isEqualTo(-1);
    assertThat(map.keySet().stream().limit(2)).containsExactly("key0", "key1");
    assertThat(map.keySet().spliterator().hasCharacteristics(Spliterator.SORTED)).isTrue();
    Spliterator<String> descending = map.descendingKeySet().spliterator();
    assertThat(descending.getComparator().compare("a", "b")).isPositive();
    assertThat(descending.trySplit().getComparator().compare("a", "b")).isPositive();
    assertThat(map.values().stream().mapToLong(Long::longValue).sum()).isEqualTo(3000L * 2999 / 2);
    Map<Boolean, Long> halves =
        map.entrySet().parallelStream()
            .collect(
                Collectors.partitioningBy(entry -> entry.getValue() < 1500, Collectors.counting()));
    assertThat(halves).containsEntry(true, 1500L).containsEntry(false, 1500L);
    assertThat(db.admin().stats().views().iterators()).isZero();
  }

  @Test
  void keys_withNothingInBetween_haveTheirOwnBounds() {
    map.putAll(Map.of("", 0L, "a", 1L, "a\0", 2L, "a\0\0", 3L));
    assertThat(map.higherKey("a")).isEqualTo("a\0");
    assertThat(map.lowerKey("a\0")).isEqualTo("a");
    assertThat(map.lowerKey("")).isNull();
    assertThat(map.higherKey("a\0\0")).isNull();
    assertThat(map.headMap("a\0")).hasSize(2);
    assertThat(map.headMap("a\0", true)).hasSize(3);
    assertThat(map.tailMap("a", false)).hasSize(2);
    assertThat(map.subMap("a", false, "a\0", false)).isEmpty();
    assertThat(map.subMap("a", false, "a", false)).isEmpty();
    assertThat(map.headMap("")).isEmpty();
    assertThat(map.descendingMap().headMap("a")).hasSize(2);
    assertThat(map.descendingMap().tailMap("a", false)).hasSize(1);
  }

  /** Random calls of every method, compared with ConcurrentSkipListMap. */
  @ParameterizedTest
  @ValueSource(longs = {1, 2, 3})
  void map_randomCalls_doWhatASkipListMapDoes(long seed) {
    Random random = new Random(seed);
    DBMap<String, Long> real =
        DBMap.of(Space.of(db, "\ud83d\ude00"), Codecs.utf8(), Codecs.longs());
    db.put(new byte[] {(byte) 0xf0}, new byte[0]); // neighbors of the space
    db.put(new byte[] {(byte) 0xf1}, new byte[0]);
    ConcurrentNavigableMap<String, Long> model = new ConcurrentSkipListMap<>(Codecs.utf8().order());
    for (int i = 0; i < 3000; i++) {
      Function<ConcurrentNavigableMap<String, Long>, Object> call = randomCall(random);
      assertThat(outcome(call, real))
          .as("seed %s, call %s", seed, i)
          .isEqualTo(outcome(call, model));
      if (i % 100 == 0) {
        assertThat(real).as("seed %s, call %s", seed, i).isEqualTo(model);
        assertThat(List.copyOf(real.entrySet())).isEqualTo(List.copyOf(model.entrySet()));
        if (random.nextInt(4) == 0) {
          db.admin().flush();
        }
      }
    }
  }

  private static Object outcome(
      Function<ConcurrentNavigableMap<String, Long>, Object> call,
      ConcurrentNavigableMap<String, Long> map) {
    try {
      Object result = call.apply(map);
      if (result instanceof NavigableMap<?, ?> part) {
        return List.copyOf(part.entrySet());
      }
      return result instanceof Iterable<?> views ? IterableCopy.of(views) : result;
    } catch (IllegalArgumentException | NoSuchElementException e) {
      return e.getClass();
    }
  }

  private static final class IterableCopy {
    static List<Object> of(Iterable<?> elements) {
      List<Object> copy = new ArrayList<>();
      elements.forEach(copy::add);
      return copy;
    }
  }

  private static Function<ConcurrentNavigableMap<String, Long>, Object> randomCall(Random random) {
    String a = randomKey(random);
    String b = randomKey(random);
    long value = random.nextInt(3);
    boolean first = random.nextBoolean();
    boolean second = random.nextBoolean();
    Function<ConcurrentNavigableMap<String, Long>, ConcurrentNavigableMap<String, Long>> view =
        randomView(random);
    Function<ConcurrentNavigableMap<String, Long>, Object> call =
        switch (random.nextInt(34)) {
          case 0, 1, 2, 3 -> map -> map.put(a, value);
          case 4 -> map -> map.remove(a);
          case 5 -> map -> map.remove(a, value);
          case 6 -> map -> map.get(a);
          case 7 -> map -> map.containsKey(a);
          case 8 -> map -> map.putIfAbsent(a, value);
          case 9 -> map -> map.replace(a, value);
          case 10 -> map -> map.replace(a, value, value + 1);
          case 11 -> map -> map.compute(a, (key, old) -> old == null || first ? value : null);
          case 12 -> map -> map.computeIfAbsent(a, key -> first ? value : null);
          case 13 -> map -> map.computeIfPresent(a, (key, old) -> first ? old + 1 : null);
          case 14 -> map -> map.merge(a, value, (x, y) -> first ? x + y : null);
          case 15 -> map -> map.lowerEntry(a);
          case 16 -> map -> map.floorKey(a);
          case 17 -> map -> map.ceilingEntry(a);
          case 18 -> map -> map.higherKey(a);
          case 19 -> map -> map.firstEntry();
          case 20 -> map -> map.lastKey();
          case 21 -> map -> map.pollFirstEntry();
          case 22 -> map -> map.pollLastEntry();
          case 23 -> map -> map.subMap(a, first, b, second);
          case 24 -> map -> map.headMap(a, first);
          case 25 -> map -> map.tailMap(a, first);
          case 26 -> map -> map.keySet().subSet(a, first, b, second);
          case 27 -> map -> map.descendingKeySet().headSet(a, first);
          case 28 -> map -> map.values().removeIf(each -> each == value && a.length() < 2);
          case 29 -> map -> map.size();
          case 30 -> map -> map.isEmpty();
          case 31 -> map -> map.keySet().remove(a);
          case 32 -> map -> map.containsValue(value);
          default ->
              map -> {
                map.putAll(new HashMap<>(Map.of(a, value)));
                return null;
              };
        };
    return map -> call.apply(view.apply(map));
  }

  private static Function<
          ConcurrentNavigableMap<String, Long>, ConcurrentNavigableMap<String, Long>>
      randomView(Random random) {
    String a = randomKey(random);
    String b = randomKey(random);
    boolean first = random.nextBoolean();
    boolean second = random.nextBoolean();
    return switch (random.nextInt(10)) {
      case 0 -> map -> map.headMap(a, first);
      case 1 -> map -> map.tailMap(a, first);
      case 2 -> map -> map.subMap(a, first, b, second);
      case 3 -> map -> map.descendingMap();
      case 4 -> map -> map.descendingMap().headMap(a, first);
      case 5 -> map -> map.tailMap(a, first).descendingMap().tailMap(b, second);
      default -> map -> map;
    };
  }

  private static String randomKey(Random random) {
    String[] parts = {"", "a", "b", "\u0001", "\uffee", "\ud83d\ude00"};
    return parts[random.nextInt(parts.length)]
        + parts[random.nextInt(parts.length)]
        + parts[random.nextInt(2)];
  }
}
