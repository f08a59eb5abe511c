package dev.kv;

/**
 * An off-heap cache of uncompressed blocks that databases can share through {@link
 * Options.Builder#blockCache}. Least recently used blocks go first; a block in use is never
 * evicted. Thread-safe.
 *
 * <p>Whoever creates a cache closes it, after the databases that use it. Closing twice does
 * nothing.
 */
public interface BlockCache extends AutoCloseable {

  /** Returns a cache of at most {@code capacity} bytes; 0 caches nothing. */
  static BlockCache create(long capacity) {
    return DBFactory.instance().newBlockCache(capacity);
  }

  /** Returns the capacity in bytes. */
  long capacity();

  /** Returns the bytes in the cache, pinned or not. */
  long totalCharge();

  /** Drops every block that is not in use. */
  void prune();

  @Override
  void close();
}
