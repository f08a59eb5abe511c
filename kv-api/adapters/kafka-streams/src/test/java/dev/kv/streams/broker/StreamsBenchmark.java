package dev.kv.streams.broker;

import dev.kv.streams.KvStores;
import java.io.BufferedReader;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.SplittableRandom;
import java.util.regex.Pattern;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.serialization.ByteArraySerializer;

/**
 * Compares kv with the built-in store in one topology on a broker in this process. The application
 * is a child process. In turns, each store processes all records, and then restores them into an
 * empty directory. The store "none" keeps nothing. See src-docs/kafka-streams.md.
 */
final class StreamsBenchmark {
  private static final int PAIRS = Integer.getInteger("benchmark.pairs", 5);
  private static final int RECORDS = Integer.getInteger("benchmark.records", 3_000_000);
  private static final int KEYS = Integer.getInteger("benchmark.keys", 1_000_000);
  private static final int VALUE = Integer.getInteger("benchmark.value", 100);
  private static final int PARTITIONS = Integer.getInteger("benchmark.partitions", 4);
  private static final String MEMORY = System.getProperty("benchmark.memory", "67108864");
  private static final String HEAP = System.getProperty("benchmark.heap", "128m");

  /** The stores: kv, rocksdb with its defaults, and rocksdb-bounded with the memory that kv has. */
  private static final List<String> STORES =
      List.of(System.getProperty("benchmark.stores", "kv,rocksdb-bounded").split(","));

  private static final boolean RESTORE =
      Boolean.parseBoolean(System.getProperty("benchmark.restore", "true"));

  /** The command that starts a child, for one with a limit of its memory. */
  private static final List<String> LAUNCHER =
      Pattern.compile(" ")
          .splitAsStream(System.getProperty("benchmark.launcher", ""))
          .filter(word -> !word.isEmpty())
          .toList();

  private static final int COMMIT_INTERVAL = Integer.getInteger("benchmark.commit.interval", 500);
  private static final String GUARANTEE =
      System.getProperty("benchmark.guarantee", "at_least_once");

  /** The values of each store, phase and name. */
  private static final Map<String, Map<String, List<Double>>> RESULTS = new LinkedHashMap<>();

  private StreamsBenchmark() {}

  public static void main(String[] args) throws Exception {
    try (Broker broker = Broker.start()) {
      broker.createTopic(BenchmarkApplication.INPUT, PARTITIONS);
      send(broker);
      Path directory = Files.createTempDirectory("streams-benchmark");
      for (int pair = 0; pair < PAIRS; pair++) {
        for (int i = 0; i < STORES.size(); i++) {
          String store = STORES.get((i + pair) % STORES.size());
          String application = store + pair;
          run(broker, store, "process", application, directory);
          if (!store.equals(BenchmarkStores.NONE)) {
            BrokerIT.delete(directory.resolve(application));
            if (RESTORE) {
              run(broker, store, "restore", application, directory);
              BrokerIT.delete(directory.resolve(application));
            }
          }
          deleteChangelog(broker, application);
        }
      }
      Files.delete(directory);
    }
    RESULTS.forEach((run, values) -> System.out.println("median " + run + medians(values)));
  }

  /** Deletes the changelog, so that the later runs have no more files in the page cache. */
  private static void deleteChangelog(Broker broker, String application) throws Exception {
    broker.deleteTopic(application + "-last-changelog");
  }

  private static String medians(Map<String, List<Double>> values) {
    StringBuilder line = new StringBuilder();
    values.forEach(
        (name, each) -> {
          Collections.sort(each);
          line.append(String.format(Locale.ROOT, " %s %.0f", name, each.get(each.size() / 2)));
        });
    return line.toString();
  }

  private static void note(String run, String line) {
    String[] words = line.split(" ");
    Map<String, List<Double>> values = RESULTS.computeIfAbsent(run, k -> new LinkedHashMap<>());
    for (int i = 1; i < words.length; i += 2) {
      values
          .computeIfAbsent(words[i], k -> new ArrayList<>())
          .add(Double.parseDouble(words[i + 1]));
    }
    System.out.println(run + line.substring(BenchmarkApplication.RESULT.length()));
  }

  private static void send(Broker broker) {
    Map<String, Object> config =
        Map.of("bootstrap.servers", broker.address(), "linger.ms", 20, "batch.size", 256 << 10);
    SplittableRandom random = new SplittableRandom(1);
    try (KafkaProducer<byte[], byte[]> producer =
        new KafkaProducer<>(config, new ByteArraySerializer(), new ByteArraySerializer())) {
      for (int i = 0; i < RECORDS; i++) {
        byte[] key =
            ByteBuffer.allocate(16).putLong(random.nextInt(KEYS) * 0x9E3779B97F4A7C15L).array();
        byte[] value = new byte[VALUE];
        // Half of a value is noise
        for (int j = 0; j < VALUE / 2; j++) {
          value[j] = (byte) random.nextInt();
        }
        producer.send(new ProducerRecord<>(BenchmarkApplication.INPUT, key, value));
      }
    }
  }

  private static void run(
      Broker broker, String store, String phase, String application, Path directory)
      throws Exception {
    List<String> command = new ArrayList<>(LAUNCHER);
    command.add(System.getProperty("java.home") + "/bin/java");
    command.add("-Xms" + HEAP);
    command.add("-Xmx" + HEAP);
    command.add("-Dbenchmark.memory=" + MEMORY);
    command.addAll(List.of(System.getProperty("benchmark.flags", "-XX:+UseG1GC").split(" ")));
    command.addAll(
        List.of(
            "-cp", System.getProperty("java.class.path"), BenchmarkApplication.class.getName()));
    command.addAll(List.of(store, phase, Integer.toString(RECORDS)));
    command.addAll(
        List.of(
            "bootstrap.servers=" + broker.address(),
            "application.id=" + application,
            "state.dir=" + directory,
            "statestore.cache.max.bytes=0",
            "commit.interval.ms=" + COMMIT_INTERVAL,
            "processing.guarantee=" + GUARANTEE,
            "auto.offset.reset=earliest",
            KvStores.MEMORY_BYTES_CONFIG + "=" + MEMORY));
    if (store.equals("rocksdb-bounded")) {
      command.add("rocksdb.config.setter=" + BenchmarkStores.Bounded.class.getName());
    }
    Process process = new ProcessBuilder(command).redirectErrorStream(true).start();
    try (BufferedReader lines = process.inputReader(StandardCharsets.UTF_8)) {
      lines
          .lines()
          .forEach(
              line -> {
                if (line.startsWith(BenchmarkApplication.RESULT + " ")) {
                  note(store + " " + phase, line);
                } else {
                  System.out.println(line);
                }
              });
    }
    if (process.waitFor() != 0) {
      throw new IllegalStateException("the application ended with " + process.exitValue());
    }
  }
}
