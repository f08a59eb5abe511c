package dev.kv.streams;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Properties;
import java.util.Random;
import org.apache.kafka.common.serialization.LongDeserializer;
import org.apache.kafka.common.serialization.Serdes;
import org.apache.kafka.common.serialization.StringDeserializer;
import org.apache.kafka.common.serialization.StringSerializer;
import org.apache.kafka.streams.StreamsBuilder;
import org.apache.kafka.streams.StreamsConfig;
import org.apache.kafka.streams.TestInputTopic;
import org.apache.kafka.streams.Topology;
import org.apache.kafka.streams.TopologyTestDriver;
import org.apache.kafka.streams.kstream.Consumed;
import org.apache.kafka.streams.kstream.EmitStrategy;
import org.apache.kafka.streams.kstream.Grouped;
import org.apache.kafka.streams.kstream.JoinWindows;
import org.apache.kafka.streams.kstream.KStream;
import org.apache.kafka.streams.kstream.KTable;
import org.apache.kafka.streams.kstream.Materialized;
import org.apache.kafka.streams.kstream.Produced;
import org.apache.kafka.streams.kstream.SessionWindows;
import org.apache.kafka.streams.kstream.SlidingWindows;
import org.apache.kafka.streams.kstream.StreamJoined;
import org.apache.kafka.streams.kstream.TimeWindows;
import org.apache.kafka.streams.query.MultiVersionedKeyQuery;
import org.apache.kafka.streams.query.PositionBound;
import org.apache.kafka.streams.query.QueryConfig;
import org.apache.kafka.streams.state.BuiltInDslStoreSuppliers;
import org.apache.kafka.streams.state.DslStoreSuppliers;
import org.apache.kafka.streams.state.Stores;
import org.apache.kafka.streams.state.VersionedBytesStoreSupplier;
import org.apache.kafka.streams.state.VersionedKeyValueStore;
import org.apache.kafka.streams.state.VersionedRecordIterator;
import org.apache.kafka.streams.test.TestRecord;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/**
 * Runs a topology with every kind of store of the DSL on kv and on the built-in stores, and
 * compares what they emit.
 */
class DslTopologyTest {
  private static final Duration MINUTE = Duration.ofMinutes(1);
  private static final List<String> OUTPUTS =
      List.of("counts", "windows", "closed", "sliding", "sessions", "closed-sessions");

  @TempDir private Path directory;

  private static Topology topology() {
    StreamsBuilder builder = new StreamsBuilder();
    KStream<String, String> left =
        builder.stream("left", Consumed.with(Serdes.String(), Serdes.String()));
    KStream<String, String> right =
        builder.stream("right", Consumed.with(Serdes.String(), Serdes.String()));
    var grouped = left.groupByKey(Grouped.with(Serdes.String(), Serdes.String()));
    Produced<String, Long> counts = Produced.with(Serdes.String(), Serdes.Long());
    grouped.count().toStream().to("counts", counts);
    var windows = TimeWindows.ofSizeAndGrace(MINUTE, MINUTE);
    grouped.windowedBy(windows).count().toStream((w, v) -> w.toString()).to("windows", counts);
    grouped
        .windowedBy(windows)
        .emitStrategy(EmitStrategy.onWindowClose())
        .count()
        .toStream((w, v) -> w.toString())
        .to("closed", counts);
    grouped
        .windowedBy(SlidingWindows.ofTimeDifferenceAndGrace(MINUTE, MINUTE))
        .emitStrategy(EmitStrategy.onWindowClose())
        .count()
        .toStream((w, v) -> w.toString())
        .to("sliding", counts);
    var sessions = SessionWindows.ofInactivityGapAndGrace(Duration.ofSeconds(20), MINUTE);
    grouped.windowedBy(sessions).count().toStream((w, v) -> w.toString()).to("sessions", counts);
    grouped
        .windowedBy(sessions)
        .emitStrategy(EmitStrategy.onWindowClose())
        .count()
        .toStream((w, v) -> w.toString())
        .to("closed-sessions", counts);
    left.outerJoin(
            right,
            (a, b) -> a + "+" + b,
            JoinWindows.ofTimeDifferenceAndGrace(Duration.ofSeconds(10), Duration.ofSeconds(10)),
            StreamJoined.with(Serdes.String(), Serdes.String(), Serdes.String()))
        .to("joined", Produced.with(Serdes.String(), Serdes.String()));
    return builder.build();
  }

