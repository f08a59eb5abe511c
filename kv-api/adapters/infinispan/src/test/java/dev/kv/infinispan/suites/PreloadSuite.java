package dev.kv.infinispan.suites;

import dev.kv.infinispan.configuration.KvStoreConfigurationBuilder;
import java.nio.file.Path;
import java.util.concurrent.FutureTask;
import org.infinispan.commons.ThreadGroups;
import org.infinispan.commons.test.CommonsTestingUtil;
import org.infinispan.commons.test.ExceptionRunnable;
import org.infinispan.commons.util.Util;
import org.infinispan.configuration.cache.Configuration;
import org.infinispan.configuration.cache.ConfigurationBuilder;
import org.infinispan.manager.EmbeddedCacheManager;
import org.infinispan.persistence.PreloadWithAsyncStoreTest;
import org.testng.annotations.Test;

/**
 * Infinispan's tests of preload with writes behind, in caches with and without transactions. They
 * read the store below the one that writes behind, right after a put, so they need a batch to end
 * before the put does, as it does in the store in memory that they were written for. On a thread of
 * a blocking group, kv runs a batch in the call.
 */
@Test(groups = "functional", testName = "kv.PreloadSuite")
public class PreloadSuite extends PreloadWithAsyncStoreTest {
  private final Path directory = Path.of(CommonsTestingUtil.tmpDirectory(getClass()));

  @Override
  public void testtPreloadWithNonTransactionalCache() throws Exception {
    onABlockingThread(super::testtPreloadWithNonTransactionalCache);
  }

  @Override
  public void testtPreloadWithTransactionalUsingSynchronizationCache() throws Exception {
    onABlockingThread(super::testtPreloadWithTransactionalUsingSynchronizationCache);
  }

  @Override
  public void testPreloadWithTransactionalUsingXACache() throws Exception {
    onABlockingThread(super::testPreloadWithTransactionalUsingXACache);
  }

  @Override
  public void testPreloadWithTransactionalUsingXAAndRecoveryCache() throws Exception {
    onABlockingThread(super::testPreloadWithTransactionalUsingXAAndRecoveryCache);
  }

  private static void onABlockingThread(ExceptionRunnable test) throws Exception {
    FutureTask<Void> task =
        new FutureTask<>(
            () -> {
              test.run();
              return null;
            });
    new Thread(new ThreadGroups.ISPNBlockingThreadGroup("preload"), task).start();
    task.get();
  }

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
