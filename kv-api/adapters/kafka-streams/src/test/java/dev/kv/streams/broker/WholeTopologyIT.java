package dev.kv.streams.broker;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Properties;
import java.util.concurrent.ExecutionException;
import org.apache.kafka.streams.StreamsConfig;
import org.apache.kafka.streams.state.BuiltInDslStoreSuppliers;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * One line of configuration moves a topology of tables, windows, sessions and joins from the
 * built-in stores to kv, and its results stay the same.
 */
@Tag("slow")
class WholeTopologyIT {
  private static final int RECORDS = 2_000;
  private static final int KEYS = 40;
  private static final int PARTITIONS = 2;
  private static final String BUILT_IN = "built-in";
  private static final String MOVED = "moved";
  private static final long SEED = Long.getLong("kv.seed", 1);

  @TempDir Path temp;

  @Test
  void topology_moved_givesTheSameResults() throws Exception {
    try (Broker broker = Broker.start()) {
      broker.createTopic(Topologies.INPUT, PARTITIONS);
      broker.createTopic(Topologies.OTHER, PARTITIONS);
      Records input = new Records(broker, SEED, KEYS);
      Records other = new Records(broker, SEED + 1, KEYS);
      Properties config =
          config(
              broker, BUILT_IN, BuiltInDslStoreSuppliers.RocksDBDslStoreSuppliers.class.getName());
      try (Application builtIn = Application.start(Topologies.EVERYTHING, config)) {
        run(broker, input, other);
        broker.awaitConsumed(BUILT_IN, Topologies.INPUT);
        broker.awaitConsumed(BUILT_IN, Topologies.OTHER);
        assertThat(builtIn.counts()).isEqualTo(input.counts());
      }
      input.expectCountedOnce(Topologies.output(MOVED, Topologies.COUNTS));
      for (String store : Topologies.STORES) {
        expectEqual(
            store,
            broker.byKey(Topologies.output(MOVED, store)),
            broker.byKey(Topologies.output(BUILT_IN, store)));
      }
    }
  }

  /** Runs the topology on kv, with a restart between two halves of the records. */
  private void run(Broker broker, Records input, Records other) throws Exception {
    Properties config = config(broker, MOVED, Application.suppliers());
    for (int half = 0; half < 2; half++) {
      input.send(Topologies.INPUT, RECORDS);
      other.send(Topologies.OTHER, RECORDS);
      try (Application application = Application.start(Topologies.EVERYTHING, config)) {
        assertThat(application.restored()).isZero();
        broker.awaitConsumed(MOVED, Topologies.INPUT);
        broker.awaitConsumed(MOVED, Topologies.OTHER);
        if (half == 1) {
          broker.awaitConsumed(BUILT_IN, Topologies.INPUT);
          broker.awaitConsumed(BUILT_IN, Topologies.OTHER);
          input.sendLast(Topologies.INPUT);
          other.sendLast(Topologies.OTHER);
          broker.awaitConsumed(MOVED, Topologies.INPUT);
          broker.awaitConsumed(MOVED, Topologies.OTHER);
        }
        assertThat(application.counts()).isEqualTo(input.counts());
      }
    }
  }

  private Properties config(Broker broker, String application, String suppliers)
      throws ExecutionException, InterruptedException {
    for (String store : Topologies.STORES) {
      broker.createTopic(Topologies.output(application, store), PARTITIONS);
    }
    Properties config = Application.config(broker.address(), application, temp);
    config.put(StreamsConfig.DSL_STORE_SUPPLIERS_CLASS_CONFIG, suppliers);
    // By the clock of the machine, and each second by default. The last records emit the rest.
    config.put(StreamsConfig.InternalConfig.EMIT_INTERVAL_MS_KSTREAMS_WINDOWED_AGGREGATION, "50");
    config.put(
        StreamsConfig.InternalConfig.EMIT_INTERVAL_MS_KSTREAMS_OUTER_JOIN_SPURIOUS_RESULTS_FIX,
        "50");
    return config;
  }

  private static void expectEqual(
      String store, Map<String, List<String>> moved, Map<String, List<String>> builtIn) {
    assertThat(builtIn.keySet()).as(store).isNotEmpty();
    assertThat(moved.keySet()).as(store).isEqualTo(builtIn.keySet());
    builtIn.forEach(
        (key, results) ->
            assertThat(moved.get(key))
                .as("%s of %s, -Dkv.seed=%s", store, key, SEED)
                .containsExactlyInAnyOrderElementsOf(results));
  }
}
