package dev.kv.streams.broker;

import java.io.BufferedReader;
import java.io.InputStreamReader;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Map;
import java.util.Properties;
import java.util.TreeMap;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Consumer;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.serialization.Serdes;
import org.apache.kafka.streams.CloseOptions;
import org.apache.kafka.streams.KafkaStreams;
import org.apache.kafka.streams.KeyValue;
import org.apache.kafka.streams.StoreQueryParameters;
import org.apache.kafka.streams.StreamsConfig;
import org.apache.kafka.streams.errors.InvalidStateStoreException;
import org.apache.kafka.streams.processor.StateRestoreListener;
import org.apache.kafka.streams.processor.api.ContextualFixedKeyProcessor;
import org.apache.kafka.streams.processor.api.FixedKeyProcessorContext;
import org.apache.kafka.streams.processor.api.FixedKeyRecord;
import org.apache.kafka.streams.state.KeyValueIterator;
import org.apache.kafka.streams.state.QueryableStoreTypes;

/**
 * One instance of an application of Kafka Streams. As a main class it reports what happens to it, a
 * line each, and obeys the lines it reads:
 *
 * <ul>
 *   <li>{@code state S}: the state of the application changed
 *   <li>{@code restored STORE N}: a store was restored with N records of its changelog
 *   <li>{@code active TASK}, {@code idle TASK}: a task begins or ends to process records here
 *   <li>{@code records N}: the number of records processed since the start
 *   <li>{@code counts}: is answered with {@code count KEY N} for each key of the active tasks, and
 *       then {@code end}; with no key while tasks move
 *   <li>{@code close}: closes the application
 * </ul>
 */
final class Application implements AutoCloseable {
  /** The number of records after which a child reports again. */
  private static final int REPORT = 50;

  private static final Duration CLOSE = Duration.ofSeconds(30);

  private final KafkaStreams streams;
  private final CountDownLatch running = new CountDownLatch(1);
  private final AtomicLong restored = new AtomicLong();
  private final AtomicLong records = new AtomicLong();
  private final Consumer<String> report;

  private Application(Topologies topology, Properties config, Consumer<String> report) {
    this.report = report;
    streams = new KafkaStreams(topology.build(config, Watch::new), config);
    streams.setStateListener(
        (to, from) -> {
          if (to == KafkaStreams.State.RUNNING) {
            running.countDown();
          }
          report.accept("state " + to);
        });
    streams.setGlobalStateRestoreListener(new Restores(restored, report));
  }

  /** Starts an application in this process, and returns when it processes records. */
  static Application start(Topologies topology, Properties config) throws InterruptedException {
    Application application = new Application(topology, config, line -> {});
    application.streams.start();
    if (!application.running.await(60, TimeUnit.SECONDS)) {
      application.close();
      throw new AssertionError("the application does not run");
    }
    return application;
  }

  /**
   * Starts a topology of a test, and returns when it processes records. Counts what it restores.
   */
  static void run(KafkaStreams streams, AtomicLong restored) throws InterruptedException {
    CountDownLatch running = new CountDownLatch(1);
    streams.setStateListener(
        (to, from) -> {
          if (to == KafkaStreams.State.RUNNING) {
            running.countDown();
          }
        });
    streams.setGlobalStateRestoreListener(new Restores(restored, line -> {}));
    streams.start();
    if (!running.await(60, TimeUnit.SECONDS)) {
      throw new AssertionError("the application does not run");
    }
  }

