package dev.kv.streams;

import static dev.kv.streams.TestContext.CHANGELOG;
import static dev.kv.streams.TestContext.INPUT;
import static dev.kv.streams.TestContext.PARTITION;
import static org.apache.kafka.streams.state.VersionedKeyValueStore.PUT_RETURN_CODE_NOT_PUT;
import static org.apache.kafka.streams.state.VersionedKeyValueStore.PUT_RETURN_CODE_VALID_TO_UNDEFINED;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.mockito.Mockito.mock;
import static org.mockito.Mockito.verify;
import static org.mockito.Mockito.when;

import dev.kv.DB;
import dev.kv.DBIterator;
import dev.kv.Options;
import dev.kv.options.TableSuffix;
import dev.kv.streams.database.StoreDatabase;
import java.io.File;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.NavigableMap;
import java.util.Optional;
import java.util.Random;
import java.util.TreeMap;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.header.internals.RecordHeaders;
import org.apache.kafka.common.record.TimestampType;
import org.apache.kafka.common.utils.Bytes;
import org.apache.kafka.streams.StreamsConfig;
import org.apache.kafka.streams.errors.InvalidStateStoreException;
import org.apache.kafka.streams.errors.ProcessorStateException;
import org.apache.kafka.streams.errors.TaskCorruptedException;
import org.apache.kafka.streams.query.FailureReason;
import org.apache.kafka.streams.query.KeyQuery;
import org.apache.kafka.streams.query.MultiVersionedKeyQuery;
import org.apache.kafka.streams.query.Position;
import org.apache.kafka.streams.query.PositionBound;
import org.apache.kafka.streams.query.Query;
import org.apache.kafka.streams.query.QueryConfig;
import org.apache.kafka.streams.query.QueryResult;
import org.apache.kafka.streams.query.VersionedKeyQuery;
import org.apache.kafka.streams.state.Stores;
import org.apache.kafka.streams.state.VersionedBytesStore;
import org.apache.kafka.streams.state.VersionedRecord;
import org.apache.kafka.streams.state.VersionedRecordIterator;
import org.apache.kafka.test.InternalMockProcessorContext;
import org.apache.kafka.test.StreamsTestUtils;
import org.fusesource.leveldbjni.JniDBFactory;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Tests versioned stores, also against the built-in one. */
class KvVersionedStoreTest {
  private static final int RANDOM_OPERATIONS = Boolean.getBoolean("kv.long") ? 4_000 : 2_000;
  private static final TopicPartition CHANGELOG_PARTITION =
      new TopicPartition(CHANGELOG, PARTITION);
  private static final long RETENTION = 100;
  private static final long INTERVAL = 10;

  @TempDir private Path directory;
  private TestContext context = new TestContext(Path.of(""));
  private VersionedBytesStore store = create(RETENTION, INTERVAL);

  private static VersionedBytesStore create(long retention, long interval) {
    return (VersionedBytesStore)
        KvStores.versionedKeyValue(
                "store", Duration.ofMillis(retention), Duration.ofMillis(interval))
            .get();
  }

  @BeforeEach
  void open() {
    context = new TestContext(directory);
    store.init(context, store);
  }

  @AfterEach
  void close() {
    store.close();
  }

  private void reopen(TestContext next) {
    reopen(next, RETENTION, INTERVAL);
  }

  /** Opens the directory again with a new store, which Streams does after a start. */
  private void reopen(TestContext next, long retention, long interval) {
    store.close();
    context = next;
    store = create(retention, interval);
    store.init(context, store);
  }

  private static Bytes key(String text) {
    return Bytes.wrap(text.getBytes(StandardCharsets.UTF_8));
  }

  private static byte @Nullable [] value(@Nullable String text) {
    return text == null ? null : text.getBytes(StandardCharsets.UTF_8);
  }

  private long put(String key, @Nullable String value, long time) {
    return store.put(key(key), value(value), time);
  }

