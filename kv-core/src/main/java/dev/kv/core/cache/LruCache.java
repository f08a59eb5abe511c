package dev.kv.core.cache;

import dev.kv.core.memory.BlockAllocator;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.LongAdder;
import org.jspecify.annotations.Nullable;

/**
 * A cache whose entries are pinned while they are used: the least recently used go first, and a
 * pinned one never. Keys are pairs of longs: an id, by which users that share the cache are kept
 * apart, and a number. Thread-safe.
 *
 * <p>What is in the cache counts against the capacity, pinned or not, and stops to at its eviction
 * or erasure. Pins can therefore carry the cache past its capacity; it falls back as they go. An
 * entry that was erased or replaced while it was pinned is freed with its last pin. A capacity of 0
 * caches nothing, and a value that alone exceeds its shard's capacity is not cached: it lives as
 * long as its pin.
 *
 * <p>A hit allocates nothing and takes no lock; the entry itself is the handle.
 */
public final class LruCache<V extends CacheValue> implements BlockAllocator.Evictor, AutoCloseable {
  private static final int MAX_SHARD_BITS = 10;

  private final long capacity;
  private final int shardShift;
  private final LruShard<V>[] shards;
  private final AtomicLong lastId = new AtomicLong();
  private final LongAdder misses = new LongAdder();
  private final AtomicInteger nextEvicting = new AtomicInteger();

  /** Creates a cache of 2^{@code shardBits} shards that share {@code capacity} evenly. */
  public LruCache(long capacity, int shardBits) {
    if (capacity < 0 || shardBits < 0 || shardBits > MAX_SHARD_BITS) {
      throw new IllegalArgumentException("capacity " + capacity + ", shard bits " + shardBits);
    }
    this.capacity = capacity;
    shardShift = Integer.SIZE - shardBits;
    shards = newShards(1 << shardBits);
    long each = (capacity >>> shardBits) + ((capacity & (shards.length - 1)) == 0 ? 0 : 1);
    for (int i = 0; i < shards.length; i++) {
      shards[i] = new LruShard<>(each);
    }
  }

  @SuppressWarnings({"unchecked", "rawtypes"})
  private static <V extends CacheValue> LruShard<V>[] newShards(int count) {
    return (LruShard<V>[]) new LruShard[count];
  }

  /** Returns a new id, of which no other user of the cache knows. Ids begin with 1. */
  public long newId() {
    return lastId.incrementAndGet();
  }

  /**
   * Returns the entry with a pin, which the caller closes, or null where there is none yet. A null
   * counts as a miss.
   */
  public @Nullable CacheHandle<V> acquire(long id, long key) {
    int hash = hash(id, key);
    CacheHandle<V> entry = shard(hash).acquire(id, key, hash);
    if (entry == null) {
      misses.increment();
    }
    return entry;
  }

  /**
   * Returns the entry with a pin, which the caller closes; loads it where it is missing. Of callers
   * at the same time one loads, and the others wait for it. What the loader throws reaches its
   * caller; those who waited try again, each with its own loader. A load counts as no miss: the
   * lookup before it did.
   */
  public CacheHandle<V> acquire(long id, long key, Loader<V> loader) {
    int hash = hash(id, key);
    LruShard<V> shard = shard(hash);
    CacheHandle<V> entry = shard.acquire(id, key, hash);
    return entry != null ? entry : shard.acquire(id, key, hash, loader);
  }

  /**
   * Puts a value in, which the cache adopts, and returns its entry with a pin, which the caller
   * closes. An entry that was there is erased.
   */
  public CacheHandle<V> insert(long id, long key, V value) {
    int hash = hash(id, key);
    return shard(hash).insert(id, key, hash, value);
  }

  /** Takes an entry out of the cache, if it is there. A load under way ends outside the cache. */
  public void erase(long id, long key) {
    int hash = hash(id, key);
    shard(hash).erase(id, key, hash);
  }

  /** Takes all entries of an id out of the cache. Looks at every entry of the cache. */
  public void eraseAll(long id) {
    for (LruShard<V> shard : shards) {
      shard.eraseAll(id);
    }
  }

  /** Begins at another shard each time, so that all shards give alike. */
  @Override
  public long evict(long charge) {
    int first = nextEvicting.getAndIncrement();
    long evicted = 0;
    for (int i = 0; i < shards.length && evicted < charge; i++) {
      evicted += shards[first + i & shards.length - 1].evict(charge - evicted);
    }
    return evicted;
  }

  /** Drops every entry that is not pinned. */
  public void prune() {
    for (LruShard<V> shard : shards) {
      shard.prune();
    }
  }

  /** Returns the charge of what is in the cache, pinned or not. */
  @Override
  public long totalCharge() {
    long sum = 0;
    for (LruShard<V> shard : shards) {
      sum += shard.usage();
    }
    return sum;
  }

  /** Returns the capacity. */
  @Override
  public long capacity() {
    return capacity;
  }

  /** Returns how many lookups and pins found their entry. Looks at every entry of the cache. */
  public long hits() {
    long sum = 0;
    for (LruShard<V> shard : shards) {
      sum += shard.hits();
    }
    return sum;
  }

  /** Returns how many lookups found nothing; see {@link #acquire(long, long)}. */
  public long misses() {
    return misses.sum();
  }

  /**
   * Erases every entry; from now on nothing is cached. What is pinned stays until its pins are
   * closed. Closing twice does nothing.
   */
  @Override
  public void close() {
    for (LruShard<V> shard : shards) {
      shard.close();
    }
  }

  /** Shifts by 32 where there is one shard, which Java would take for 0. */
  private LruShard<V> shard(int hash) {
    return shards[(int) ((hash & 0xffffffffL) >>> shardShift)];
  }

  /** Mixes both longs so that high bits, for the shard, and low bits, for the bucket, are good. */
  private static int hash(long id, long key) {
    long h = (id * 0x9e3779b97f4a7c15L ^ key) * 0xff51afd7ed558ccdL;
    h ^= h >>> 32;
    h *= 0xc4ceb9fe1a85ec53L;
    return (int) (h >>> 32) ^ (int) h;
  }
}
