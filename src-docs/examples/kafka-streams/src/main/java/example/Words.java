package example;

import dev.kv.streams.KvDslStoreSuppliers;
import java.nio.file.Files;
import java.util.Arrays;
import java.util.Properties;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.apache.kafka.common.serialization.Serdes;
import org.apache.kafka.streams.KafkaStreams;
import org.apache.kafka.streams.StoreQueryParameters;
import org.apache.kafka.streams.StreamsBuilder;
import org.apache.kafka.streams.StreamsConfig;
import org.apache.kafka.streams.kstream.Grouped;
import org.apache.kafka.streams.kstream.Materialized;
import org.apache.kafka.streams.state.QueryableStoreTypes;

/** Counts words. The counts are in a store on kv, because one line of the configuration says so. */
public final class Words {
  private static final int WORDS = 11;

  public static void main(String[] args) throws Exception {
    try (LocalBroker broker = new LocalBroker()) {
      Properties config = new Properties();
      config.put(StreamsConfig.APPLICATION_ID_CONFIG, "words");
      config.put(StreamsConfig.BOOTSTRAP_SERVERS_CONFIG, broker.address());
      config.put(StreamsConfig.STATE_DIR_CONFIG, Files.createTempDirectory("words").toString());
      config.put("auto.offset.reset", "earliest");
      config.put(StreamsConfig.DEFAULT_KEY_SERDE_CLASS_CONFIG, Serdes.StringSerde.class);
      config.put(StreamsConfig.DEFAULT_VALUE_SERDE_CLASS_CONFIG, Serdes.StringSerde.class);
      config.put(StreamsConfig.DSL_STORE_SUPPLIERS_CLASS_CONFIG, KvDslStoreSuppliers.class);

      CountDownLatch counted = new CountDownLatch(WORDS);
      StreamsBuilder builder = new StreamsBuilder();
      builder.<String, String>stream("sentences")
          .flatMapValues(sentence -> Arrays.asList(sentence.split(" ")))
          .groupBy((key, word) -> word, Grouped.with(Serdes.String(), Serdes.String()))
          .count(Materialized.as("counts"))
          .toStream()
          .foreach((word, count) -> counted.countDown());

      config.put(StreamsConfig.STATESTORE_CACHE_MAX_BYTES_CONFIG, 0);
      try (KafkaStreams streams = new KafkaStreams(builder.build(), config)) {
        streams.start();
        if (!counted.await(60, TimeUnit.SECONDS)) {
          throw new IllegalStateException("the words were not counted");
        }
        var counts =
            streams.store(
                StoreQueryParameters.fromNameAndType(
                    "counts", QueryableStoreTypes.<String, Long>keyValueStore()));
        for (String word : new String[] {"the", "log", "table", "and"}) {
          System.out.println(word + " " + counts.get(word));
        }
        if (counts.get("table") != 2L) {
          throw new IllegalStateException("table was counted " + counts.get("table") + " times");
        }
      }
    }
  }
}
