package dev.kv.core.cache;

/** A value of a cache. It has a charge, and must be freed. */
public interface CacheValue {
  /**
   * Returns the charge in the unit of the cache's capacity. Called once, when the value is loaded.
   */
  long charge();

  /**
   * Returns the later one of two times of the cache: {@code pinned}, when the value was last
   * pinned, and when it was last read without a pin. Called with the lock of the shard held.
   */
  default int touched(int pinned) {
    return pinned;
  }

  /**
   * Frees the value. Called exactly once, after it has left the cache and its last pin is closed,
   * with no lock held. Must not throw.
   */
  void free();
}
