package dev.kv.streams;

import static dev.kv.streams.TestContext.CHANGELOG;
import static dev.kv.streams.TestContext.INPUT;
import static dev.kv.streams.TestContext.PARTITION;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.InstanceOfAssertFactories.STRING;
import static org.mockito.Mockito.doAnswer;
import static org.mockito.Mockito.mock;
import static org.mockito.Mockito.spy;
import static org.mockito.Mockito.when;

import dev.kv.DB;
import dev.kv.DBIterator;
import dev.kv.Options;
import dev.kv.SharedResources;
import dev.kv.env.Env;
import dev.kv.errors.DBClosedException;
import dev.kv.options.TableSuffix;
import dev.kv.streams.database.ProcessResources;
import dev.kv.streams.database.StoreDatabase;
import dev.kv.streams.database.StoreKind.Values;
import dev.kv.streams.scan.EntryIterator;
import dev.kv.testing.FaultEnv;
import dev.kv.testing.FaultEnv.Fault;
import dev.kv.testing.FaultEnv.Kind;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.config.ConfigException;
import org.apache.kafka.common.serialization.ByteArraySerializer;
import org.apache.kafka.common.utils.Bytes;
import org.apache.kafka.common.utils.LogCaptureAppender;
import org.apache.kafka.streams.KeyValue;
import org.apache.kafka.streams.StreamsConfig;
import org.apache.kafka.streams.errors.InvalidStateStoreException;
import org.apache.kafka.streams.errors.ProcessorStateException;
import org.apache.kafka.streams.errors.TaskCorruptedException;
import org.apache.kafka.streams.processor.internals.ChangelogRecordDeserializationHelper;
import org.apache.kafka.streams.query.FailureReason;
import org.apache.kafka.streams.query.KeyQuery;
import org.apache.kafka.streams.query.Position;
import org.apache.kafka.streams.query.PositionBound;
import org.apache.kafka.streams.query.Query;
import org.apache.kafka.streams.query.QueryConfig;
import org.apache.kafka.streams.query.QueryResult;
import org.apache.kafka.streams.query.RangeQuery;
import org.apache.kafka.streams.query.WindowKeyQuery;
import org.apache.kafka.streams.state.HeadersBytesStore;
import org.apache.kafka.streams.state.HeadersBytesStoreSupplier;
import org.apache.kafka.streams.state.KeyValueIterator;
import org.apache.kafka.streams.state.KeyValueStore;
import org.apache.kafka.streams.state.TimestampedBytesStore;
import org.apache.kafka.streams.state.internals.PositionSerde;
import org.fusesource.leveldbjni.JniDBFactory;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Tests key-value stores: restarts, offsets, Position, queries. */
class KvKeyValueStoreTest {
  private static final TopicPartition CHANGELOG_PARTITION =
      new TopicPartition(CHANGELOG, PARTITION);
  private static final TopicPartition OTHER = new TopicPartition("other-changelog", 0);

  @TempDir private Path directory;
  private TestContext context = new TestContext(Path.of(""));
  private KeyValueStore<Bytes, byte[]> store = KvStores.keyValue("store").get();

  @BeforeEach
  void open() {
    context = new TestContext(directory);
    store.init(context, store);
  }

  @AfterEach
  void close() {
    store.close();
  }

  /** Opens the directory again with a new store, which Streams does after a start. */
  private void reopen(TestContext next) {
    store.close();
    context = next;
    store = KvStores.keyValue("store").get();
    store.init(context, store);
  }

  private static Bytes key(String text) {
    return Bytes.wrap(value(text));
  }

  private static byte[] value(String text) {
    return text.getBytes(StandardCharsets.UTF_8);
  }

  private void put(String key, String value) {
    store.put(key(key), value(value));
  }

  private @Nullable String get(String key) {
    byte[] value = store.get(key(key));
    return value == null ? null : new String(value, StandardCharsets.UTF_8);
  }

