package dev.kv;

/**
 * An off-heap cache of uncompressed blocks that several databases can share through {@link
 * Options.Builder#blockCache}. It evicts the least recently used blocks first, and never a block
 * that is in use. Thread-safe.
 *
 * <p>The creator of a cache owns it: close it after the databases that use it. Closing it twice
 * does nothing.
 */
public interface BlockCache extends AutoCloseable {

  /**
   * Creates a cache.
   *
   * @param capacity the capacity in bytes; 0 caches nothing
   * @return a new cache, which the caller closes
   * @throws IllegalArgumentException if {@code capacity} is negative
   */
  static BlockCache create(long capacity) {
    return DBFactory.instance().newBlockCache(capacity);
  }

  /**
   * Returns the capacity of this cache.
   *
   * @return the capacity in bytes
   */
  long capacity();

  /**
   * Returns the size of the blocks in this cache, whether or not they are in use.
   *
   * @return the size in bytes
   */
  long totalCharge();

  /** Drops every block that is not in use. */
  void prune();

  /** Frees the memory of this cache. Closing it twice does nothing. */
  @Override
  void close();
}
