package dev.kv.streams.broker;

import static org.assertj.core.api.Assertions.assertThat;

import dev.kv.streams.KvStores;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.NavigableMap;
import java.util.Properties;
import java.util.SplittableRandom;
import java.util.TreeMap;
import java.util.concurrent.atomic.AtomicLong;
import java.util.stream.Stream;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.streams.CloseOptions;
import org.apache.kafka.streams.KafkaStreams;
import org.apache.kafka.streams.StreamsBuilder;
import org.apache.kafka.streams.kstream.Materialized;
import org.apache.kafka.streams.query.QueryResult;
import org.apache.kafka.streams.query.StateQueryRequest;
import org.apache.kafka.streams.query.VersionedKeyQuery;
import org.apache.kafka.streams.state.VersionedRecord;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Topologies with stores on kv, on a broker: what they count, and what a restart restores. */
@Tag("slow")
class BrokerIT {
  private static final int RECORDS = 100_000;
  private static final int PARTITIONS = 4;
  private static final String APPLICATION = "count";
  private static final String OUTPUT = Topologies.output(APPLICATION, Topologies.COUNTS);
  private static final String VERSIONS = "versions";
  private static final int CHANGES = 1000;
  private static final long SEED = Long.getLong("kv.seed", 1);

  private static Broker broker;

  @TempDir Path temp;

  @BeforeAll
  static void start() throws Exception {
    broker = Broker.start();
  }

  @AfterAll
  static void stop() throws Exception {
    broker.close();
  }

  @Test
  void topology_restarted_restoresOnlyWhatIsMissing() throws Exception {
    broker.createTopic(Topologies.INPUT, PARTITIONS);
    broker.createTopic(OUTPUT, PARTITIONS);
    Properties config = Application.config(broker.address(), APPLICATION, temp);
    Records records = new Records(broker, SEED, 5000);
    records.send(Topologies.INPUT, RECORDS);

    try (Application application = Application.start(Topologies.COUNT, config)) {
      broker.awaitConsumed(APPLICATION, Topologies.INPUT);
      assertThat(application.counts()).isEqualTo(records.counts());
    }
    records.expectCountedOnce(OUTPUT);

    try (Application application = Application.start(Topologies.COUNT, config)) {
      assertThat(application.restored()).as("after a clean end").isZero();
      assertThat(application.counts()).isEqualTo(records.counts());
    }

    delete(temp.resolve(APPLICATION).resolve("0_1"));
    try (Application application = Application.start(Topologies.COUNT, config)) {
      assertThat(application.restored())
          .isBetween((long) RECORDS / PARTITIONS / 2, (long) RECORDS / 2);
      assertThat(application.counts()).isEqualTo(records.counts());
      records.send(Topologies.INPUT, 1000);
      broker.awaitConsumed(APPLICATION, Topologies.INPUT);
      assertThat(application.counts()).isEqualTo(records.counts());
    }
    records.expectCountedOnce(OUTPUT);
  }

  @Test
  void versionedTable_restartedAndRestored_hasAllVersions() throws Exception {
    String topic = "changes";
    broker.createTopic(topic, PARTITIONS);
    long begin = System.currentTimeMillis() - Duration.ofMinutes(10).toMillis();
    Map<String, NavigableMap<Long, String>> versions = sendVersions(topic, begin);
    StreamsBuilder builder = new StreamsBuilder();
    builder.table(
        topic,
        Materialized.<String, String>as(KvStores.versionedKeyValue(VERSIONS, Duration.ofHours(1))));
    Properties config = Application.config(broker.address(), VERSIONS, temp);
    for (String run : List.of("new", "restarted", "restored")) {
      if (run.equals("restored")) {
        delete(temp.resolve(VERSIONS));
      }
      AtomicLong restored = new AtomicLong();
      KafkaStreams streams = new KafkaStreams(builder.build(), config);
      try {
        Application.run(streams, restored);
        broker.awaitConsumed(VERSIONS, topic);
        assertThat(restored.get()).as(run).isEqualTo(run.equals("restored") ? CHANGES : 0);
        versions.forEach(
            (key, times) -> {
              for (long time = begin; time < begin + CHANGES * 100L; time += 7_000) {
                Map.Entry<Long, String> version = times.floorEntry(time);
                assertThat(version(streams, key, time))
                    .as("%s: %s at %s, -Dkv.seed=%s", run, key, time - begin, SEED)
                    .isEqualTo(version == null ? null : version.getValue());
              }
            });
      } finally {
        streams.close(
            CloseOptions.groupMembershipOperation(
                CloseOptions.GroupMembershipOperation.LEAVE_GROUP));
      }
    }
  }

  /** Sends changes and deletions of keys, and returns the versions of each key by time. */
  private static Map<String, NavigableMap<Long, String>> sendVersions(String topic, long begin) {
    SplittableRandom random = new SplittableRandom(SEED);
    Map<String, NavigableMap<Long, String>> versions = new TreeMap<>();
    try (KafkaProducer<String, String> producer = broker.producer()) {
      for (int i = 0; i < CHANGES; i++) {
        String key = "key" + random.nextInt(10);
        String value = random.nextInt(5) == 0 ? null : "value" + i;
        long time = begin + i * 100L;
        producer.send(new ProducerRecord<>(topic, null, time, key, value));
        versions.computeIfAbsent(key, k -> new TreeMap<>()).put(time, value);
      }
    }
    return versions;
  }

  private static String version(KafkaStreams streams, String key, long time) {
    VersionedKeyQuery<String, String> query =
        VersionedKeyQuery.<String, String>withKey(key).asOf(Instant.ofEpochMilli(time));
    QueryResult<VersionedRecord<String>> found =
        streams
            .query(StateQueryRequest.inStore(VERSIONS).withQuery(query))
            .getOnlyPartitionResult();
    return found == null || found.getResult() == null ? null : found.getResult().value();
  }

  static void delete(Path directory) throws Exception {
    try (Stream<Path> files = Files.walk(directory)) {
      for (Path file : files.sorted((a, b) -> b.compareTo(a)).toList()) {
        Files.delete(file);
      }
    }
  }
}