  private static String text(byte @Nullable [] timeAndValue) {
    if (timeAndValue == null) {
      return "none";
    }
    long time = ByteBuffer.wrap(timeAndValue).getLong();
    int length = timeAndValue.length - Long.BYTES;
    return new String(timeAndValue, Long.BYTES, length, StandardCharsets.UTF_8) + "@" + time;
  }

  private static String text(@Nullable VersionedRecord<byte[]> version) {
    return version == null
        ? "none"
        : new String(version.value(), StandardCharsets.UTF_8)
            + "@"
            + version.timestamp()
            + version.validTo().map(until -> "-" + until).orElse("");
  }

  private String get(String key) {
    return text(store.get(key(key)));
  }

  private String get(String key, long asOf) {
    return text(store.get(key(key), asOf));
  }

  private static <R> QueryResult<R> ask(VersionedBytesStore store, Query<R> query) {
    return store.query(query, PositionBound.unbounded(), new QueryConfig(false));
  }

  private static String query(VersionedBytesStore store, Bytes key, long asOf) {
    VersionedKeyQuery<Bytes, byte[]> query = VersionedKeyQuery.withKey(key);
    return text(ask(store, query.asOf(Instant.ofEpochMilli(asOf))).getResult());
  }

  private static List<String> versions(
      VersionedBytesStore store, Bytes key, long from, long to, boolean ascending, long bound) {
    MultiVersionedKeyQuery<Bytes, byte[]> query =
        MultiVersionedKeyQuery.<Bytes, byte[]>withKey(key)
            .fromTime(Instant.ofEpochMilli(from))
            .toTime(Instant.ofEpochMilli(to));
    query = ascending ? query.withAscendingTimestamps() : query.withDescendingTimestamps();
    List<String> found = new ArrayList<>();
    try (VersionedRecordIterator<byte[]> versions = ask(store, query).getResult()) {
      while (versions.hasNext()) {
        VersionedRecord<byte[]> version = versions.next();
        if (version.validTo().orElse(Long.MAX_VALUE) > bound) {
          found.add(text(version));
        }
      }
    }
    return found;
  }

  private List<String> versions(String key, long from, long to, boolean ascending) {
    return versions(store, key(key), from, to, ascending, Long.MIN_VALUE);
  }

  @Test
  void put_returnsUntilWhenTheVersionIsValid() {
    assertThat(put("a", "5", 5)).isEqualTo(PUT_RETURN_CODE_VALID_TO_UNDEFINED);
    assertThat(put("a", "9", 9)).isEqualTo(PUT_RETURN_CODE_VALID_TO_UNDEFINED);
    assertThat(put("a", "7", 7)).isEqualTo(9);
    assertThat(put("a", null, 8)).isEqualTo(9);
    assertThat(put("a", "7b", 7)).isEqualTo(8);
    assertThat(put("b", "b", 109)).isEqualTo(PUT_RETURN_CODE_VALID_TO_UNDEFINED);
    assertThat(put("a", "x", 8)).isEqualTo(PUT_RETURN_CODE_NOT_PUT);
    assertThat(put("a", "9b", 9)).isEqualTo(PUT_RETURN_CODE_VALID_TO_UNDEFINED);
    assertThat(get("a")).isEqualTo("9b@9");
  }

  @Test
  void get_asOfATime_isTheVersionOfThatTime() {
    put("a", "5", 5);
    put("a", null, 8);
    put("a", "", 9);
    put("ab", "other", 6);
    put("", "empty", 7);
    assertThat(get("a", 4)).isEqualTo("none");
    assertThat(get("a", 5)).isEqualTo("5@5");
    assertThat(get("a", 7)).isEqualTo("5@5");
    assertThat(get("a", 8)).isEqualTo("none");
    assertThat(get("a", 9)).isEqualTo("@9");
    assertThat(get("a", Long.MAX_VALUE)).isEqualTo("@9");
    assertThat(get("a")).isEqualTo("@9");
    assertThat(get("ab", 10)).isEqualTo("other@6");
    assertThat(get("", 10)).isEqualTo("empty@7");
    assertThat(get("b", 10)).isEqualTo("none");
  }

