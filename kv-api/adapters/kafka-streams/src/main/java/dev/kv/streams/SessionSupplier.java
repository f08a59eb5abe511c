package dev.kv.streams;

import dev.kv.streams.database.StoreKind;
import java.util.Objects;
import org.apache.kafka.common.utils.Bytes;
import org.apache.kafka.streams.state.HeadersBytesStoreSupplier;
import org.apache.kafka.streams.state.SessionBytesStoreSupplier;
import org.apache.kafka.streams.state.SessionStore;

/**
 * Supplies session stores.
 *
 * @param name the name of the store
 * @param kind the kind of its entries
 * @param retentionPeriod how long a session is kept, in milliseconds
 */
record SessionSupplier(String name, StoreKind kind, long retentionPeriod)
    implements SessionBytesStoreSupplier {
  SessionSupplier {
    Objects.requireNonNull(name, "name");
    if (retentionPeriod < 0) {
      throw new IllegalArgumentException("retention is negative: " + retentionPeriod);
    }
  }

  @Override
  public SessionStore<Bytes, byte[]> get() {
    return kind.values() == StoreKind.Values.HEADERS
        ? new KvSessionStore.WithHeaders(this)
        : new KvSessionStore(this, null);
  }

  @Override
  public long segmentIntervalMs() {
    return KeyBytes.segmentInterval(retentionPeriod);
  }

  @Override
  public String metricsScope() {
    return kind.metricsScope();
  }

  /** Returns a supplier that is marked if its stores have headers. */
  SessionBytesStoreSupplier marked() {
    return kind.values() == StoreKind.Values.HEADERS ? new WithHeaders(this) : this;
  }

  /** A supplier that Streams knows to have headers. */
  private record WithHeaders(SessionSupplier supplier)
      implements SessionBytesStoreSupplier, HeadersBytesStoreSupplier {
    @Override
    public String name() {
      return supplier.name();
    }

    @Override
    public SessionStore<Bytes, byte[]> get() {
      return supplier.get();
    }

    @Override
    public String metricsScope() {
      return supplier.metricsScope();
    }

    @Override
    public long segmentIntervalMs() {
      return supplier.segmentIntervalMs();
    }

    @Override
    public long retentionPeriod() {
      return supplier.retentionPeriod();
    }
  }
}
