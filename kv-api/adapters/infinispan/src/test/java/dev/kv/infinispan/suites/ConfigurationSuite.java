package dev.kv.infinispan.suites;

import static org.testng.AssertJUnit.assertEquals;

import dev.kv.infinispan.configuration.KvStoreConfiguration;
import org.infinispan.configuration.cache.StoreConfiguration;
import org.infinispan.configuration.serializer.AbstractConfigurationSerializerTest;
import org.testng.annotations.Test;

/** Infinispan's tests that a configuration is the same after it was written and read. */
@Test(groups = "functional", testName = "kv.ConfigurationSuite")
public class ConfigurationSuite extends AbstractConfigurationSerializerTest {
  @Override
  protected void compareStoreConfiguration(
      String name, StoreConfiguration before, StoreConfiguration after) {
    super.compareStoreConfiguration(name, before, after);
    assertEquals(
        ((KvStoreConfiguration) before).attributes(), ((KvStoreConfiguration) after).attributes());
  }
}
