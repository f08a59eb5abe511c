package dev.kv.infinispan.suites;

import dev.kv.infinispan.configuration.KvStoreConfigurationBuilder;
import org.infinispan.configuration.cache.PersistenceConfigurationBuilder;
import org.infinispan.persistence.BaseStoreFunctionalTest;
import org.testng.annotations.Test;

/** Infinispan's tests of caches with a store: restarts, preload, expiration, several caches. */
@Test(groups = "unit", testName = "kv.FunctionalSuite")
public class FunctionalSuite extends BaseStoreFunctionalTest {
  @Override
  protected PersistenceConfigurationBuilder createCacheStoreConfig(
      PersistenceConfigurationBuilder persistence, String cacheName, boolean preload) {
    persistence.addStore(KvStoreConfigurationBuilder.class).preload(preload);
    return persistence;
  }
}
