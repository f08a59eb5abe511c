package dev.kv.streams;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Path;
import java.time.Duration;
import org.apache.kafka.common.header.Headers;
import org.apache.kafka.common.header.internals.RecordHeaders;
import org.apache.kafka.common.serialization.Serdes;
import org.apache.kafka.streams.StreamsConfig;
import org.apache.kafka.streams.kstream.Windowed;
import org.apache.kafka.streams.kstream.internals.SessionWindow;
import org.apache.kafka.streams.processor.StateStore;
import org.apache.kafka.streams.state.AggregationWithHeaders;
import org.apache.kafka.streams.state.HeadersBytesStoreSupplier;
import org.apache.kafka.streams.state.KeyValueBytesStoreSupplier;
import org.apache.kafka.streams.state.SessionBytesStoreSupplier;
import org.apache.kafka.streams.state.SessionStoreWithHeaders;
import org.apache.kafka.streams.state.StoreBuilder;
import org.apache.kafka.streams.state.Stores;
import org.apache.kafka.streams.state.TimestampedKeyValueStoreWithHeaders;
import org.apache.kafka.streams.state.TimestampedWindowStoreWithHeaders;
import org.apache.kafka.streams.state.ValueTimestampHeaders;
import org.apache.kafka.streams.state.WindowBytesStoreSupplier;
import org.apache.kafka.test.InternalMockProcessorContext;
import org.apache.kafka.test.StreamsTestUtils;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Tests what the suppliers say about their stores. */
class KvStoresTest {
  private static final Duration HOUR = Duration.ofHours(1);
  private static final Headers HEADERS = new RecordHeaders().add("trace", new byte[] {1, 2});

  @TempDir private Path directory;

  private <S extends StateStore> S open(StoreBuilder<S> builder) {
    S store = builder.withLoggingDisabled().withCachingDisabled().build();
    StreamsConfig config = new StreamsConfig(StreamsTestUtils.getStreamsConfig());
    store.init(new InternalMockProcessorContext<>(directory.toFile(), config), store);
    return store;
  }

  @Test
  void keyValueStoreWithHeaders_afterAReopen_hasTheHeaders() {
    KeyValueBytesStoreSupplier supplier = KvStores.timestampedKeyValueWithHeaders("store");
    assertThat(supplier).isInstanceOf(HeadersBytesStoreSupplier.class);
    StoreBuilder<TimestampedKeyValueStoreWithHeaders<String, String>> builder =
        Stores.timestampedKeyValueStoreWithHeadersBuilder(
            supplier, Serdes.String(), Serdes.String());
    ValueTimestampHeaders<String> value = ValueTimestampHeaders.make("1", 5, HEADERS);
    TimestampedKeyValueStoreWithHeaders<String, String> store = open(builder);
    store.put("a", value);
    store.close();

    store = open(builder);
    assertThat(store.get("a")).isEqualTo(value);
    store.close();
  }

  @Test
  void windowStoreWithHeaders_afterAReopen_hasTheHeaders() {
    WindowBytesStoreSupplier supplier =
        KvStores.timestampedWindowWithHeaders("store", HOUR, Duration.ofMinutes(1), false);
    assertThat(supplier).isInstanceOf(HeadersBytesStoreSupplier.class);
    StoreBuilder<TimestampedWindowStoreWithHeaders<String, String>> builder =
        Stores.timestampedWindowStoreWithHeadersBuilder(supplier, Serdes.String(), Serdes.String());
    ValueTimestampHeaders<String> value = ValueTimestampHeaders.make("1", 5, HEADERS);
    TimestampedWindowStoreWithHeaders<String, String> store = open(builder);
    store.put("a", value, 5);
    store.close();

    store = open(builder);
    assertThat(store.fetch("a", 5)).isEqualTo(value);
    store.close();
  }

  @Test
  void sessionStoreWithHeaders_afterAReopen_hasTheHeaders() {
    SessionBytesStoreSupplier supplier = KvStores.sessionWithHeaders("store", HOUR);
    assertThat(supplier).isInstanceOf(HeadersBytesStoreSupplier.class);
    StoreBuilder<SessionStoreWithHeaders<String, String>> builder =
        Stores.sessionStoreWithHeadersBuilder(supplier, Serdes.String(), Serdes.String());
    AggregationWithHeaders<String> value = AggregationWithHeaders.make("1", HEADERS);
    SessionStoreWithHeaders<String, String> store = open(builder);
    store.put(new Windowed<>("a", new SessionWindow(5, 9)), value);
    store.close();

    store = open(builder);
    assertThat(store.fetchSession("a", 5, 9)).isEqualTo(value);
    store.close();
  }

  @Test
  void dslStoreSuppliers_inConfiguration_areFoundByName() throws Exception {
    String name = KvDslStoreSuppliers.class.getName();
    assertThat(StreamsConfig.configDef().configKeys())
        .containsKey(StreamsConfig.DSL_STORE_SUPPLIERS_CLASS_CONFIG);
    assertThat(Class.forName(name).getConstructor().newInstance())
        .isInstanceOf(KvDslStoreSuppliers.class);
  }
}