  @Test
  void get_beforeTheRetention_isTheLatestVersionOrNone() {
    put("a", "1", 1);
    put("a", "3", 3);
    put("b", "2", 2);
    put("c", "c", 104);
    assertThat(get("a", 2)).isEqualTo("none");
    assertThat(get("a", 3)).isEqualTo("3@3");
    assertThat(get("b", 1)).isEqualTo("none");
    assertThat(get("b", 2)).isEqualTo("2@2");
    assertThat(versions("a", 0, 2, true)).isEmpty();
    assertThat(versions("a", 0, 3, false)).containsExactly("3@3");
    assertThat(versions("a", 0, 200, true)).containsExactly("3@3");
  }

  @Test
  void delete_returnsTheVersionBefore() {
    put("a", "5", 5);
    assertThat(text(store.delete(key("a"), 4))).isEqualTo("none");
    assertThat(text(store.delete(key("a"), 7))).isEqualTo("5@5");
    assertThat(text(store.delete(key("a"), 8))).isEqualTo("none");
    assertThat(get("a")).isEqualTo("none");
    assertThat(get("a", 6)).isEqualTo("5@5");
    put("a", "200", 200);
    assertThat(text(store.delete(key("a"), 99))).isEqualTo("none");
    assertThat(get("a", 200)).isEqualTo("200@200");
  }

  @Test
  void query_ofVersions_isInOrderAndInsideTheRange() {
    put("a", "5", 5);
    put("a", "7", 7);
    put("a", null, 9);
    put("a", "20", 20);
    assertThat(versions("a", 0, 100, true)).containsExactly("5@5-7", "7@7-9", "20@20");
    assertThat(versions("a", 0, 100, false)).containsExactly("20@20", "7@7-9", "5@5-7");
    assertThat(versions("a", 6, 7, true)).containsExactly("5@5-7", "7@7-9");
    assertThat(versions("a", 7, 19, false)).containsExactly("7@7-9");
    assertThat(versions("a", 9, 19, true)).isEmpty();
    assertThat(versions("a", 30, 40, false)).containsExactly("20@20");
    assertThat(versions("none", 0, 100, true)).isEmpty();
    assertThat(query(store, key("a"), 6)).isEqualTo("5@5-7");
    VersionedKeyQuery<Bytes, byte[]> latest = VersionedKeyQuery.withKey(key("a"));
    assertThat(text(ask(store, latest).getResult())).isEqualTo("20@20");
    assertThat(ask(store, KeyQuery.<Bytes, byte[]>withKey(key("a"))).getFailureReason())
        .isEqualTo(FailureReason.UNKNOWN_QUERY_TYPE);
  }

  @Test
  void query_withAPosition_knowsWhetherItIsReached() {
    context.processing(7);
    put("a", "5", 5);
    put("b", "500", 500);
    context.processing(8);
    put("a", "late", 1);
    VersionedKeyQuery<Bytes, byte[]> query = VersionedKeyQuery.withKey(key("a"));
    Position reached = Position.emptyPosition().withComponent(INPUT, PARTITION, 8);
    Position ahead = Position.emptyPosition().withComponent(INPUT, PARTITION, 9);
    QueryConfig config = new QueryConfig(false);
    assertThat(store.query(query, PositionBound.at(reached), config).getPosition())
        .isEqualTo(reached);
    assertThat(store.query(query, PositionBound.at(ahead), config).getFailureReason())
        .isEqualTo(FailureReason.NOT_UP_TO_BOUND);
    store.commit(Map.of(CHANGELOG_PARTITION, 5L));
    reopen(new TestContext(directory));
    assertThat(store.getPosition()).isEqualTo(reached);
    assertThat(store.committedOffset(CHANGELOG_PARTITION)).isEqualTo(5L);
    assertThat(get("a")).isEqualTo("5@5");
  }

