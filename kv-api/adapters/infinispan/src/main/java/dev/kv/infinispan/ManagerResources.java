package dev.kv.infinispan;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import dev.kv.SharedResources;
import java.util.IdentityHashMap;
import java.util.Map;
import java.util.concurrent.locks.ReentrantLock;
import org.infinispan.configuration.global.GlobalConfiguration;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The memory, cache and threads that the stores of one cache manager share. They are created for
 * its first store, and freed with its last one. A manager is known by its global configuration,
 * which is one object for each manager. Thread-safe.
 */
final class ManagerResources {
  private static final Logger log = LoggerFactory.getLogger(ManagerResources.class);

  /** What to do if the memory is too small for a call. */
  static final String MORE_MEMORY = "raise the attribute memory of kv-store";

  private static final ReentrantLock LOCK = new ReentrantLock();

  /** The managers of this process that have open stores. */
  @GuardedBy("LOCK")
  private static final Map<GlobalConfiguration, ManagerResources> MANAGERS =
      new IdentityHashMap<>();

  private final GlobalConfiguration manager;
  private final SharedResources shared;

  @GuardedBy("LOCK")
  private int stores;

  private ManagerResources(GlobalConfiguration manager, SharedResources shared) {
    this.manager = manager;
    this.shared = shared;
  }

  /**
   * Returns the resources of a manager for one more store. The caller calls {@link #release} after
   * its database is closed.
   */
  static ManagerResources acquire(GlobalConfiguration manager, long memory) {
    LOCK.lock();
    try {
      ManagerResources resources = MANAGERS.get(manager);
      if (resources == null) {
        resources = new ManagerResources(manager, create(memory));
        MANAGERS.put(manager, resources);
      } else if (resources.shared.settings().offHeapLimit() != memory) {
        log.warn(
            "memory of kv-store is {} here, and was {} for the stores of this cache manager that"
                + " are open: they share that",
            memory,
            resources.shared.settings().offHeapLimit());
      }
      resources.stores++;
      return resources;
    } finally {
      LOCK.unlock();
    }
  }

  /** Returns what the stores share. */
  SharedResources shared() {
    return shared;
  }

  /** Gives back what {@link #acquire} returned, once for each call of it. */
  void release() {
    LOCK.lock();
    try {
      stores--;
      if (stores > 0) {
        return;
      }
      MANAGERS.remove(manager);
    } finally {
      LOCK.unlock();
    }
    shared.close();
  }

  /**
   * Memtables that are being written take at most half of the memory. A quarter is the most that
   * the cache takes. The rest is for memtables that are being flushed, and for the indexes of open
   * tables.
   */
  private static SharedResources create(long memory) {
    return SharedResources.builder()
        .offHeapLimit(memory)
        .writeBufferLimit(memory / 2)
        .blockCacheSize(memory / 4)
        .build();
  }
}
