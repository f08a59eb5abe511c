package dev.kv.streams;

import org.apache.kafka.streams.state.DslKeyValueParams;
import org.apache.kafka.streams.state.DslSessionParams;
import org.apache.kafka.streams.state.DslStoreSuppliers;
import org.apache.kafka.streams.state.DslWindowParams;
import org.apache.kafka.streams.state.KeyValueBytesStoreSupplier;
import org.apache.kafka.streams.state.SessionBytesStoreSupplier;
import org.apache.kafka.streams.state.WindowBytesStoreSupplier;

/**
 * The stores of the DSL on kv. Set {@code dsl.store.suppliers.class} to the name of this class, and
 * every store of the DSL without a supplier of its own is kept in kv.
 */
public final class KvDslStoreSuppliers implements DslStoreSuppliers {
  /** Called by Kafka Streams. */
  public KvDslStoreSuppliers() {}

  @Override
  public KeyValueBytesStoreSupplier keyValueStore(DslKeyValueParams params) {
    return switch (params.dslStoreFormat()) {
      case PLAIN -> KvStores.keyValue(params.name());
      case TIMESTAMPED -> KvStores.timestampedKeyValue(params.name());
      case HEADERS -> KvStores.timestampedKeyValueWithHeaders(params.name());
    };
  }

  @Override
  public WindowBytesStoreSupplier windowStore(DslWindowParams params) {
    return KvStores.timestampedWindow(
        params.name(), params.retentionPeriod(), params.windowSize(), params.retainDuplicates());
  }

  @Override
  public SessionBytesStoreSupplier sessionStore(DslSessionParams params) {
    return KvStores.session(params.name(), params.retentionPeriod());
  }
}