  @ParameterizedTest
  @CsvSource({"1, 100, 10", "2, 100, 100000", "3, 0, 7", "4, 40, 1", "5, 1000, 100000"})
  void randomOperations_giveWhatTheBuiltInStoreGives(long seed, long retention, long interval)
      throws IOException {
    VersionedBytesStore builtIn =
        (VersionedBytesStore)
            Stores.persistentVersionedKeyValueStore(
                    "store", Duration.ofMillis(retention), Duration.ofMillis(interval))
                .get();
    File builtInDirectory = Files.createDirectory(directory.resolve("built-in")).toFile();
    builtIn.init(
        new InternalMockProcessorContext<>(
            builtInDirectory, new StreamsConfig(StreamsTestUtils.getStreamsConfig())),
        builtIn);
    Path own = Files.createDirectory(directory.resolve("own"));
    reopen(new TestContext(own), retention, interval);
    Random random = new Random(seed);
    long time = 0;
    long streamTime = 0;
    // The times of the versions of each key, and true for tombstones
    Map<Bytes, NavigableMap<Long, Boolean>> written = new HashMap<>();
    try {
      for (int i = 0; i < RANDOM_OPERATIONS; i++) {
        String step = "seed " + seed + ", step " + i;
        time += random.nextInt(8);
        Bytes key = key("k".repeat(1 + random.nextInt(12)));
        long at = Math.max(0, time - random.nextInt(3) * random.nextInt(150));
        NavigableMap<Long, Boolean> versions = written.computeIfAbsent(key, k -> new TreeMap<>());
        streamTime = Math.max(streamTime, at);
        byte[] value = random.nextInt(4) == 0 ? null : value("v" + i);
        int operation = random.nextInt(3);
        Map.Entry<Long, Boolean> latest = versions.lastEntry();
        if (latest != null && latest.getKey() == at && !latest.getValue()) {
          // The built-in store would forget a tombstone with the time of the latest version.
          operation = 1;
          value = value("v" + i);
        }
        versions.put(at, operation == 0 || value == null);
        switch (operation) {
          case 0 ->
              assertThat(text(store.delete(key, at)))
                  .as(step)
                  .isEqualTo(text(builtIn.delete(key, at)));
          default ->
              assertThat(store.put(key, value, at)).as(step).isEqualTo(builtIn.put(key, value, at));
        }
        if (random.nextInt(500) == 0) {
          reopen(new TestContext(own), retention, interval);
          // The first record tells both the same stream time.
          assertThat(store.put(key, value("first"), time))
              .isEqualTo(builtIn.put(key, value("first"), time));
          versions.put(time, false);
          streamTime = time;
        }
        Bytes read = key("k".repeat(1 + random.nextInt(12)));
        long asOf = time + 10 - random.nextInt(200);
        assertThat(text(store.get(read))).as(step).isEqualTo(text(builtIn.get(read)));
        assertThat(text(store.get(read, asOf))).as(step).isEqualTo(text(builtIn.get(read, asOf)));
        assertThat(query(store, read, asOf)).as(step).isEqualTo(query(builtIn, read, asOf));
        if (interval > retention + 10) {
          // The built-in store finds no versions that end in a segment after that of the range.
          boolean ascending = random.nextBoolean();
          long from = asOf - random.nextInt(100);
          long bound = streamTime - retention;
          assertThat(versions(store, read, from, asOf, ascending, Long.MIN_VALUE))
              .as(step)
              .isEqualTo(versions(builtIn, read, from, asOf, ascending, bound));
        }
      }
    } finally {
      builtIn.close();
    }
  }

  @Test
  void tombstone_withTheTimeOfTheLatestVersion_isKept() {
    put("a", "5", 5);
    put("a", null, 5);
    assertThat(put("a", "2", 2)).isEqualTo(5);
    assertThat(get("a")).isEqualTo("none");
    assertThat(get("a", 4)).isEqualTo("2@2");
  }

  private static ConsumerRecord<byte[], byte[]> record(
      long offset, long time, byte[] key, byte @Nullable [] value) {
    return new ConsumerRecord<>(
        CHANGELOG,
        PARTITION,
        offset,
        time,
        TimestampType.CREATE_TIME,
        0,
        0,
        key,
        value,
        new RecordHeaders(),
        Optional.empty());
  }

