package dev.kv.infinispan;

import dev.kv.infinispan.configuration.KvStoreConfiguration;
import org.infinispan.commons.CacheConfigurationException;
import org.infinispan.configuration.cache.ClusteringConfiguration;
import org.infinispan.configuration.cache.Configuration;
import org.infinispan.configuration.cache.TransactionConfiguration;
import org.infinispan.transaction.LockingMode;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Checks whether the configuration of a cache fits its store. Infinispan does not check that. */
final class ConfigurationChecks {
  private static final Logger log = LoggerFactory.getLogger(ConfigurationChecks.class);

  private ConfigurationChecks() {}

  /**
   * Warns of a configuration with which entries that were removed can come back.
   *
   * @param name the name of the cache
   * @throws CacheConfigurationException if the store would miss transactions, is shared, or has no
   *     directory of its own
   */
  static void check(KvStoreConfiguration store, String name, Configuration cache) {
    if (store.shared()) { // Infinispan refuses it after the start, and does not stop it
      throw new CacheConfigurationException(
          "the store of cache "
              + name
              + " is shared, and a kv-store belongs to one node; set its shared to false");
    }
    String onePhase = store.transactional() ? onePhase(cache.transaction()) : null;
    if (onePhase != null) {
      throw new CacheConfigurationException(
          "the store of cache "
              + name
              + " is transactional, and Infinispan does not call it for transactions that the"
              + " cache commits in one phase: it has "
              + onePhase
              + "; change that, or set transactional of kv-store to false");
    }
    if (name.equals(".") || name.equals("..")) {
      throw new CacheConfigurationException("kv-store needs a cache whose name is not . or ..");
    }
    if (bringsBackRemoved(store, cache.clustering())) {
      log.warn(
          "the store of cache {} is preloaded or not segmented: if this node rejoins its cluster,"
              + " entries that were removed while it was away can come back",
          name);
    }
  }

  /** Returns the setting with which transactions are committed in one phase, or null. */
  private static @Nullable String onePhase(TransactionConfiguration transaction) {
    if (transaction.lockingMode() == LockingMode.PESSIMISTIC) {
      return "locking PESSIMISTIC";
    }
    return transaction.use1PcForAutoCommitTransactions() ? "use1PcForAutoCommitTransactions" : null;
  }

  /**
   * Returns true if entries that were removed while the node was away can come back with it,
   * although others send it what they have. Infinispan reads the entries of a preloaded store
   * before it announces segments, and announces none to a store without segments.
   */
  static boolean bringsBackRemoved(KvStoreConfiguration store, ClusteringConfiguration clustering) {
    return clustering.cacheMode().needsStateTransfer()
        && clustering.stateTransfer().fetchInMemoryState()
        && (store.preload() || !store.segmented());
  }
}