  private static List<String> keys(KeyValueIterator<Bytes, byte[]> entries) {
    List<String> keys = new ArrayList<>();
    try (entries) {
      while (entries.hasNext()) {
        Bytes peeked = entries.peekNextKey();
        KeyValue<Bytes, byte[]> next = entries.next();
        assertThat(next.key).isEqualTo(peeked);
        keys.add(new String(next.key.get(), StandardCharsets.ISO_8859_1));
      }
    }
    return keys;
  }

  @Test
  void reopen_afterCommit_hasDataOffsetsAndPosition() {
    context.processing(17);
    put("a", "1");
    store.commit(Map.of(CHANGELOG_PARTITION, 5L, OTHER, 8L));
    reopen(new TestContext(directory));

    assertThat(get("a")).isEqualTo("1");
    assertThat(store.committedOffset(CHANGELOG_PARTITION)).isEqualTo(5L);
    assertThat(store.committedOffset(OTHER)).isEqualTo(8L);
    assertThat(store.getPosition())
        .isEqualTo(Position.emptyPosition().withComponent(INPUT, PARTITION, 17));
  }

  @Test
  void commit_ofANull_removesThatOffset() {
    put("a", "1");
    store.commit(Map.of(CHANGELOG_PARTITION, 5L, OTHER, 8L));
    Map<TopicPartition, Long> none = new HashMap<>();
    none.put(OTHER, null);
    store.commit(none);

    assertThat(store.committedOffset(OTHER)).isNull();
    assertThat(store.committedOffset(CHANGELOG_PARTITION)).isEqualTo(5L);
    reopen(new TestContext(directory));
    assertThat(store.committedOffset(OTHER)).isNull();
    assertThat(store.committedOffset(CHANGELOG_PARTITION)).isEqualTo(5L);
  }

  @Test
  void commit_ofNothing_removesAllOffsetsAndNoData() {
    put("a", "1");
    store.commit(Map.of(CHANGELOG_PARTITION, 5L, OTHER, 8L));
    store.commit(Map.of());

    assertThat(store.committedOffset(OTHER)).isNull();
    reopen(new TestContext(directory));
    assertThat(store.committedOffset(CHANGELOG_PARTITION)).isNull();
    assertThat(get("a")).isEqualTo("1");
  }

  @Test
  void commit_thatFails_changesNoOffset() {
    store.close();
    FaultEnv env = new FaultEnv(Env.inMemory());
    store = new KvKeyValueStore("store", Values.PLAIN, env);
    store.init(context, store);
    put("a", "1");
    store.commit(Map.of(CHANGELOG_PARTITION, 5L));
    env.fail(Fault.ERROR, Long.MAX_VALUE, operation -> operation.kind() != Kind.CLOSE);
    assertThatThrownBy(() -> store.commit(Map.of(CHANGELOG_PARTITION, 6L, OTHER, 8L)))
        .isInstanceOf(ProcessorStateException.class);
    assertThat(store.committedOffset(CHANGELOG_PARTITION)).isEqualTo(5L);
    assertThat(store.committedOffset(OTHER)).isNull();
    assertThatThrownBy(() -> store.commit(Map.of())).isInstanceOf(ProcessorStateException.class);
    assertThat(store.committedOffset(CHANGELOG_PARTITION)).isEqualTo(5L);
    env.heal();
  }

  @Test
  void commit_ofANewStoreThatWasNeverWritten_keepsNoOffset() {
    store.commit(Map.of(CHANGELOG_PARTITION, 5L));
    assertThat(store.committedOffset(CHANGELOG_PARTITION)).isNull();
    long unknown = -4;
    store.commit(Map.of(CHANGELOG_PARTITION, unknown));
    assertThat(store.committedOffset(CHANGELOG_PARTITION)).isEqualTo(unknown);

    context.restore("a", "1");
    store.commit(Map.of(CHANGELOG_PARTITION, 5L));
    assertThat(store.committedOffset(CHANGELOG_PARTITION)).isEqualTo(5L);
  }

  @Test
  void commit_afterAReopenOfAStoreThatWasNeverWritten_keepsNoOffset() {
    reopen(new TestContext(directory));
    store.commit(Map.of(CHANGELOG_PARTITION, 1000L));
    assertThat(store.committedOffset(CHANGELOG_PARTITION)).isNull();
    long unknown = -4;
    store.commit(Map.of(CHANGELOG_PARTITION, unknown));
    reopen(new TestContext(directory));
    store.commit(Map.of(CHANGELOG_PARTITION, 1000L));
    assertThat(store.committedOffset(CHANGELOG_PARTITION)).isEqualTo(unknown);
  }

