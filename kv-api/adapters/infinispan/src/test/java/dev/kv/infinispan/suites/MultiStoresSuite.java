package dev.kv.infinispan.suites;

import static org.testng.AssertJUnit.assertEquals;
import static org.testng.AssertJUnit.assertNull;

import dev.kv.infinispan.configuration.KvStoreConfigurationBuilder;
import java.lang.reflect.Method;
import java.nio.file.Path;
import java.util.List;
import org.infinispan.Cache;
import org.infinispan.commons.test.CommonsTestingUtil;
import org.infinispan.commons.util.Util;
import org.infinispan.configuration.cache.ConfigurationBuilder;
import org.infinispan.configuration.cache.PersistenceConfigurationBuilder;
import org.infinispan.manager.EmbeddedCacheManager;
import org.infinispan.persistence.MultiStoresFunctionalTest;
import org.infinispan.test.TestingUtil;
import org.infinispan.test.fwk.TestCacheManagerFactory;
import org.testng.annotations.AfterMethod;
import org.testng.annotations.BeforeMethod;
import org.testng.annotations.Test;

/** Infinispan's tests of a node that comes back with the files of its store. */
@Test(groups = "unit", testName = "kv.MultiStoresSuite")
public class MultiStoresSuite extends MultiStoresFunctionalTest<KvStoreConfigurationBuilder> {
  private static final long TIMEOUT = 30_000;

  private final Path directory = Path.of(CommonsTestingUtil.tmpDirectory(getClass()));

  @BeforeMethod
  @AfterMethod(alwaysRun = true)
  protected void deleteDirectory() {
    Util.recursiveFileRemove(directory);
  }

  @Override
  protected KvStoreConfigurationBuilder buildCacheStoreConfig(
      PersistenceConfigurationBuilder builder, String discriminator) {
    return builder
        .addStore(KvStoreConfigurationBuilder.class)
        .location(directory.resolve(discriminator).toString());
  }

  /**
   * Infinispan's test of this name expects that a node brings a key back that was removed while it
   * was away. Here it does not.
   */
  @Override
  public void testStartStopOfBackupResurrectsDeletedKey(Method method) throws Exception {
    List<ConfigurationBuilder> configs = configs(2, method);
    EmbeddedCacheManager first =
        TestCacheManagerFactory.createClusteredCacheManager(configs.get(0));
    EmbeddedCacheManager second =
        TestCacheManagerFactory.createClusteredCacheManager(configs.get(1));
    try {
      Cache<String, String> stays = first.getCache();
      TestingUtil.blockUntilViewsChanged(TIMEOUT, 2, stays, second.getCache());
      stays.put("key", "value");
      stays.put("other", "value");
      TestingUtil.killCacheManagers(second);
      TestingUtil.blockUntilViewsChanged(TIMEOUT, 1, stays);
      stays.remove("key");
      second = TestCacheManagerFactory.createClusteredCacheManager(configs.get(1));
      Cache<String, String> back = second.getCache();
      TestingUtil.waitForNoRebalance(stays, back);
      assertNull(back.get("key"));
      assertEquals("value", back.get("other"));
      assertEquals(1, back.size());
      assertEquals(1, stays.size());
    } finally {
      TestingUtil.killCacheManagers(first, second);
    }
  }
}
