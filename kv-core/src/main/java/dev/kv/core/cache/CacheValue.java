package dev.kv.core.cache;

/** What a cache holds: something that costs, and that must be freed. */
public interface CacheValue {
  /** Returns what it costs, in the unit of the cache's capacity. Asked once, when it comes in. */
  long charge();

  /**
   * Frees it. Called exactly once, when it is neither in the cache nor pinned, by whichever thread
   * ended that, with no lock held. Must not throw.
   */
  void free();
}
