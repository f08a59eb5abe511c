/**
 * The pinned-aware LRU cache, for blocks and for open tables: {@link dev.kv.core.cache.LruCache} and its
 * entries, {@link dev.kv.core.cache.CacheHandle}.
 *
 * <p>Called by the table package; imports {@code memory}.
 */
@NullMarked
package dev.kv.core.cache;

import org.jspecify.annotations.NullMarked;
