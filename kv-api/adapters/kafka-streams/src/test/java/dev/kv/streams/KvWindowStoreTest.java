package dev.kv.streams;

import static dev.kv.streams.TestContext.CHANGELOG;
import static dev.kv.streams.TestContext.INPUT;
import static dev.kv.streams.TestContext.PARTITION;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.mockito.Mockito.mock;
import static org.mockito.Mockito.verify;
import static org.mockito.Mockito.when;

import dev.kv.DB;
import dev.kv.DBIterator;
import dev.kv.Options;
import dev.kv.streams.database.StoreDatabase;
import dev.kv.streams.database.StoreKind;
import dev.kv.streams.database.StoreKind.Structure;
import dev.kv.streams.database.StoreKind.Values;
import dev.kv.streams.database.TimedKey;
import dev.kv.streams.scan.IndexScan;
import dev.kv.streams.scan.ScanIterator;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.TreeMap;
import java.util.function.Predicate;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.utils.Bytes;
import org.apache.kafka.streams.KeyValue;
import org.apache.kafka.streams.errors.ProcessorStateException;
import org.apache.kafka.streams.errors.TaskCorruptedException;
import org.apache.kafka.streams.kstream.Windowed;
import org.apache.kafka.streams.query.PositionBound;
import org.apache.kafka.streams.query.QueryConfig;
import org.apache.kafka.streams.query.WindowKeyQuery;
import org.apache.kafka.streams.query.WindowRangeQuery;
import org.apache.kafka.streams.state.HeadersBytesStore;
import org.apache.kafka.streams.state.KeyValueIterator;
import org.apache.kafka.streams.state.TimestampedBytesStore;
import org.apache.kafka.streams.state.WindowStore;
import org.apache.kafka.streams.state.WindowStoreIterator;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Tests window stores: random operations against a sorted map, expiry, restarts and queries. */
class KvWindowStoreTest {
  private static final long MINUTE = 60_000;
  private static final Duration WINDOW = Duration.ofMillis(10);

  @TempDir private Path directory;
  private TestContext context = new TestContext(Path.of(""));
  private WindowStore<Bytes, byte[]> store =
      KvStores.window("store", Duration.ofMinutes(2), WINDOW, false).get();

  private void open(Duration retention, Structure structure) {
    open(retention, structure, new TestContext(directory));
  }

  private void open(Duration retention, Structure structure, TestContext with) {
    store.close();
    context = with;
    store = KvStores.windowStore("store", retention, WINDOW, false, structure, Values.PLAIN).get();
    store.init(context, store);
  }

  @AfterEach
  void close() {
    store.close();
  }

  /** A key with the start of its window, in the order of key and time. */
  private record Entry(Bytes key, long time) implements Comparable<Entry> {
    @Override
    public int compareTo(Entry other) {
      return Comparator.comparing(Entry::key).thenComparing(Entry::time).compare(this, other);
    }
  }

  private static Bytes key(String text) {
    return Bytes.wrap(text.getBytes());
  }

  private void put(String key, long time, String value) {
    store.put(key(key), value.getBytes(), time);
  }

  private static List<String> values(KeyValueIterator<?, byte[]> entries) {
    List<String> values = new ArrayList<>();
    try (entries) {
      while (entries.hasNext()) {
        values.add(new String(entries.next().value));
      }
    }
    return values;
  }

  @Test
  void init_ofADamagedStore_throwsAndLeavesTheDatabaseClosed() {
    open(Duration.ofMinutes(2), Structure.WINDOW);
    store.close();
    Path database = directory.resolve("kv").resolve("store");
    byte[] segmentInterval = {0, 's'};
    try (DB db = DB.open(database, Options.DEFAULT)) {
      db.put(segmentInterval, new byte[1]);
    }
    assertThatThrownBy(() -> open(Duration.ofMinutes(2), Structure.WINDOW))
        .isInstanceOf(ProcessorStateException.class)
        .hasMessageContaining("damaged segment interval");
    try (DB db = DB.open(database, Options.DEFAULT)) {
      db.delete(segmentInterval);
    }
    open(Duration.ofMinutes(2), Structure.WINDOW);
  }