  @Test
  void commit_afterAReopenOfAStoreThatWasWritten_keepsTheOffsetsOfTheStoreUntilTheNextWrite() {
    put("a", "1");
    reopen(new TestContext(directory));
    store.commit(Map.of(CHANGELOG_PARTITION, 5L));
    assertThat(store.committedOffset(CHANGELOG_PARTITION)).isNull();
    context.restore("a", "1");
    store.commit(Map.of(CHANGELOG_PARTITION, 5L));
    reopen(new TestContext(directory));
    store.commit(Map.of(CHANGELOG_PARTITION, 6L, OTHER, 8L));
    assertThat(store.committedOffset(CHANGELOG_PARTITION)).isEqualTo(5L);
    assertThat(store.committedOffset(OTHER)).isNull();
    store.delete(key("a"));
    store.commit(Map.of(CHANGELOG_PARTITION, 6L));
    assertThat(store.committedOffset(CHANGELOG_PARTITION)).isEqualTo(6L);
  }

  @Test
  void scans_showNeitherOffsetsNorPosition() {
    context.processing(1);
    put("", "empty");
    put("\u0000o", "zero");
    store.put(Bytes.wrap(new byte[] {-1, -1}), value("last"));
    store.commit(Map.of(CHANGELOG_PARTITION, 5L));

    assertThat(get("")).isEqualTo("empty");
    assertThat(keys(store.all())).containsExactly("", "\u0000o", "\u00ff\u00ff");
    assertThat(keys(store.reverseAll())).containsExactly("\u00ff\u00ff", "\u0000o", "");
    assertThat(keys(store.range(null, key("\u0000o")))).containsExactly("", "\u0000o");
    assertThat(keys(store.reverseRange(key("\u0000"), null)))
        .containsExactly("\u00ff\u00ff", "\u0000o");
    assertThat(keys(store.prefixScan(new byte[] {-1}, new ByteArraySerializer())))
        .containsExactly("\u00ff\u00ff");
    assertThat(keys(store.prefixScan(new byte[0], new ByteArraySerializer()))).hasSize(3);
    assertThat(store.approximateNumEntries()).isEqualTo(3);
  }

  @Test
  void exactlyOnce_afterUncommittedWrites_isCorrupted() {
    reopen(new TestContext(directory).exactlyOnce());
    put("a", "1");
    store.commit(Map.of(CHANGELOG_PARTITION, 5L));
    reopen(new TestContext(directory).exactlyOnce());
    assertThat(store.committedOffset(CHANGELOG_PARTITION)).isEqualTo(5L);

    put("a", "2");
    assertThatThrownBy(() -> reopen(new TestContext(directory).exactlyOnce()))
        .isInstanceOfSatisfying(
            TaskCorruptedException.class,
            e -> assertThat(e.corruptedTasks()).containsExactly(context.taskId()));
    assertThat(store.isOpen()).isFalse();
  }

  @Test
  void exactlyOnce_afterUncommittedBatch_isCorrupted() {
    reopen(new TestContext(directory).exactlyOnce());
    store.putAll(List.of(KeyValue.pair(key("a"), value("1"))));
    assertThatThrownBy(() -> reopen(new TestContext(directory).exactlyOnce()))
        .isInstanceOf(TaskCorruptedException.class);
  }

  @Test
  void exactlyOnce_afterRestoredRecords_isNotCorrupted() {
    reopen(new TestContext(directory).exactlyOnce());
    context.restore("a", "1", "b", "2");
    store.commit(Map.of(CHANGELOG_PARTITION, 5L));
    context.restore("a", "3");
    reopen(new TestContext(directory).exactlyOnce());

    assertThat(get("a")).isEqualTo("3");
    assertThat(store.committedOffset(CHANGELOG_PARTITION)).isEqualTo(5L);
  }

