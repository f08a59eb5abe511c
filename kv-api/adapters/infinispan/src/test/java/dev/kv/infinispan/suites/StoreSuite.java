package dev.kv.infinispan.suites;

import dev.kv.infinispan.KvStore;
import dev.kv.infinispan.configuration.KvStoreConfigurationBuilder;
import org.infinispan.commons.test.CommonsTestingUtil;
import org.infinispan.commons.util.Util;
import org.infinispan.configuration.cache.Configuration;
import org.infinispan.configuration.cache.ConfigurationBuilder;
import org.infinispan.persistence.BaseNonBlockingStoreTest;
import org.infinispan.persistence.spi.NonBlockingStore;
import org.testng.annotations.AfterClass;
import org.testng.annotations.Factory;
import org.testng.annotations.Test;

/** Infinispan's tests of the interface, on a store with segments and on one without. */
@Test(groups = "unit", testName = "kv.StoreSuite")
public class StoreSuite extends BaseNonBlockingStoreTest {
  private final String directory = CommonsTestingUtil.tmpDirectory(getClass());
  private boolean segmented;

  @Factory
  public Object[] factory() {
    StoreSuite withSegments = new StoreSuite();
    withSegments.segmented = true;
    return new Object[] {withSegments, new StoreSuite()};
  }

  @Override
  protected String parameters() {
    return "[" + segmented + "]";
  }

  @Override
  protected Configuration buildConfig(ConfigurationBuilder builder) {
    builder
        .persistence()
        .addStore(KvStoreConfigurationBuilder.class)
        .segmented(segmented)
        .location(directory);
    return builder.build();
  }

  @Override
  protected NonBlockingStore<Object, Object> createStore() {
    deleteDirectory();
    return new KvStore<>();
  }

  @AfterClass(alwaysRun = true)
  protected void deleteDirectory() {
    Util.recursiveFileRemove(directory);
  }
}