  @ParameterizedTest
  @ValueSource(longs = {1, 2})
  void randomOperations_agreeWithASortedMap(long seed) {
    Random random = new Random(seed);
    Structure structure = seed % 2 == 0 ? Structure.WINDOW : Structure.WINDOW_BY_TIME;
    open(Duration.ofMinutes(20), structure);
    TreeMap<Entry, byte[]> model = new TreeMap<>();
    for (int i = 0; i < 800; i++) {
      Entry entry = new Entry(randomKey(random), random.nextInt(20) * MINUTE + random.nextInt(3));
      byte[] value = random.nextInt(4) == 0 ? null : ("v" + i).getBytes();
      store.put(entry.key, value, entry.time);
      if (value == null) {
        model.remove(entry);
      } else {
        model.put(entry, value);
      }
    }
    for (int i = 0; i < 150; i++) {
      long from = random.nextInt(22) * MINUTE - MINUTE;
      long to = from + random.nextInt(8) * MINUTE + random.nextInt(3);
      Bytes first = randomKey(random);
      Bytes last = randomKey(random);
      String what = "seed " + seed + ": " + first + ".." + last + ", " + from + ".." + to;
      Predicate<Entry> inTime = entry -> entry.time >= from && entry.time <= to;
      Predicate<Entry> ofKey = inTime.and(entry -> entry.key.equals(first));
      Predicate<Entry> inRange =
          inTime.and(entry -> entry.key.compareTo(first) >= 0 && entry.key.compareTo(last) <= 0);
      assertThat(times(store.fetch(first, from, to))).as(what).isEqualTo(wanted(model, ofKey));
      assertThat(reversed(times(store.backwardFetch(first, from, to))))
          .as(what)
          .isEqualTo(wanted(model, ofKey));
      assertThat(found(store.fetch(first, last, from, to)))
          .as(what)
          .containsExactlyInAnyOrderElementsOf(entries(model, inRange));
      assertThat(reversed(found(store.backwardFetch(first, last, from, to))))
          .as(what)
          .isEqualTo(found(store.fetch(first, last, from, to)));
      assertThat(found(store.fetchAll(from, to)))
          .as(what)
          .containsExactlyInAnyOrderElementsOf(entries(model, inTime));
      assertThat(reversed(found(store.backwardFetchAll(from, to))))
          .as(what)
          .isEqualTo(found(store.fetchAll(from, to)));
      long one = random.nextInt(20) * MINUTE + random.nextInt(3);
      assertThat(store.fetch(first, one)).as(what).isEqualTo(model.get(new Entry(first, one)));
    }
    assertThat(found(store.all())).containsExactlyInAnyOrderElementsOf(model.keySet());
    if (structure == Structure.WINDOW_BY_TIME) {
      assertThat(found(store.all())).isSortedAccordingTo(Comparator.comparing(Entry::time));
    }
  }

  /** Returns keys of which some are prefixes of others, with bytes that times have, too. */
  private static Bytes randomKey(Random random) {
    byte[] key = new byte[random.nextInt(4)];
    for (int i = 0; i < key.length; i++) {
      key[i] = new byte[] {0, 1, 'a', -1}[random.nextInt(4)];
    }
    return Bytes.wrap(key);
  }

  private static List<Entry> entries(TreeMap<Entry, byte[]> model, Predicate<Entry> wanted) {
    return model.keySet().stream().filter(wanted).toList();
  }

  private static List<Long> wanted(TreeMap<Entry, byte[]> model, Predicate<Entry> wanted) {
    return entries(model, wanted).stream().map(Entry::time).toList();
  }

  private static List<Long> times(WindowStoreIterator<byte[]> windows) {
    List<Long> times = new ArrayList<>();
    try (windows) {
      while (windows.hasNext()) {
        times.add(windows.next().key);
      }
    }
    return times;
  }

