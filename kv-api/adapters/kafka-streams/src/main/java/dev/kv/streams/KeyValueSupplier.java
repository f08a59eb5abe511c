package dev.kv.streams;

import dev.kv.streams.database.StoreKind;
import java.util.Objects;
import org.apache.kafka.common.utils.Bytes;
import org.apache.kafka.streams.state.HeadersBytesStoreSupplier;
import org.apache.kafka.streams.state.KeyValueBytesStoreSupplier;
import org.apache.kafka.streams.state.KeyValueStore;

/** Supplies key-value stores with values of a format. */
record KeyValueSupplier(String name, StoreKind.Values values)
    implements KeyValueBytesStoreSupplier {
  KeyValueSupplier {
    Objects.requireNonNull(name, "name");
  }

  @Override
  public KeyValueStore<Bytes, byte[]> get() {
    return switch (values) {
      case PLAIN -> new KvKeyValueStore(name, values, null);
      case TIMESTAMPED -> new KvKeyValueStore.Timestamped(name);
      case HEADERS -> new KvKeyValueStore.WithHeaders(name);
    };
  }

  @Override
  public String metricsScope() {
    return new StoreKind(StoreKind.Structure.KEY_VALUE, values).metricsScope();
  }

  /** Returns a supplier that is marked if its stores have headers. */
  KeyValueBytesStoreSupplier marked() {
    return values == StoreKind.Values.HEADERS ? new WithHeaders(this) : this;
  }

  /** A supplier that Streams knows to have headers. */
  private record WithHeaders(KeyValueSupplier supplier)
      implements KeyValueBytesStoreSupplier, HeadersBytesStoreSupplier {
    @Override
    public String name() {
      return supplier.name();
    }

    @Override
    public KeyValueStore<Bytes, byte[]> get() {
      return supplier.get();
    }

    @Override
    public String metricsScope() {
      return supplier.metricsScope();
    }
  }
}