  @ParameterizedTest
  @CsvSource({"1", "2"})
  void restore_ofTheChangelog_givesTheSameVersions(long seed) throws IOException {
    Random random = new Random(seed);
    List<ConsumerRecord<byte[], byte[]>> changelog = new ArrayList<>();
    long time = 0;
    for (int i = 0; i < 1000; i++) {
      time += random.nextInt(8);
      long at = Math.max(0, time - random.nextInt(3) * random.nextInt(150));
      String key = "k".repeat(1 + random.nextInt(12));
      String value = random.nextInt(4) == 0 ? null : "v" + i;
      put(key, value, at);
      // Streams logs the records that the store drops, too.
      changelog.add(record(i, at, key(key).get(), value(value)));
    }
    List<List<String>> before = contents(time);
    reopen(new TestContext(Files.createDirectory(directory.resolve("empty"))));
    int next = 0;
    while (next < changelog.size()) {
      int end = Math.min(changelog.size(), next + 1 + random.nextInt(200));
      context.restore(changelog.subList(next, end));
      next = end;
    }
    assertThat(contents(time)).as("seed " + seed).isEqualTo(before);

    // A restore over what is there changes nothing.
    reopen(context);
    context.restore(changelog.subList(500, changelog.size()));
    assertThat(contents(time)).as("seed " + seed).isEqualTo(before);
  }

  private List<List<String>> contents(long time) {
    List<List<String>> contents = new ArrayList<>();
    for (int length = 1; length <= 12; length++) {
      String key = "k".repeat(length);
      contents.add(versions(key, time - RETENTION, time, true));
      contents.add(List.of(get(key)));
    }
    assertThat(contents.toString()).contains("-");
    return contents;
  }

  private int entries() {
    store.close();
    int entries = 0;
    try (DB db = DB.open(directory.resolve("kv").resolve("store"), Options.builder().build());
        DBIterator cursor = db.iterator()) {
      byte[] first = {StoreDatabase.DATA};
      for (cursor.seek(first); cursor.isValid(); cursor.next()) {
        entries++;
      }
    }
    return entries;
  }

  @Test
  void expiredVersions_areDeleted() {
    for (int i = 0; i < 500; i++) {
      put("once" + i, "v", i);
      put("deleted" + i, "v", i);
      put("deleted" + i, null, i + 1);
      put("often", "v" + i, i);
    }
    for (int i = 0; i < 500; i++) {
      put("last", "v" + i, 5000 + i);
    }
    // The latest version of 502 keys, the versions inside the retention and a segment before it,
    // and an entry of the index for each segment.
    assertThat(entries()).isBetween(502 + 100, 502 + 100 + 10 + 12);
    reopen(new TestContext(directory));
    assertThat(get("once7")).isEqualTo("v@7");
    assertThat(get("often")).isEqualTo("v499@499");
    assertThat(get("deleted7")).isEqualTo("none");
  }

  @Test
  void reopen_afterExpiry_dropsWhatWasTooLateBefore() {
    put("a", "5", 5);
    put("a", null, 20);
    put("b", "b", 5000);
    reopen(new TestContext(directory));
    assertThat(put("a", "10", 10)).isEqualTo(PUT_RETURN_CODE_NOT_PUT);
    assertThat(get("a")).isEqualTo("none");
  }

  @ParameterizedTest
  @ValueSource(longs = {10, 100_000})
  void reopen_afterExpiryWithAnotherRetention_dropsWhatWasTooLateBefore(long retention) {
    put("a", "5", 5);
    put("a", null, 20);
    put("b", "b", 5000);
    reopen(new TestContext(directory), retention, INTERVAL);
    assertThat(put("a", "10", 10)).isEqualTo(PUT_RETURN_CODE_NOT_PUT);
    assertThat(put("a", "4899", 5000 - RETENTION - 1)).isEqualTo(PUT_RETURN_CODE_NOT_PUT);
    assertThat(get("a")).isEqualTo("none");
    put("a", "4900", 5000 - RETENTION);
    assertThat(get("a")).isEqualTo("4900@4900");
  }