  /** The writes may be missing in the changelog, and the input is processed again. */
  @Test
  void exactlyOnce_afterUncommittedWritesUnderAtLeastOnce_isCorrupted() {
    put("a", "1");
    store.commit(Map.of(CHANGELOG_PARTITION, 5L));
    reopen(new TestContext(directory).exactlyOnce());
    assertThat(get("a")).isEqualTo("1");

    reopen(new TestContext(directory));
    put("a", "2");
    assertThatThrownBy(() -> reopen(new TestContext(directory).exactlyOnce()))
        .isInstanceOf(TaskCorruptedException.class);
  }

  @Test
  void atLeastOnce_afterUncommittedWrites_opens() {
    put("a", "1");
    reopen(new TestContext(directory));
    assertThat(get("a")).isEqualTo("1");
  }

  @Test
  void open_ofAnotherKind_namesDirectoryAndRemedy() {
    store.close();
    KeyValueStore<Bytes, byte[]> other = KvStores.timestampedKeyValue("store").get();
    assertThatThrownBy(() -> other.init(context, other))
        .isInstanceOf(ProcessorStateException.class)
        .hasMessageContaining(directory.resolve("kv").resolve("store").toString())
        .hasMessageContaining("KEY_VALUE/PLAIN")
        .hasMessageContaining("delete the directory");
  }

  @Test
  void init_withAVersionToUpgradeFrom_warnsOfTheCheckpointFile() {
    try (LogCaptureAppender logged = LogCaptureAppender.createAndRegister(KvStateStore.class)) {
      reopen(new TestContext(directory));
      assertThat(logged.getMessages()).isEmpty();
      reopen(new TestContext(directory).with(StreamsConfig.UPGRADE_FROM_CONFIG, "4.2"));
      assertThat(logged.getMessages("WARN"))
          .singleElement(STRING)
          .contains("upgrade.from is 4.2", "store store", ".checkpoint in " + directory);
    }
  }

  @ParameterizedTest
  @ValueSource(booleans = {false, true})
  void init_thatFailsWithAnError_closesTheDatabase(boolean closeFails) {
    store.close();
    FaultEnv env = new FaultEnv(Env.inMemory());
    store = new KvKeyValueStore("store", Values.PLAIN, env);
    TestContext failing = spy(new TestContext(directory));
    doAnswer(
            call -> {
              if (closeFails) {
                env.fail(Fault.ERROR, 1, operation -> operation.kind() == Kind.CLOSE);
              }
              throw new StackOverflowError();
            })
        .when(failing)
        .metrics();
    assertThatThrownBy(() -> store.init(failing, store))
        .isInstanceOf(StackOverflowError.class)
        .satisfies(e -> assertThat(e.getSuppressed()).hasSize(closeFails ? 1 : 0));
    assertThat(env.injected()).isEqualTo(closeFails ? 1 : 0);

    // What the stores of a process share was released: the next one has its own.
    long bytes = KvStores.DEFAULT_MEMORY_BYTES / 2;
    SharedResources next =
        ProcessResources.INSTANCE.acquire(Map.of(KvStores.MEMORY_BYTES_CONFIG, bytes));
    assertThat(next.settings().offHeapLimit()).isEqualTo(bytes);
    ProcessResources.INSTANCE.release();
    store.init(context, store);
  }

  @Test
  void markers_areThoseOfTheFormat() {
    assertThat(store).isNotInstanceOf(TimestampedBytesStore.class);
    assertThat(KvStores.timestampedKeyValue("t").get()).isInstanceOf(TimestampedBytesStore.class);
    assertThat(KvStores.timestampedKeyValueWithHeaders("h").get())
        .isInstanceOf(HeadersBytesStore.class);
    assertThat(KvStores.timestampedKeyValueWithHeaders("h"))
        .isInstanceOf(HeadersBytesStoreSupplier.class);
  }

