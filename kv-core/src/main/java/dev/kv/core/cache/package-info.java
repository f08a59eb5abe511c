/**
 * The cache of things that are in use while they are cached: uncompressed blocks and open tables.
 *
 * <p>{@link dev.kv.core.cache.LruCache} maps two longs to a {@link dev.kv.core.cache.CacheValue}. A
 * lookup pins the entry, which {@link dev.kv.core.cache.CacheHandle} is, and whoever has the pin
 * closes it; an entry that is pinned is never freed. A {@link dev.kv.core.cache.Loader} brings in
 * what is missing, once, however many ask at a time. Inside, a {@code LruShard} owns a part of the
 * keys: a {@code HandleTable} that readers walk without a lock, and two {@code HandleList}s, the
 * unpinned by age and those found in use.
 *
 * <p>Called by {@code table}; imports {@code memory}.
 */
@NullMarked
package dev.kv.core.cache;

import org.jspecify.annotations.NullMarked;
