package dev.kv.core.cache;

/** What a cache holds. */
public interface CacheValue {
  /** Returns what it counts against the capacity; constant. */
  long charge();

  /** Frees it: called once, when it is out of the cache and nobody pins it. */
  void free();
}