  @Test
  void use_afterClose_throws() {
    put("a", "1");
    KeyValueIterator<Bytes, byte[]> entries = store.all();
    store.close();
    store.close();

    assertThat(store.isOpen()).isFalse();
    assertThatThrownBy(() -> get("a")).isInstanceOf(InvalidStateStoreException.class);
    assertThatThrownBy(() -> put("a", "1")).isInstanceOf(InvalidStateStoreException.class);
    assertThatThrownBy(() -> store.all()).isInstanceOf(InvalidStateStoreException.class);
    assertThatThrownBy(() -> store.commit(Map.of())).isInstanceOf(InvalidStateStoreException.class);
    assertThatThrownBy(() -> store.approximateNumEntries())
        .isInstanceOf(InvalidStateStoreException.class);
    assertThatThrownBy(entries::hasNext).isInstanceOf(InvalidStateStoreException.class);
    entries.close();
  }

  @Test
  void peek_ofAStoreThatIsClosedAfterHasNext_throwsTheExceptionOfStreams() {
    DBIterator cursor = mock(DBIterator.class);
    when(cursor.isValid()).thenReturn(true);
    when(cursor.keySlice()).thenThrow(new DBClosedException("closed"));
    StoreDatabase database = ((KvStateStore) store).open();
    try (EntryIterator entries = new EntryIterator(database, cursor, true)) {
      assertThatThrownBy(entries::peekNextKey).isInstanceOf(InvalidStateStoreException.class);
    }
  }

  private <R> QueryResult<R> ask(Query<R> query, PositionBound bound) {
    return store.query(query, bound, new QueryConfig(false));
  }

  @Test
  void query_knowsKeysAndRanges() {
    context.processing(7);
    put("a", "1");
    put("b", "2");
    PositionBound reached =
        PositionBound.at(Position.emptyPosition().withComponent(INPUT, PARTITION, 7));

    QueryResult<byte[]> one = ask(KeyQuery.withKey(key("a")), reached);
    assertThat(one.getResult()).isEqualTo(value("1"));
    assertThat(one.getPosition()).isEqualTo(reached.position());
    RangeQuery<Bytes, byte[]> range = RangeQuery.withNoBounds();
    assertThat(keys(ask(range, reached).getResult())).containsExactly("a", "b");
    assertThat(keys(ask(range.withDescendingKeys(), reached).getResult()))
        .containsExactly("b", "a");
    assertThat(
            ask(
                    WindowKeyQuery.withKeyAndWindowStartRange(
                        key("a"), java.time.Instant.EPOCH, java.time.Instant.EPOCH),
                    reached)
                .getFailureReason())
        .isEqualTo(FailureReason.UNKNOWN_QUERY_TYPE);
  }

  @Test
  void query_withABoundThatIsNotReached_fails() {
    context.processing(7);
    put("a", "1");
    KeyQuery<Bytes, byte[]> query = KeyQuery.withKey(key("a"));
    Position ahead = Position.emptyPosition().withComponent(INPUT, PARTITION, 8);
    assertThat(ask(query, PositionBound.at(ahead)).getFailureReason())
        .isEqualTo(FailureReason.NOT_UP_TO_BOUND);
    Position unseen = Position.emptyPosition().withComponent("unseen", PARTITION, 0);
    assertThat(ask(query, PositionBound.at(unseen)).getFailureReason())
        .isEqualTo(FailureReason.NOT_UP_TO_BOUND);
    Position elsewhere = Position.emptyPosition().withComponent(INPUT, PARTITION + 1, 100);
    assertThat(ask(query, PositionBound.at(elsewhere)).isSuccess()).isTrue();
  }

  @Test
  void query_afterClose_reportsTheFailure() {
    store.close();
    QueryResult<byte[]> result = ask(KeyQuery.withKey(key("a")), PositionBound.unbounded());
    assertThat(result.getFailureReason()).isEqualTo(FailureReason.STORE_EXCEPTION);
    assertThat(result.getFailureMessage()).contains("currently closed");
  }

  @Test
  void memoryBytes_thatAreNoSize_areRefused() {
    store.close();
    for (String wrong : new String[] {"much", "1024", "-1"}) {
      KeyValueStore<Bytes, byte[]> other = KvStores.keyValue("store").get();
      TestContext wrongContext =
          new TestContext(directory).with(KvStores.MEMORY_BYTES_CONFIG, wrong);
      assertThatThrownBy(() -> other.init(wrongContext, other))
          .isInstanceOf(ConfigException.class)
          .hasMessageContaining(KvStores.MEMORY_BYTES_CONFIG);
    }
  }

