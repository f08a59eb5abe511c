package org.apache.kafka.streams.state.internals;

import dev.kv.streams.KvStores;
import java.time.Duration;
import org.apache.kafka.common.serialization.Serde;
import org.apache.kafka.streams.state.Stores;
import org.apache.kafka.streams.state.WindowStore;

/** Kafka's own tests of window stores, on kv. The base class is for this package only. */
class KvWindowStoreKafkaTest extends AbstractWindowBytesStoreTest {
  /** Some tests open a second store in the same directory: each store has a name of its own. */
  private int stores;

  @Override
  <K, V> WindowStore<K, V> buildWindowStore(
      long retentionPeriod,
      long windowSize,
      boolean retainDuplicates,
      Serde<K> keySerde,
      Serde<V> valueSerde) {
    return Stores.windowStoreBuilder(
            KvStores.window(
                "window-store-" + stores++,
                Duration.ofMillis(retentionPeriod),
                Duration.ofMillis(windowSize),
                retainDuplicates),
            keySerde,
            valueSerde)
        .build();
  }
}
