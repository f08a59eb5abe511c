package example;

import java.util.List;
import java.util.Map;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.NewTopic;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.serialization.StringSerializer;
import org.apache.kafka.common.test.KafkaClusterTestKit;
import org.apache.kafka.common.test.TestKitNodes;

/** A broker in this process, with some sentences in its topic {@code sentences}. */
public final class LocalBroker implements AutoCloseable {
  private final KafkaClusterTestKit cluster;

  public LocalBroker() throws Exception {
    cluster =
        new KafkaClusterTestKit.Builder(
                new TestKitNodes.Builder()
                    .setCombined(true)
                    .setNumBrokerNodes(1)
                    .setNumControllerNodes(1)
                    .build())
            .setConfigProp("offsets.topic.replication.factor", "1")
            .setConfigProp("offsets.topic.num.partitions", "1")
            .setConfigProp("group.initial.rebalance.delay.ms", "0")
            .build();
    try {
      cluster.format();
      cluster.startup();
      cluster.waitForReadyBrokers();
      try (Admin admin = cluster.admin()) {
        admin.createTopics(List.of(new NewTopic("sentences", 2, (short) 1))).all().get();
      }
      Map<String, Object> config = Map.of("bootstrap.servers", address());
      try (var producer =
          new KafkaProducer<>(config, new StringSerializer(), new StringSerializer())) {
        producer.send(new ProducerRecord<>("sentences", "the log is a table"));
        producer.send(new ProducerRecord<>("sentences", "and the table is a log"));
      }
    } catch (Throwable e) {
      cluster.close();
      throw e;
    }
  }

  public String address() {
    return cluster.bootstrapServers();
  }

  @Override
  public void close() throws Exception {
    cluster.close();
  }
}
