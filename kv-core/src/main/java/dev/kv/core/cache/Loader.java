package dev.kv.core.cache;

/** Makes the value of a key that is not in the cache. An object that its caller keeps, not a lambda a call. */
@FunctionalInterface
public interface Loader<V extends CacheValue> {
  /** Returns a new value. What it throws reaches the caller of acquire; others that wait load themselves. */
  V load(long id, long key);
}
