package dev.kv.streams;

import org.apache.kafka.common.serialization.Serde;
import org.apache.kafka.streams.processor.StateStoreContext;
import org.apache.kafka.streams.state.KeyValueStore;
import org.apache.kafka.streams.state.Stores;
import org.apache.kafka.streams.state.internals.AbstractKeyValueStoreTest;

/** Kafka's own tests of key-value stores, on kv behind the cache of Streams. */
class KafkaCachedKeyValueStoreTest extends AbstractKeyValueStoreTest {
  @Override
  @SuppressWarnings("unchecked") // the base class creates the context with these types
  protected <K, V> KeyValueStore<K, V> createKeyValueStore(StateStoreContext context) {
    KeyValueStore<K, V> store =
        Stores.keyValueStoreBuilder(
                KvStores.keyValue("cache-store"),
                (Serde<K>) context.keySerde(),
                (Serde<V>) context.valueSerde())
            .withCachingEnabled()
            .build();
    store.init(context, store);
    return store;
  }
}
