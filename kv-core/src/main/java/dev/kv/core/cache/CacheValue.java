package dev.kv.core.cache;

/** A value of a cache. It has a charge, and must be freed. */
public interface CacheValue {
  /**
   * Returns the charge in the unit of the cache's capacity. Called once, when the value is loaded.
   */
  long charge();

  /**
   * Frees the value. Called exactly once, when it is neither in the cache nor pinned, by the thread
   * that ended the last of both, with no lock held. Must not throw.
   */
  void free();
}