  @Test
  void exactlyOnce_afterUncommittedWrites_isCorrupted() {
    reopen(new TestContext(directory).exactlyOnce());
    put("a", "1", 1);
    store.commit(Map.of(CHANGELOG_PARTITION, 5L));
    context.restore(List.of(record(6, 1000, key("a").get(), value("2"))));
    reopen(new TestContext(directory).exactlyOnce());
    assertThat(get("a")).isEqualTo("2@1000");
    put("a", "3", 2000);
    assertThatThrownBy(() -> reopen(new TestContext(directory).exactlyOnce()))
        .isInstanceOf(TaskCorruptedException.class);
  }

  @Test
  void versions_whoseFirstIsDamaged_closeTheirCursor() {
    StoreDatabase database =
        StoreDatabase.open(
            "damaged", KvVersionedStore.KIND, new TestContext(directory), /* env= */ null);
    try {
      byte[] name = {'a'};
      DBIterator cursor = mock(DBIterator.class);
      when(cursor.isValid()).thenReturn(true);
      when(cursor.key()).thenReturn(VersionFormat.version(name, 5));
      when(cursor.value()).thenReturn(new byte[] {7});
      assertThatThrownBy(() -> new VersionIterator(database, cursor, name, 0, 10, true))
          .isInstanceOf(ProcessorStateException.class)
          .hasMessageContaining("damaged value");
      verify(cursor).close();
    } finally {
      database.close();
    }
  }

  @Test
  void use_afterClose_throws() {
    put("a", "1", 1);
    MultiVersionedKeyQuery<Bytes, byte[]> query = MultiVersionedKeyQuery.withKey(key("a"));
    VersionedRecordIterator<byte[]> versions = ask(store, query).getResult();
    store.close();
    assertThatThrownBy(versions::next).isInstanceOf(InvalidStateStoreException.class);
    assertThatThrownBy(() -> get("a")).isInstanceOf(InvalidStateStoreException.class);
    assertThatThrownBy(() -> put("a", "1", 1)).isInstanceOf(InvalidStateStoreException.class);
    assertThat(ask(store, query).getFailureReason()).isEqualTo(FailureReason.STORE_EXCEPTION);
  }

  @Test
  void callsWithoutATime_areNotSupported() {
    assertThatThrownBy(() -> store.put(key("a"), value("1")))
        .isInstanceOf(UnsupportedOperationException.class)
        .hasMessageContaining("store");
    assertThatThrownBy(store::all).isInstanceOf(UnsupportedOperationException.class);
    assertThatThrownBy(store::reverseAll).isInstanceOf(UnsupportedOperationException.class);
  }

  @Test
  void supplier_saysWhatStreamsAsks() {
    assertThat(KvStores.versionedKeyValue("v", Duration.ofMinutes(3)).historyRetentionMs())
        .isEqualTo(180_000);
    assertThatThrownBy(() -> create(-1, 1)).isInstanceOf(IllegalArgumentException.class);
    assertThatThrownBy(() -> create(1, 0)).isInstanceOf(IllegalArgumentException.class);
  }

  @Test
  void directory_afterTheClose_isReadByCppLevelDB() throws IOException {
    put("a", "1", 1);
    put("a", "2", 2);
    store.close();
    Path database = directory.resolve("kv").resolve("store");
    // The library is old, and knows tables by their former name.
    Options former = Options.builder().tables(t -> t.suffix(TableSuffix.SST)).build();
    try (DB db = DB.open(database, former)) {
      db.admin().flush();
    }
    try (org.iq80.leveldb.DB db =
        JniDBFactory.factory.open(
            database.toFile(), new org.iq80.leveldb.Options().createIfMissing(false))) {
      byte[] stored = db.get(VersionFormat.version(new byte[] {'a'}, 1));
      assertThat(stored).isEqualTo(new byte[] {1, '1'});
    }
    reopen(new TestContext(directory));
    assertThat(versions("a", 0, 10, true)).containsExactly("1@1-2", "2@2");
  }
}
