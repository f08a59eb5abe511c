package dev.kv.streams;

import dev.kv.streams.database.StoreKind.Structure;
import dev.kv.streams.database.StoreKind.Values;
import org.apache.kafka.streams.DslStoreFormat;
import org.apache.kafka.streams.kstream.EmitStrategy;
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
    return new KeyValueSupplier(params.name(), values(params.dslStoreFormat())).marked();
  }

  @Override
  public WindowBytesStoreSupplier windowStore(DslWindowParams params) {
    DslStoreFormat format = params.dslStoreFormat();
    return KvStores.windowStore(
        params.name(),
        params.retentionPeriod(),
        params.windowSize(),
        params.retainDuplicates(),
        isEmittedOnClose(params.emitStrategy()) ? Structure.WINDOW_BY_TIME : Structure.WINDOW,
        format == null ? Values.TIMESTAMPED : values(format));
  }

  @Override
  public SessionBytesStoreSupplier sessionStore(DslSessionParams params) {
    DslStoreFormat format = params.storeFormat();
    return KvStores.sessionStore(
        params.name(),
        params.retentionPeriod(),
        isEmittedOnClose(params.emitStrategy()) ? Structure.SESSION_BY_TIME : Structure.SESSION,
        format == DslStoreFormat.HEADERS ? Values.HEADERS : Values.PLAIN);
  }

  /** Returns true if all windows that close at a time are asked for, which an index answers. */
  private static boolean isEmittedOnClose(EmitStrategy strategy) {
    return strategy.type() == EmitStrategy.StrategyType.ON_WINDOW_CLOSE;
  }

  private static Values values(DslStoreFormat format) {
    return switch (format) {
      case PLAIN -> Values.PLAIN;
      case TIMESTAMPED -> Values.TIMESTAMPED;
      case HEADERS -> Values.HEADERS;
    };
  }
}