  /**
   * Returns the configuration that all tests begin with: no cache, so that each record shows its
   * result.
   */
  static Properties config(String address, String application, Path directory) {
    Properties config = new Properties();
    config.put(StreamsConfig.BOOTSTRAP_SERVERS_CONFIG, address);
    config.put(StreamsConfig.APPLICATION_ID_CONFIG, application);
    config.put(StreamsConfig.STATE_DIR_CONFIG, directory.toString());
    config.put(StreamsConfig.DSL_STORE_SUPPLIERS_CLASS_CONFIG, suppliers());
    config.put(StreamsConfig.DEFAULT_KEY_SERDE_CLASS_CONFIG, Serdes.StringSerde.class.getName());
    config.put(StreamsConfig.DEFAULT_VALUE_SERDE_CLASS_CONFIG, Serdes.StringSerde.class.getName());
    config.put(StreamsConfig.STATESTORE_CACHE_MAX_BYTES_CONFIG, "0");
    config.put(StreamsConfig.COMMIT_INTERVAL_MS_CONFIG, "200");
    config.put("auto.offset.reset", "earliest");
    return config;
  }

  /** The stores of the tests: those of kv, or with -Dkv.streams.suppliers any others. */
  static String suppliers() {
    return System.getProperty("kv.streams.suppliers", "dev.kv.streams.KvDslStoreSuppliers");
  }

  /** Returns the number of records with which the stores were restored. */
  long restored() {
    return restored.get();
  }

  /** Returns the counts of all keys whose tasks are here. */
  Map<String, Long> counts() {
    Map<String, Long> counts = new TreeMap<>();
    try (KeyValueIterator<String, Long> all =
        streams
            .store(
                StoreQueryParameters.fromNameAndType(
                    Topologies.COUNTS, QueryableStoreTypes.<String, Long>keyValueStore()))
            .all()) {
      while (all.hasNext()) {
        KeyValue<String, Long> next = all.next();
        if (counts.put(next.key, next.value) != null) {
          throw new AssertionError("key " + next.key + " is in two tasks");
        }
      }
    }
    return counts;
  }

  /** Closes the application, which leaves its group: otherwise the next one would wait for it. */
  @Override
  public void close() {
    if (!streams.close(
        CloseOptions.groupMembershipOperation(CloseOptions.GroupMembershipOperation.LEAVE_GROUP)
            .withTimeout(CLOSE))) {
      throw new AssertionError("the application does not close");
    }
  }

  /**
   * Runs a topology, which the first argument names; each other argument is a line of
   * configuration.
   */
  public static void main(String[] args) throws Exception {
    Properties config = new Properties();
    for (int i = 1; i < args.length; i++) {
      int equals = args[i].indexOf('=');
      config.put(args[i].substring(0, equals), args[i].substring(equals + 1));
    }
    Application application =
        new Application(Topologies.valueOf(args[0]), config, System.out::println);
    application.streams.start();
    BufferedReader commands =
        new BufferedReader(new InputStreamReader(System.in, StandardCharsets.UTF_8));
    for (String line = commands.readLine();
        line != null && !line.equals("close");
        line = commands.readLine()) {
      try {
        application
            .counts()
            .forEach((key, count) -> System.out.println("count " + key + " " + count));
      } catch (InvalidStateStoreException e) {
        System.out.println("no counts: " + e);
      }
      System.out.println("end");
    }
    application.close();
  }

  private record Restores(AtomicLong restored, Consumer<String> report)
      implements StateRestoreListener {
    @Override
    public void onRestoreStart(TopicPartition partition, String store, long from, long to) {}

    @Override
    public void onBatchRestored(TopicPartition partition, String store, long end, long records) {}

    @Override
    public void onRestoreEnd(TopicPartition partition, String store, long records) {
      restored.addAndGet(records);
      report.accept("restored " + store + " " + records);
    }
  }

  private final class Watch extends ContextualFixedKeyProcessor<String, String, String> {
    @Override
    public void init(FixedKeyProcessorContext<String, String> context) {
      super.init(context);
      report.accept("active " + context.taskId());
    }

    @Override
    public void process(FixedKeyRecord<String, String> record) {
      context().forward(record);
      long count = records.incrementAndGet();
      if (count % REPORT == 0) {
        report.accept("records " + count);
      }
    }

    @Override
    public void close() {
      report.accept("idle " + context().taskId());
    }
  }
}