  private static List<Entry> found(KeyValueIterator<Windowed<Bytes>, byte[]> windows) {
    List<Entry> found = new ArrayList<>();
    try (windows) {
      while (windows.hasNext()) {
        Windowed<Bytes> peeked = windows.peekNextKey();
        KeyValue<Windowed<Bytes>, byte[]> next = windows.next();
        assertThat(next.key).isEqualTo(peeked);
        assertThat(next.key.window().end()).isEqualTo(next.key.window().start() + 10);
        found.add(new Entry(next.key.key(), next.key.window().start()));
      }
    }
    return found;
  }

  private static <T> List<T> reversed(List<T> list) {
    List<T> reversed = new ArrayList<>(list);
    java.util.Collections.reverse(reversed);
    return reversed;
  }

  @ParameterizedTest
  @EnumSource(names = {"WINDOW", "WINDOW_BY_TIME"})
  void put_afterTheRetention_deletesOldSegmentsFromDisk(Structure structure) {
    open(Duration.ofMinutes(2), structure);
    for (int i = 0; i < 3000; i++) {
      put("key" + i, i % 100, "old");
    }
    put("a", 2 * MINUTE, "new");
    put("b", 5 * MINUTE, "newest");
    assertThat(values(store.all())).containsExactly("newest");
    put("late", MINUTE, "dropped");
    assertThat(values(store.all())).containsExactly("newest");
    store.close();

    try (DB db = DB.open(directory.resolve("kv").resolve("store"), Options.DEFAULT);
        var data = db.stream(dev.kv.ReadOptions.withPrefix(new byte[] {StoreDatabase.DATA}));
        var index = db.stream(dev.kv.ReadOptions.withPrefix(new byte[] {StoreDatabase.INDEX}))) {
      assertThat(data.count()).isEqualTo(1);
      assertThat(index.count()).isEqualTo(structure == Structure.WINDOW_BY_TIME ? 1 : 0);
    }
  }

  @Test
  void reopen_withAnotherRetention_findsTheEntries() {
    open(Duration.ofMinutes(2), Structure.WINDOW);
    put("a", 0, "1");
    put("a", 90_000, "2");
    open(Duration.ofMinutes(60), Structure.WINDOW);
    put("a", 30 * MINUTE, "3");
    assertThat(values(store.fetch(key("a"), 0, Long.MAX_VALUE))).containsExactly("1", "2", "3");
  }

  /** The cache of Streams expects the order of the segments of the supplier. */
  @ParameterizedTest
  @ValueSource(booleans = {false, true})
  void reopen_withAnotherRetention_movesTheEntriesToOtherSegments(boolean interrupted) {
    open(Duration.ofMinutes(2), Structure.WINDOW);
    put("c", 0, "1");
    put("b", 90_000, "2");
    assertThat(values(store.all())).containsExactly("1", "2");
    open(Duration.ofMinutes(60), Structure.WINDOW);
    assertThat(values(store.all())).containsExactly("2", "1");
    assertThat(store.fetch(key("c"), 0)).isEqualTo("1".getBytes());
    put("a", 29 * MINUTE, "3");
    put("a", 31 * MINUTE, "4");
    assertThat(values(store.all())).containsExactly("3", "2", "1", "4");
    store.close();
    if (interrupted) {
      try (DB db = DB.open(directory.resolve("kv").resolve("store"), Options.DEFAULT)) {
        db.delete(new byte[] {0, 's'});
        byte[] entry = TimedKey.window("b".getBytes(), 90_000, 0);
        db.put(TimedKey.stored(StoreDatabase.DATA, 9, entry), "2".getBytes());
        db.delete(TimedKey.stored(StoreDatabase.DATA, 0, entry));
      }
    }
    open(Duration.ofMinutes(40), Structure.WINDOW);
    assertThat(values(store.all())).containsExactly("2", "1", "3", "4");
    assertThat(store.fetch(key("b"), 90_000)).isEqualTo("2".getBytes());
    put("a", 60 * MINUTE, "5");
    assertThat(values(store.all())).containsExactly("3", "4", "5");
  }

