package dev.kv.infinispan.suites;

import dev.kv.infinispan.configuration.KvStoreConfigurationBuilder;
import org.infinispan.configuration.cache.ConfigurationBuilder;
import org.infinispan.persistence.IdentityKeyValueWrapper;
import org.infinispan.xsite.irac.persistence.BaseIracPersistenceTest;
import org.testng.annotations.Test;

/** Infinispan's tests of the metadata of replication between sites. */
@Test(groups = "functional", testName = "kv.IracSuite")
public class IracSuite extends BaseIracPersistenceTest<String> {
  public IracSuite() {
    super(IdentityKeyValueWrapper.instance());
  }

  @Override
  protected void configure(ConfigurationBuilder builder) {
    builder.persistence().addStore(KvStoreConfigurationBuilder.class);
  }
}
