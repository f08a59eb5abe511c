package org.apache.kafka.streams.state.internals;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import dev.kv.streams.KvStores;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.serialization.Serde;
import org.apache.kafka.common.serialization.Serdes;
import org.apache.kafka.common.utils.Bytes;
import org.apache.kafka.streams.KeyValue;
import org.apache.kafka.streams.errors.InvalidStateStoreException;
import org.apache.kafka.streams.kstream.Windowed;
import org.apache.kafka.streams.kstream.internals.SessionWindow;
import org.apache.kafka.streams.state.KeyValueIterator;
import org.apache.kafka.streams.state.SessionStore;
import org.apache.kafka.streams.state.Stores;
import org.apache.kafka.test.MockRecordCollector;
import org.apache.kafka.test.StreamsTestUtils;
import org.junit.jupiter.api.Test;

/** Kafka's own tests of session stores, on kv. The base class is for this package only. */
class KvSessionStoreKafkaTest extends AbstractSessionBytesStoreTest {
  /** Some tests open a second store in the same directory: each store has a name of its own. */
  private int stores;

  @Override
  StoreType storeType() {
    return StoreType.RocksDBTimeOrderedSessionStoreWithIndex;
  }

  @Override
  <K, V> SessionStore<K, V> buildSessionStore(
      long retentionPeriod, Serde<K> keySerde, Serde<V> valueSerde) {
    return Stores.sessionStoreBuilder(
            KvStores.session("session-store-" + stores++, Duration.ofMillis(retentionPeriod)),
            keySerde,
            valueSerde)
        .build();
  }

  /** The original reads and restores a closed store without opening it; this one opens it again. */
  @Override
  @Test
  public void shouldRestore() {
    List<KeyValue<Windowed<String>, Long>> expected = new ArrayList<>();
    for (long time : new long[] {0, 10, 100, 1000}) {
      Windowed<String> session = new Windowed<>("a", new SessionWindow(time, time));
      expected.add(KeyValue.pair(session, time));
      sessionStore.put(session, time);
    }
    List<KeyValue<byte[], byte[]>> changelog = new ArrayList<>();
    for (ProducerRecord<Object, Object> record :
        ((MockRecordCollector) context.recordCollector()).collected()) {
      changelog.add(new KeyValue<>(((Bytes) record.key()).get(), (byte[]) record.value()));
    }
    sessionStore.close();
    assertThrows(InvalidStateStoreException.class, () -> sessionStore.fetch("a"));

    sessionStore = buildSessionStore(10_000, Serdes.String(), Serdes.Long());
    sessionStore.init(context, sessionStore);
    context.restore(sessionStore.name(), changelog);
    try (KeyValueIterator<Windowed<String>, Long> found = sessionStore.fetch("a")) {
      assertEquals(expected, StreamsTestUtils.toListAndCloseIterator(found));
    }
  }
}
