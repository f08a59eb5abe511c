package dev.kv.core.cache;

import java.util.concurrent.atomic.AtomicLong;
import org.jspecify.annotations.Nullable;

/**
 * A cache of values by two numbers, the name space and the key, whose entries can be pinned. Thread-safe.
 *
 * <p>Only an entry that nobody pins is evicted, the least recently used first; so the charge can exceed
 * the capacity while pins are held, and falls back as they go. The charge counts what is in the cache,
 * pinned or not. An entry that is erased or replaced while it is pinned is freed at its last unpinning.
 *
 * <p>A hit takes no lock and allocates nothing: a walk along a hash chain, a compare-and-set, and a
 * stamp. The list is mended by whoever evicts. Capacity 0 keeps nothing.
 */
public final class LruCache<V extends CacheValue> implements AutoCloseable {
  private final long capacity;
  private final LruShard<V>[] shards;
  private final AtomicLong lastId = new AtomicLong();

  /** Creates a cache of {@code 1 << shardBits} shards, each with its part of {@code capacity}. */
  @SuppressWarnings({"unchecked", "rawtypes"})
  public LruCache(long capacity, int shardBits) {
    if (capacity < 0) {
      throw new IllegalArgumentException("negative capacity " + capacity);
    }
    this.capacity = capacity;
    shards = new LruShard[1 << shardBits];
    long each = (capacity + shards.length - 1) / shards.length;
    for (int i = 0; i < shards.length; i++) {
      shards[i] = new LruShard<>(each);
    }
  }

  /** Returns a name space that nobody else has. */
  public long newId() {
    return lastId.incrementAndGet();
  }

  /** Returns the entry of a key, pinned, or null if it is not there. */
  public @Nullable CacheHandle<V> acquire(long id, long key) {
    int hash = hash(id, key);
    return shardOf(hash).acquire(hash, id, key);
  }

  /**
   * Returns the entry of a key, pinned; its value is made by {@code loader} where it is not there. Of
   * threads that ask at once, one loads and the others wait for it.
   */
  public CacheHandle<V> acquire(long id, long key, Loader<V> loader) {
    int hash = hash(id, key);
    return shardOf(hash).acquire(hash, id, key, loader);
  }

  /** Puts a value in, in place of the one that the key had, and returns its entry, pinned. */
  public CacheHandle<V> insert(long id, long key, V value) {
    int hash = hash(id, key);
    return shardOf(hash).insert(hash, id, key, value);
  }

  /** Takes a key out, if it is there. */
  public void erase(long id, long key) {
    int hash = hash(id, key);
    shardOf(hash).erase(hash, id, key);
  }

  /** Takes all keys of a name space out. */
  public void eraseAll(long id) {
    for (LruShard<V> shard : shards) {
      shard.eraseAll(id);
    }
  }

  /** Takes everything out that nobody pins. */
  public void prune() {
    for (LruShard<V> shard : shards) {
      shard.prune();
    }
  }

  /** Returns the charge of what is in the cache. */
  public long totalCharge() {
    long sum = 0;
    for (LruShard<V> shard : shards) {
      sum += shard.usage();
    }
    return sum;
  }

  /** Returns the capacity. */
  public long capacity() {
    return capacity;
  }

  /** Returns about how many lookups found their key; concurrent ones may be missed. */
  public long hits() {
    long sum = 0;
    for (LruShard<V> shard : shards) {
      sum += shard.hits();
    }
    return sum;
  }

  /** Returns how many lookups did not find their key. */
  public long misses() {
    long sum = 0;
    for (LruShard<V> shard : shards) {
      sum += shard.misses();
    }
    return sum;
  }

  /** Takes everything out; what is pinned is freed as its pins go. The cache keeps nothing from now on. */
  @Override
  public void close() {
    for (LruShard<V> shard : shards) {
      shard.close();
    }
  }

  private LruShard<V> shardOf(int hash) {
    return shards[hash >>> 16 & shards.length - 1];
  }

  static int hash(long id, long key) {
    long mixed = (id * 0x9e3779b97f4a7c15L + key) * 0xff51afd7ed558ccdL;
    mixed ^= mixed >>> 33;
    mixed *= 0xc4ceb9fe1a85ec53L;
    return (int) (mixed >>> 32);
  }
}
