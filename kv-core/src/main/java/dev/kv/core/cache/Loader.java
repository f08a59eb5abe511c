package dev.kv.core.cache;

/**
 * What makes a value that is not in the cache. An object with state, so that a lookup makes none.
 */
@FunctionalInterface
public interface Loader<V extends CacheValue> {
  /**
   * Makes the value; the cache adopts it. Called with no lock held. May use the cache, but for the
   * same entry.
   */
  V load(long id, long key);
}
