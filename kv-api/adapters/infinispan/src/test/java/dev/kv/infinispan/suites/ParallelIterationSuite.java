package dev.kv.infinispan.suites;

import dev.kv.infinispan.configuration.KvStoreConfigurationBuilder;
import org.infinispan.commons.test.CommonsTestingUtil;
import org.infinispan.commons.util.Util;
import org.infinispan.configuration.cache.ConfigurationBuilder;
import org.infinispan.persistence.ParallelIterationTest;
import org.testng.annotations.Test;

/** Infinispan's tests of scans by several threads. */
@Test(groups = "functional", testName = "kv.ParallelIterationSuite")
public class ParallelIterationSuite extends ParallelIterationTest {
  @Override
  protected void configurePersistence(ConfigurationBuilder builder) {
    builder.persistence().addStore(KvStoreConfigurationBuilder.class);
  }

  @Override
  protected void teardown() {
    super.teardown();
    Util.recursiveFileRemove(CommonsTestingUtil.tmpDirectory(getClass()));
  }
}