  /** Runs a join of a stream with a versioned table, whose records come late. */
  private List<String> joined(VersionedBytesStoreSupplier supplier, String name, long seed) {
    StreamsBuilder builder = new StreamsBuilder();
    Consumed<String, String> texts = Consumed.with(Serdes.String(), Serdes.String());
    KTable<String, String> table = builder.table("right", texts, Materialized.as(supplier));
    builder.stream("left", texts)
        .join(table, (a, b) -> a + "+" + b)
        .to("joined", Produced.with(Serdes.String(), Serdes.String()));
    Properties properties = new Properties();
    properties.put(StreamsConfig.APPLICATION_ID_CONFIG, "versioned");
    properties.put(StreamsConfig.BOOTSTRAP_SERVERS_CONFIG, "none:9");
    properties.put(StreamsConfig.STATE_DIR_CONFIG, directory.resolve(name).toString());
    Random random = new Random(seed);
    StringSerializer strings = new StringSerializer();
    List<String> found = new ArrayList<>();
    try (TopologyTestDriver driver = new TopologyTestDriver(builder.build(), properties)) {
      TestInputTopic<String, String> left = driver.createInputTopic("left", strings, strings);
      TestInputTopic<String, String> right = driver.createInputTopic("right", strings, strings);
      for (int i = 0; i < 400; i++) {
        long time = Math.max(0, i * 1000 - random.nextInt(90_000));
        String value = random.nextInt(5) == 0 ? null : "v" + i;
        TestInputTopic<String, String> topic = random.nextBoolean() ? left : right;
        topic.pipeInput("key" + random.nextInt(8), topic == left ? "l" + i : value, time);
      }
      driver
          .createOutputTopic("joined", new StringDeserializer(), new StringDeserializer())
          .readRecordsToList()
          .forEach(record -> found.add(record.toString()));
      VersionedKeyValueStore<String, String> store = driver.getVersionedKeyValueStore("versions");
      MultiVersionedKeyQuery<String, String> query = MultiVersionedKeyQuery.withKey("key3");
      try (VersionedRecordIterator<String> versions =
          store
              .query(
                  query.withAscendingTimestamps(),
                  PositionBound.unbounded(),
                  new QueryConfig(false))
              .getResult()) {
        versions.forEachRemaining(version -> found.add(version.toString()));
      }
    }
    return found;
  }

  @Test
  void versionedTable_joinsAsOnTheBuiltInStore() {
    long seed = 16;
    // So long that the built-in store shows the same old versions in the query.
    Duration retention = Duration.ofDays(1);
    List<String> builtIn =
        joined(Stores.persistentVersionedKeyValueStore("versions", retention), "built-in", seed);
    assertThat(builtIn).hasSizeGreaterThan(50);
    assertThat(joined(KvStores.versionedKeyValue("versions", retention), "kv", seed))
        .as("seed " + seed)
        .isEqualTo(builtIn);
  }

  private List<List<TestRecord<?, ?>>> run(
      Class<? extends DslStoreSuppliers> suppliers, String format, long seed) {
    Properties properties = new Properties();
    properties.put(StreamsConfig.APPLICATION_ID_CONFIG, "dsl");
    properties.put(StreamsConfig.BOOTSTRAP_SERVERS_CONFIG, "none:9");
    properties.put(
        StreamsConfig.STATE_DIR_CONFIG, directory.resolve(suppliers.getSimpleName()).toString());
    properties.put(StreamsConfig.DSL_STORE_SUPPLIERS_CLASS_CONFIG, suppliers.getName());
    properties.put(StreamsConfig.DSL_STORE_FORMAT_CONFIG, format);
    properties.put(StreamsConfig.InternalConfig.EMIT_INTERVAL_MS_KSTREAMS_WINDOWED_AGGREGATION, 0L);
    properties.put(
        StreamsConfig.InternalConfig.EMIT_INTERVAL_MS_KSTREAMS_OUTER_JOIN_SPURIOUS_RESULTS_FIX, 0L);
    Random random = new Random(seed);
    List<List<TestRecord<?, ?>>> emitted = new ArrayList<>();
    StringSerializer strings = new StringSerializer();
    try (TopologyTestDriver driver = new TopologyTestDriver(topology(), properties)) {
      TestInputTopic<String, String> left = driver.createInputTopic("left", strings, strings);
      TestInputTopic<String, String> right = driver.createInputTopic("right", strings, strings);
      long time = 0;
      for (int i = 0; i < 80; i++) {
        time += random.nextInt(15_000);
        long late = Math.max(0, time - random.nextInt(60_000));
        TestInputTopic<String, String> topic = random.nextBoolean() ? left : right;
        topic.pipeInput("key" + random.nextInt(8), "v" + i, late);
      }
      for (String output : OUTPUTS) {
        emitted.add(
            new ArrayList<>(
                driver
                    .createOutputTopic(output, new StringDeserializer(), new LongDeserializer())
                    .readRecordsToList()));
      }
      emitted.add(
          new ArrayList<>(
              driver
                  .createOutputTopic("joined", new StringDeserializer(), new StringDeserializer())
                  .readRecordsToList()));
    }
    return emitted;
  }

  @ParameterizedTest
  @CsvSource({"DEFAULT, 1", "HEADERS, 2"})
  void topology_emitsWhatItEmitsOnTheBuiltInStores(String format, long seed) {
    var builtIn = run(BuiltInDslStoreSuppliers.RocksDBDslStoreSuppliers.class, format, seed);
    var kv = run(KvDslStoreSuppliers.class, format, seed);
    for (int i = 0; i < builtIn.size(); i++) {
      String output = i < OUTPUTS.size() ? OUTPUTS.get(i) : "joined";
      assertThat(builtIn.get(i)).as(output).isNotEmpty();
      assertThat(kv.get(i)).as(output + ", seed " + seed).isEqualTo(builtIn.get(i));
    }
    assertThat(directory.resolve("KvDslStoreSuppliers")).exists();
  }
}