  @Test
  void metrics_haveTheNamesOfStreams_untilTheClose() {
    for (int i = 0; i < 100; i++) {
      put("key" + i, "value");
    }
    get("key1");
    get("none");
    Map<String, Double> values = metrics();
    assertThat(values.get("estimate-num-keys")).isBetween(100.0, 110.0);
    assertThat(values.get("bytes-written-total")).isGreaterThan(1000);
    assertThat(values.get("memtable-hit-ratio")).isGreaterThan(0);
    assertThat(values.get("size-all-mem-tables")).isGreaterThan(1000);
    assertThat(values.get("block-cache-capacity")).isEqualTo(KvStores.DEFAULT_MEMORY_BYTES / 4.0);
    assertThat(values)
        .containsKeys(
            "write-stall-duration-total",
            "block-cache-data-hit-ratio",
            "block-cache-usage",
            "estimate-table-readers-mem",
            "total-sst-files-size",
            "live-sst-files-size",
            "number-open-files");
    store.close();
    assertThat(metrics()).isEmpty();
  }

  private Map<String, Double> metrics() {
    Map<String, Double> values = new HashMap<>();
    context
        .metrics()
        .metrics()
        .forEach(
            (name, metric) -> {
              if (name.group().equals("stream-state-metrics")) {
                assertThat(name.tags())
                    .containsEntry("kv-state-id", "store")
                    .containsEntry("task-id", "0_" + PARTITION);
                values.put(name.name(), (Double) metric.metricValue());
              }
            });
    return values;
  }

  @Test
  void restore_ofRecordsWithPositions_restoresThePosition() {
    reopen(
        new TestContext(directory)
            .with(StreamsConfig.InternalConfig.IQ_CONSISTENCY_OFFSET_VECTOR_ENABLED, true));
    Position position = Position.emptyPosition().withComponent(INPUT, PARTITION, 41);
    ConsumerRecord<byte[], byte[]> record =
        new ConsumerRecord<>(CHANGELOG, PARTITION, 0, value("a"), value("1"));
    record
        .headers()
        .add(ChangelogRecordDeserializationHelper.CHANGELOG_VERSION_HEADER_RECORD_CONSISTENCY)
        .add(
            ChangelogRecordDeserializationHelper.CHANGELOG_POSITION_HEADER_KEY,
            PositionSerde.serialize(position).array());
    context.restore(List.of(record));
    assertThat(get("a")).isEqualTo("1");
    assertThat(store.getPosition()).isEqualTo(position);
    store.commit(Map.of(CHANGELOG_PARTITION, 0L));
    reopen(new TestContext(directory));
    assertThat(store.getPosition()).isEqualTo(position);
  }

  @Test
  void directory_afterTheClose_isReadByCppLevelDB() throws IOException {
    put("a", "1");
    put("b", "2");
    store.commit(Map.of(CHANGELOG_PARTITION, 5L));
    store.close();
    Path database = directory.resolve("kv").resolve("store");
    // The library is old, and knows tables by their former name.
    Options former = Options.builder().tables(t -> t.suffix(TableSuffix.SST)).build();
    try (DB db = DB.open(database, former)) {
      db.put(new byte[] {StoreDatabase.DATA, 'c'}, value("3"));
      db.admin().flush();
    }
    try (org.iq80.leveldb.DB db =
        JniDBFactory.factory.open(
            database.toFile(), new org.iq80.leveldb.Options().createIfMissing(false))) {
      assertThat(db.get(new byte[] {StoreDatabase.DATA, 'a'})).isEqualTo(value("1"));
      assertThat(db.get(new byte[] {StoreDatabase.DATA, 'c'})).isEqualTo(value("3"));
    }
    reopen(new TestContext(directory));
    assertThat(keys(store.all())).containsExactly("a", "b", "c");
    assertThat(store.committedOffset(CHANGELOG_PARTITION)).isEqualTo(5L);
  }
}
