package dev.kv.streams.broker;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.HashMap;
import java.util.Map;
import java.util.SplittableRandom;
import java.util.TreeMap;
import java.util.concurrent.TimeUnit;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.ProducerRecord;

/** Random records that a test sends, and what a count of them must be. */
final class Records {
  private static final long HOUR = TimeUnit.HOURS.toMillis(1);

  /** A full hour. The broker deletes what is a week old, and refuses what is an hour ahead. */
  private final long begin = System.currentTimeMillis() / HOUR * HOUR - 6 * HOUR;

  private final Broker broker;
  private final SplittableRandom random;
  private final int keys;
  private final Map<String, Long> counts = new TreeMap<>();
  private long sent;

  Records(Broker broker, long seed, int keys) {
    this.broker = broker;
    this.random = new SplittableRandom(seed);
    this.keys = keys;
  }

  /** Sends as many records to {@code topic}. The time advances by a tenth of a second with each. */
  void send(String topic, int number) {
    try (KafkaProducer<String, String> producer = broker.producer()) {
      for (int i = 0; i < number; i++) {
        send(producer, topic, random.nextInt(keys));
      }
    }
  }

  /**
   * Sends a record of each key to {@code topic}, an hour after all others. It closes all windows.
   */
  void sendLast(String topic) {
    sent += 36_000;
    try (KafkaProducer<String, String> producer = broker.producer()) {
      for (int key = 0; key < keys; key++) {
        send(producer, topic, key);
      }
    }
  }

  private void send(KafkaProducer<String, String> producer, String topic, int number) {
    String key = "key" + number;
    counts.merge(key, 1L, Long::sum);
    producer.send(new ProducerRecord<>(topic, null, begin + sent * 100, key, "value" + sent));
    sent++;
  }

  /** Returns the number of the records of each key. */
  Map<String, Long> counts() {
    return counts;
  }

  /** Expects that {@code topic} has each count of each key once, in order. */
  void expectCountedOnce(String topic) throws Exception {
    Map<String, Long> last = new HashMap<>();
    broker.read(
        topic,
        (key, record) ->
            assertThat(Long.parseLong(record.value()))
                .as("count of %s after %s", key, last.get(key))
                .isEqualTo(last.merge(key, 1L, Long::sum)));
    assertThat(last).isEqualTo(counts);
  }
}
