package dev.kv.streams;

import dev.kv.streams.database.StoreKind;
import java.util.Objects;
import org.apache.kafka.common.utils.Bytes;
import org.apache.kafka.streams.state.HeadersBytesStoreSupplier;
import org.apache.kafka.streams.state.WindowBytesStoreSupplier;
import org.apache.kafka.streams.state.WindowStore;

/**
 * Supplies window stores.
 *
 * @param name the name of the store
 * @param kind the kind of its entries
 * @param retentionPeriod how long a window is kept, in milliseconds
 * @param windowSize the size of the windows in milliseconds
 * @param retainDuplicates true if a window keeps all records of a key
 */
record WindowSupplier(
    String name, StoreKind kind, long retentionPeriod, long windowSize, boolean retainDuplicates)
    implements WindowBytesStoreSupplier {
  WindowSupplier {
    Objects.requireNonNull(name, "name");
    if (windowSize < 0) {
      throw new IllegalArgumentException("windowSize is negative: " + windowSize);
    }
    if (retentionPeriod < windowSize) {
      throw new IllegalArgumentException(
          "the retention of "
              + name
              + ", "
              + retentionPeriod
              + " ms, is shorter than its windows of "
              + windowSize
              + " ms");
    }
  }

  @Override
  public WindowStore<Bytes, byte[]> get() {
    return switch (kind.values()) {
      case PLAIN -> new KvWindowStore(this, null);
      case TIMESTAMPED -> new KvWindowStore.Timestamped(this);
      case HEADERS -> new KvWindowStore.WithHeaders(this);
    };
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
  WindowBytesStoreSupplier marked() {
    return kind.values() == StoreKind.Values.HEADERS ? new WithHeaders(this) : this;
  }

  /** A supplier that Streams knows to have headers. */
  private record WithHeaders(WindowSupplier supplier)
      implements WindowBytesStoreSupplier, HeadersBytesStoreSupplier {
    @Override
    public String name() {
      return supplier.name();
    }

    @Override
    public WindowStore<Bytes, byte[]> get() {
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
    public long windowSize() {
      return supplier.windowSize();
    }

    @Override
    public boolean retainDuplicates() {
      return supplier.retainDuplicates();
    }

    @Override
    public long retentionPeriod() {
      return supplier.retentionPeriod();
    }
  }
}
