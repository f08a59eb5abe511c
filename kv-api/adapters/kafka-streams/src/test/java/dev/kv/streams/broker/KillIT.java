package dev.kv.streams.broker;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Path;
import java.util.Map;
import java.util.Properties;
import java.util.SplittableRandom;
import java.util.TreeMap;
import java.util.concurrent.TimeUnit;
import org.apache.kafka.streams.StreamsConfig;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * Two processes share the tasks of an application, with standbys, under exactly-once. One of them
 * is killed in the middle of its records, the other one takes over its tasks, and the killed one
 * comes back. Every record must be counted exactly once.
 */
@Tag("slow")
class KillIT {
  private static final int KILLS =
      Integer.getInteger("kv.kills", Boolean.getBoolean("kv.long") ? 20 : 2);
  private static final int PARTITIONS = 4;
  private static final int RECORDS = 6_000;
  private static final String APPLICATION = "kills";
  private static final String OUTPUT = Topologies.output(APPLICATION, Topologies.COUNTS);
  private static final long SEED = Long.getLong("kv.seed", 1);
  private static final long LIMIT = TimeUnit.SECONDS.toNanos(90);

  @TempDir Path temp;

  @Test
  void process_killed_countsEachRecordOnce() throws Exception {
    SplittableRandom random = new SplittableRandom(SEED);
    ChildApplication[] children = new ChildApplication[2];
    try (Broker broker = Broker.start()) {
      broker.createTopic(Topologies.INPUT, PARTITIONS);
      broker.createTopic(OUTPUT, PARTITIONS);
      Records records = new Records(broker, SEED, 500);
      children[0] = start(broker, 0);
      children[1] = start(broker, 1);
      try {
        for (int kill = 0; kill < KILLS; kill++) {
          awaitTasks(children);
          int victim = random.nextInt(2);
          long before = children[victim].records();
          records.send(Topologies.INPUT, RECORDS);
          children[victim].awaitRecords(before + 1 + random.nextInt(RECORDS / 4));
          children[victim].kill();
          children[1 - victim].awaitActive(PARTITIONS);
          children[victim] = start(broker, victim);
        }
        awaitTasks(children);
        records.send(Topologies.INPUT, RECORDS);
        broker.awaitConsumed(APPLICATION, Topologies.INPUT);
        records.expectCountedOnce(OUTPUT);
        assertThat(counts(children, records.counts().size()))
            .as("-Dkv.seed=" + SEED)
            .isEqualTo(records.counts());
      } finally {
        for (ChildApplication child : children) {
          child.close();
        }
      }
    }
    System.out.println("KillIT: kills " + KILLS + ", records " + (KILLS + 1) * RECORDS);
  }

  private static void awaitTasks(ChildApplication[] children) throws InterruptedException {
    for (ChildApplication child : children) {
      child.awaitActive(PARTITIONS / 2);
    }
  }

  /**
   * Returns the counts of both processes, when each key is in one of them. A process that pauses
   * for longer than its session loses its tasks: then keys are in none, or in both.
   */
  private static Map<String, Long> counts(ChildApplication[] children, int keys)
      throws InterruptedException {
    long end = System.nanoTime() + LIMIT;
    while (true) {
      awaitTasks(children);
      Map<String, Long> counts = new TreeMap<>(children[0].counts());
      Map<String, Long> others = children[1].counts();
      int found = counts.size() + others.size();
      counts.putAll(others);
      if ((found == keys && counts.size() == keys) || System.nanoTime() > end) {
        return counts;
      }
      Thread.sleep(20);
    }
  }

  private ChildApplication start(Broker broker, int number) throws Exception {
    Properties config =
        Application.config(broker.address(), APPLICATION, temp.resolve("process" + number));
    config.put(StreamsConfig.PROCESSING_GUARANTEE_CONFIG, StreamsConfig.EXACTLY_ONCE_V2);
    config.put(StreamsConfig.NUM_STANDBY_REPLICAS_CONFIG, "1");
    // So that a process gets its tasks back before it has restored them, and not ten minutes later
    config.put(StreamsConfig.ACCEPTABLE_RECOVERY_LAG_CONFIG, "1000000");
    config.put("session.timeout.ms", "1500");
    config.put("heartbeat.interval.ms", "300");
    config.put("transaction.timeout.ms", "2000");
    return ChildApplication.start(Topologies.COUNT, config);
  }
}
