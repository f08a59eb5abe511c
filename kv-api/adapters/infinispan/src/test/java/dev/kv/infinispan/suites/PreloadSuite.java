package dev.kv.infinispan.suites;

import dev.kv.infinispan.configuration.KvStoreConfigurationBuilder;
import java.nio.file.Path;
import org.infinispan.commons.test.CommonsTestingUtil;
import org.infinispan.commons.util.Util;
import org.infinispan.configuration.cache.Configuration;
import org.infinispan.configuration.cache.ConfigurationBuilder;
import org.infinispan.manager.EmbeddedCacheManager;
import org.infinispan.persistence.PreloadWithAsyncStoreTest;
import org.testng.annotations.Test;

/** Infinispan's tests of preload with writes behind, in caches with and without transactions. */
@Test(groups = "functional", testName = "kv.PreloadSuite")
public class PreloadSuite extends PreloadWithAsyncStoreTest {
  private final Path directory = Path.of(CommonsTestingUtil.tmpDirectory(getClass()));

  @Override
  protected EmbeddedCacheManager createCacheManager() throws Exception {
    EmbeddedCacheManager manager = super.createCacheManager();
    String unused = manager.getCacheManagerConfiguration().defaultCacheName().orElse("");
    for (String name : manager.getCacheConfigurationNames()) {
      if (name.equals(unused)) {
        continue;
      }
      Configuration defined = manager.getCacheConfiguration(name);
      ConfigurationBuilder builder = new ConfigurationBuilder().read(defined);
      builder
          .persistence()
          .clearStores()
          .addStore(KvStoreConfigurationBuilder.class)
          .location(directory.toString())
          .preload(true)
          .async()
          .enable();
      manager.undefineConfiguration(name);
      manager.defineConfiguration(name, builder.build());
    }
    return manager;
  }

  @Override
  protected void teardown() {
    super.teardown();
    Util.recursiveFileRemove(directory);
  }
}
