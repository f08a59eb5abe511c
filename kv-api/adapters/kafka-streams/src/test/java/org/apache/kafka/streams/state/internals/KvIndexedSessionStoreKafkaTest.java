package org.apache.kafka.streams.state.internals;

import dev.kv.streams.KvDslStoreSuppliers;
import java.time.Duration;
import org.apache.kafka.common.serialization.Serde;
import org.apache.kafka.streams.DslStoreFormat;
import org.apache.kafka.streams.kstream.EmitStrategy;
import org.apache.kafka.streams.state.DslSessionParams;
import org.apache.kafka.streams.state.SessionStore;
import org.apache.kafka.streams.state.Stores;

/** Kafka's own tests of session stores, on stores for results that are emitted on close. */
class KvIndexedSessionStoreKafkaTest extends KvSessionStoreKafkaTest {
  private int indexed;

  @Override
  <K, V> SessionStore<K, V> buildSessionStore(
      long retentionPeriod, Serde<K> keySerde, Serde<V> valueSerde) {
    DslSessionParams params =
        new DslSessionParams(
            "session-store-" + indexed++,
            Duration.ofMillis(retentionPeriod),
            EmitStrategy.onWindowClose(),
            DslStoreFormat.PLAIN);
    return Stores.sessionStoreBuilder(
            new KvDslStoreSuppliers().sessionStore(params), keySerde, valueSerde)
        .build();
  }
}
