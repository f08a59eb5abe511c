/**
 * The cache of uncompressed blocks and of open tables, which are used while they are cached.
 *
 * <p>{@link dev.kv.core.cache.LruCache} maps two longs to a {@link dev.kv.core.cache.CacheValue}. A
 * lookup returns the entry, a {@link dev.kv.core.cache.CacheHandle}, with a pin that the caller
 * closes; a pinned entry is never freed. A {@link dev.kv.core.cache.Loader} loads a missing value,
 * once for all threads that ask at the same time. Inside, a {@code LruShard} owns a part of the
 * keys: a {@code HandleTable}, which readers search without a lock, and a list of entries by age.
 *
 * <p>Called by {@code table}, {@code table.cache}, {@code shared}, {@code state} and {@code
 * background}; imports {@code memory}.
 */
@NullMarked
package dev.kv.core.cache;

import org.jspecify.annotations.NullMarked;
