package dev.kv.streams.broker;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Properties;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Topologies with stores on kv, on a broker: what they count, and what a restart restores. */
class BrokerIT {
  private static final int RECORDS = 100_000;
  private static final int PARTITIONS = 4;
  private static final String APPLICATION = "count";
  private static final String OUTPUT = Topologies.output(APPLICATION, Topologies.COUNTS);
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

  static void delete(Path directory) throws Exception {
    try (Stream<Path> files = Files.walk(directory)) {
      for (Path file : files.sorted((a, b) -> b.compareTo(a)).toList()) {
        Files.delete(file);
      }
    }
  }
}
