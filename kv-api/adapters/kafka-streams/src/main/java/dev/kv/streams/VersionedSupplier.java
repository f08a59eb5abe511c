package dev.kv.streams;

import java.util.Objects;
import org.apache.kafka.common.utils.Bytes;
import org.apache.kafka.streams.state.KeyValueStore;
import org.apache.kafka.streams.state.VersionedBytesStoreSupplier;

/**
 * Supplies versioned key-value stores.
 *
 * @param name the name of the store
 * @param historyRetentionMs how long an old version can be read, in milliseconds
 * @param segmentIntervalMs the milliseconds of a segment, if the store is new
 */
record VersionedSupplier(String name, long historyRetentionMs, long segmentIntervalMs)
    implements VersionedBytesStoreSupplier {
  VersionedSupplier {
    Objects.requireNonNull(name, "name");
    if (historyRetentionMs < 0) {
      throw new IllegalArgumentException("historyRetention is negative: " + historyRetentionMs);
    }
    if (segmentIntervalMs < 1) {
      throw new IllegalArgumentException("segmentInterval is not positive: " + segmentIntervalMs);
    }
  }

  @Override
  public KeyValueStore<Bytes, byte[]> get() {
    return new KvVersionedStore(this, null);
  }

  @Override
  public String metricsScope() {
    return KvVersionedStore.KIND.metricsScope();
  }
}
