package dev.kv.streams;

import static org.assertj.core.api.Assertions.assertThat;

import org.apache.kafka.streams.StreamsConfig;
import org.junit.jupiter.api.Test;

/** Tests what the suppliers say about their stores. */
class KvStoresTest {
  @Test
  void dslStoreSuppliers_inConfiguration_areFoundByName() throws Exception {
    String name = KvDslStoreSuppliers.class.getName();
    assertThat(StreamsConfig.configDef().configKeys())
        .containsKey(StreamsConfig.DSL_STORE_SUPPLIERS_CLASS_CONFIG);
    assertThat(Class.forName(name).getConstructor().newInstance())
        .isInstanceOf(KvDslStoreSuppliers.class);
  }
}
