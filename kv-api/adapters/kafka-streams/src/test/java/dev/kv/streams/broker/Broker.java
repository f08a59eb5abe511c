package dev.kv.streams.broker;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.function.BiConsumer;
import java.util.stream.Collectors;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.NewTopic;
import org.apache.kafka.clients.admin.OffsetSpec;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.consumer.KafkaConsumer;
import org.apache.kafka.clients.consumer.OffsetAndMetadata;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.serialization.StringDeserializer;
import org.apache.kafka.common.serialization.StringSerializer;
import org.apache.kafka.common.test.KafkaClusterTestKit;
import org.apache.kafka.common.test.TestKitNodes;

/**
 * A Kafka broker in this process, which is its own controller.
 *
 * <p>Its time limits are short: a group notices after a second that a member died, and transactions
 * whose producer died are looked for five times a second.
 */
final class Broker implements AutoCloseable {
  private static final Duration POLL = Duration.ofMillis(100);
  private static final long LIMIT = TimeUnit.SECONDS.toNanos(120);

  private final KafkaClusterTestKit cluster;

  private Broker(KafkaClusterTestKit cluster) {
    this.cluster = cluster;
  }

  /** Starts a broker that listens at a free port of this machine. */
  static Broker start() throws Exception {
    KafkaClusterTestKit cluster =
        new KafkaClusterTestKit.Builder(
                new TestKitNodes.Builder()
                    .setCombined(true)
                    .setNumBrokerNodes(1)
                    .setNumControllerNodes(1)
                    .build())
            .setConfigProp("offsets.topic.replication.factor", "1")
            .setConfigProp("offsets.topic.num.partitions", "1")
            .setConfigProp("transaction.state.log.replication.factor", "1")
            .setConfigProp("transaction.state.log.min.isr", "1")
            .setConfigProp("transaction.state.log.num.partitions", "1")
            .setConfigProp("transaction.abort.timed.out.transaction.cleanup.interval.ms", "200")
            .setConfigProp("group.initial.rebalance.delay.ms", "0")
            .setConfigProp("group.min.session.timeout.ms", "1000")
            .setConfigProp("auto.create.topics.enable", "false")
            .build();
    try {
      cluster.format();
      cluster.startup();
      cluster.waitForReadyBrokers();
    } catch (Exception | Error e) {
      cluster.close();
      throw e;
    }
    return new Broker(cluster);
  }

  String address() {
    return cluster.bootstrapServers();
  }

  void createTopic(String name, int partitions) throws ExecutionException, InterruptedException {
    try (Admin admin = cluster.admin()) {
      admin.createTopics(List.of(new NewTopic(name, partitions, (short) 1))).all().get();
    }
  }

  void deleteTopic(String name) throws ExecutionException, InterruptedException {
    try (Admin admin = cluster.admin()) {
      admin.deleteTopics(List.of(name)).all().get();
    }
  }

  /** Returns a producer of text that sends in large batches. */
  KafkaProducer<String, String> producer() {
    Map<String, Object> config = new HashMap<>();
    config.put("bootstrap.servers", address());
    config.put("linger.ms", 20);
    config.put("batch.size", 256 << 10);
    return new KafkaProducer<>(config, new StringSerializer(), new StringSerializer());
  }

  /** Calls {@code visitor} with each committed record that is in {@code topic} now. */
  void read(String topic, BiConsumer<String, ConsumerRecord<String, String>> visitor)
      throws ExecutionException, InterruptedException {
    Map<TopicPartition, Long> ends = ends(topic);
    Map<String, Object> config = new HashMap<>();
    config.put("bootstrap.servers", address());
    config.put("isolation.level", "read_committed");
    config.put("enable.auto.commit", "false");
    config.put("auto.offset.reset", "earliest");
    try (KafkaConsumer<String, String> consumer =
        new KafkaConsumer<>(config, new StringDeserializer(), new StringDeserializer())) {
      consumer.assign(ends.keySet());
      while (ends.entrySet().stream()
          .anyMatch(end -> consumer.position(end.getKey()) < end.getValue())) {
        consumer.poll(POLL).forEach(record -> visitor.accept(record.key(), record));
      }
    }
  }

  /** Returns the committed values of each key of {@code topic}, in their order. */
  Map<String, List<String>> byKey(String topic) throws ExecutionException, InterruptedException {
    Map<String, List<String>> values = new TreeMap<>();
    read(
        topic,
        (key, record) ->
            values
                .computeIfAbsent(key, k -> new ArrayList<>())
                .add(String.valueOf(record.value())));
    return values;
  }

  /** Waits until {@code application} has processed, and committed, all that is in {@code topic}. */
  void awaitConsumed(String application, String topic)
      throws ExecutionException, InterruptedException {
    Map<TopicPartition, Long> ends = ends(topic);
    long limit = System.nanoTime() + LIMIT;
    try (Admin admin = cluster.admin()) {
      Map<TopicPartition, OffsetAndMetadata> committed = Map.of();
      while (!reached(committed, ends)) {
        assertThat(System.nanoTime()).as("%s of %s", committed, ends).isLessThan(limit);
        Thread.sleep(20);
        committed =
            admin.listConsumerGroupOffsets(application).partitionsToOffsetAndMetadata().get();
      }
    }
  }

  private static boolean reached(
      Map<TopicPartition, OffsetAndMetadata> committed, Map<TopicPartition, Long> ends) {
    return ends.entrySet().stream()
        .allMatch(
            end -> {
              OffsetAndMetadata offset = committed.get(end.getKey());
              return offset == null ? end.getValue() == 0 : offset.offset() >= end.getValue();
            });
  }

  private Map<TopicPartition, Long> ends(String topic)
      throws ExecutionException, InterruptedException {
    try (Admin admin = cluster.admin()) {
      List<TopicPartition> partitions = new ArrayList<>();
      admin
          .describeTopics(List.of(topic))
          .topicNameValues()
          .get(topic)
          .get()
          .partitions()
          .forEach(info -> partitions.add(new TopicPartition(topic, info.partition())));
      return admin
          .listOffsets(
              partitions.stream()
                  .collect(Collectors.toMap(partition -> partition, p -> OffsetSpec.latest())))
          .all()
          .get()
          .entrySet()
          .stream()
          .collect(Collectors.toMap(Map.Entry::getKey, end -> end.getValue().offset()));
    }
  }

  @Override
  public void close() throws Exception {
    cluster.close();
  }
}
