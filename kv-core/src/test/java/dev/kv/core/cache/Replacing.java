package dev.kv.core.cache;

/** How tests put a value into a cache, in the place of the one that is there. */
final class Replacing {
  private Replacing() {}

  /** Returns the new entry with a pin, or one that another thread put in meanwhile. */
  static <V extends CacheValue> CacheHandle<V> put(
      LruCache<V> cache, long id, long key, Loader<V> value) {
    cache.erase(id, key);
    return cache.acquire(id, key, value);
  }
}