  /** The built-in stores take them, and show none. */
  @ParameterizedTest
  @EnumSource(names = {"WINDOW", "WINDOW_BY_TIME"})
  void scans_showNoWindowsBeforeTheFirstTime_andThoseOfTheLast(Structure structure) {
    open(Duration.ofMinutes(2), structure);
    put("a", -5, "before");
    assertThat(values(store.all())).isEmpty();
    assertThat(values(store.backwardFetchAll(-10, Long.MAX_VALUE))).isEmpty();
    assertThat(values(store.fetch(key("a"), -10, Long.MAX_VALUE))).isEmpty();
    put("a", 0, "first");
    assertThat(values(store.fetchAll(Long.MIN_VALUE, Long.MAX_VALUE))).containsExactly("first");
    put("a", Long.MAX_VALUE - 1, "last");
    assertThat(values(store.all())).containsExactly("last");
    assertThat(values(store.fetch(key("a"), 0, Long.MAX_VALUE))).containsExactly("last");
    put("a", Long.MAX_VALUE - 2, "late");
    assertThat(values(store.backwardAll())).containsExactly("last", "late");
    assertThat(values(store.fetchAll(0, Long.MAX_VALUE - 2))).containsExactly("late");
  }

  @Test
  void restore_ofTheChangelog_hasLiveEntriesOnly() {
    open(Duration.ofMinutes(2), Structure.WINDOW_BY_TIME);
    var records =
        List.of(
            record(TimedKey.window("a".getBytes(), 0, 0), "old"),
            record(TimedKey.window("b".getBytes(), 10 * MINUTE, 0), "live"),
            record(TimedKey.window("c".getBytes(), 10 * MINUTE + 1, 0), "deleted"),
            record(TimedKey.window("c".getBytes(), 10 * MINUTE + 1, 0), null));
    context.restore(records);
    assertThat(values(store.all())).containsExactly("live");
    assertThat(values(store.fetchAll(0, Long.MAX_VALUE))).containsExactly("live");
  }

  private static org.apache.kafka.clients.consumer.ConsumerRecord<byte[], byte[]> record(
      byte[] key, @org.jspecify.annotations.Nullable String value) {
    return new org.apache.kafka.clients.consumer.ConsumerRecord<>(
        CHANGELOG, PARTITION, 0, key, value == null ? null : value.getBytes());
  }

  @Test
  void scan_thatFailsAtItsFirstEntry_closesItsCursor() {
    StoreKind kind = new StoreKind(Structure.WINDOW_BY_TIME, Values.PLAIN);
    StoreDatabase database =
        StoreDatabase.open("scanned", kind, new TestContext(directory), /* env= */ null);
    try {
      byte[] entry = TimedKey.WINDOW.timeFirst(TimedKey.window("a".getBytes(), 5, 0));
      DBIterator cursor = mock(DBIterator.class);
      when(cursor.isValid()).thenReturn(true);
      when(cursor.key())
          .thenReturn(
              ByteBuffer.allocate(1 + entry.length).put(StoreDatabase.INDEX).put(entry).array());
      IndexScan scan =
          new IndexScan(
              database,
              cursor,
              found -> {
                throw new ProcessorStateException("cannot read");
              },
              TimedKey.WINDOW,
              found -> true,
              true);
      assertThatThrownBy(scan::begin).isInstanceOf(ProcessorStateException.class);
      verify(cursor).close();
    } finally {
      database.close();
    }
  }

  @Test
  void iterator_whoseStoreIsClosedBeforeTheNextEntryIsRead_returnsTheOneItHas() {
    open(Duration.ofMinutes(2), Structure.WINDOW_BY_TIME);
    put("a", 5, "1");
    put("b", 6, "2");
    Predicate<byte[]> closing =
        entry -> {
          if (TimedKey.WINDOW.time(entry) == 6) {
            store.close();
          }
          return true;
        };
    SegmentedStore scanned = (SegmentedStore) store;
    try (var entries =
        new ScanIterator.OfWindows(
            () -> scanned.scanKeys(null, null, 0, Long.MAX_VALUE, closing, true))) {
      assertThat(entries.next().value).isEqualTo("1".getBytes());
      assertThat(entries.hasNext()).isFalse();
    }
  }

