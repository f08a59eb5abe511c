package org.apache.kafka.streams.state.internals;

import dev.kv.streams.KvDslStoreSuppliers;
import java.time.Duration;
import org.apache.kafka.common.serialization.Serde;
import org.apache.kafka.streams.DslStoreFormat;
import org.apache.kafka.streams.kstream.EmitStrategy;
import org.apache.kafka.streams.state.DslWindowParams;
import org.apache.kafka.streams.state.Stores;
import org.apache.kafka.streams.state.WindowStore;

/** Kafka's own tests of window stores, on stores for results that are emitted on close. */
class KvIndexedWindowStoreKafkaTest extends AbstractWindowBytesStoreTest {
  /** Some tests open a second store in the same directory: each store has a name of its own. */
  private int stores;

  @Override
  <K, V> WindowStore<K, V> buildWindowStore(
      long retentionPeriod,
      long windowSize,
      boolean retainDuplicates,
      Serde<K> keySerde,
      Serde<V> valueSerde) {
    DslWindowParams params =
        new DslWindowParams(
            "window-store-" + stores++,
            Duration.ofMillis(retentionPeriod),
            Duration.ofMillis(windowSize),
            retainDuplicates,
            EmitStrategy.onWindowClose(),
            false,
            DslStoreFormat.PLAIN);
    return Stores.windowStoreBuilder(
            new KvDslStoreSuppliers().windowStore(params), keySerde, valueSerde)
        .build();
  }
}
