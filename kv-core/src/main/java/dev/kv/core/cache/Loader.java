package dev.kv.core.cache;

/**
 * Loads a value that is not in the cache. An implementation may keep state and be reused, so that a
 * lookup allocates no lambda.
 */
@FunctionalInterface
public interface Loader<V extends CacheValue> {
  /**
   * Returns the value; the cache takes ownership of it. Called with no lock held. May use the
   * cache, except for the same entry.
   */
  V load(long id, long key);
}