  @Test
  void retainDuplicates_keepsAllRecordsOfAWindow() {
    store.close();
    store = KvStores.window("joined", Duration.ofMinutes(2), WINDOW, true).get();
    context = new TestContext(directory);
    store.init(context, store);
    put("a", 5, "1");
    put("a", 5, "2");
    store.put(key("a"), null, 5);
    put("a", 6, "3");
    assertThat(values(store.fetch(key("a"), 5, 6))).containsExactly("1", "2", "3");
  }

  @Test
  void exactlyOnce_afterUncommittedWrites_isCorrupted() {
    Structure structure = Structure.WINDOW_BY_TIME;
    open(Duration.ofMinutes(2), structure, new TestContext(directory).exactlyOnce());
    TopicPartition changelog = new TopicPartition(CHANGELOG, PARTITION);
    put("a", 5, "1");
    store.commit(Map.of(changelog, 1L));
    open(Duration.ofMinutes(2), structure, new TestContext(directory).exactlyOnce());
    assertThat(store.committedOffset(changelog)).isEqualTo(1);
    put("a", 5, "2");
    assertThatThrownBy(
            () -> open(Duration.ofMinutes(2), structure, new TestContext(directory).exactlyOnce()))
        .isInstanceOf(TaskCorruptedException.class);
  }

  @Test
  void exactlyOnce_afterARestoreThatExpiredEntries_isNotCorrupted() {
    Structure structure = Structure.WINDOW_BY_TIME;
    open(Duration.ofMinutes(2), structure, new TestContext(directory).exactlyOnce());
    context.restore(List.of(record(TimedKey.window("a".getBytes(), 0, 0), "old")));
    context.restore(List.of(record(TimedKey.window("b".getBytes(), 10 * MINUTE, 0), "live")));
    open(Duration.ofMinutes(2), structure, new TestContext(directory).exactlyOnce());
    assertThat(values(store.all())).containsExactly("live");
  }

  @Test
  void query_knowsWindowsOfAKeyAndOfATime() {
    open(Duration.ofMinutes(2), Structure.WINDOW);
    context.processing(4);
    put("a", 5, "1");
    put("b", 6, "2");
    PositionBound bound = PositionBound.at(store.getPosition());
    assertThat(store.getPosition().getPartitionPositions(INPUT)).containsEntry(PARTITION, 4L);
    QueryConfig config = new QueryConfig(true);
    // The query swaps the times; Streams passes it on in a second one, which swaps them back.
    var ofKey =
        store.query(
            WindowKeyQuery.<Bytes, byte[]>withKeyAndWindowStartRange(
                key("a"), Instant.ofEpochMilli(10), Instant.EPOCH),
            bound,
            config);
    assertThat(values(ofKey.getResult())).containsExactly("1");
    assertThat(ofKey.getExecutionInfo()).hasSize(1);
    var ofTime =
        store.query(
            WindowRangeQuery.<Bytes, byte[]>withWindowStartRange(
                Instant.ofEpochMilli(6), Instant.ofEpochMilli(10)),
            bound,
            config);
    assertThat(values(ofTime.getResult())).containsExactly("2");
  }

  @Test
  void suppliers_describeTheirStores() {
    var supplier = KvStores.timestampedWindow("w", Duration.ofHours(1), WINDOW, false);
    assertThat(supplier.get()).isInstanceOf(TimestampedBytesStore.class);
    assertThat(supplier.segmentIntervalMs()).isEqualTo(30 * MINUTE);
    assertThat(supplier.windowSize()).isEqualTo(10);
    assertThat(supplier.retentionPeriod()).isEqualTo(60 * MINUTE);
    assertThat(supplier.retainDuplicates()).isFalse();
    assertThat(
            KvStores.windowStore(
                    "h", Duration.ofHours(1), WINDOW, false, Structure.WINDOW, Values.HEADERS)
                .get())
        .isInstanceOf(HeadersBytesStore.class);
    assertThatThrownBy(() -> KvStores.window("w", Duration.ofMillis(9), WINDOW, false))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("9 ms");
  }
}
