package dev.kv.core.cache;

import dev.kv.core.memory.BlockAllocator;
import dev.kv.core.memory.Stripes;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.AtomicLongArray;
import java.util.concurrent.atomic.LongAdder;
import org.jspecify.annotations.Nullable;

/**
 * A cache whose entries are pinned while they are used. It evicts the least recently used entries,
 * and never a pinned one. A key is a pair of longs: an id, different for each user that shares the
 * cache, and a number. Thread-safe.
 *
 * <p>An entry counts against the capacity, pinned or not, until it is evicted or erased. So pins
 * can make the cache exceed its capacity; it shrinks again when they are closed. An entry that is
 * erased while it is pinned is freed when its last pin is closed. With a capacity of 0 nothing is
 * cached. A value that alone exceeds the capacity of its shard is not cached either: it is freed
 * when its last pin is closed.
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

  /** Hits without a pin; each stripe of threads has a cell. */
  private final AtomicLongArray unpinnedHits = new AtomicLongArray(Stripes.arrayLength());

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

  /** Returns an id that no other user of the cache has. Ids begin with 1. */
  public long newId() {
    return lastId.incrementAndGet();
  }

  /**
   * Returns the entry with a pin, which the caller closes, or null if there is none. A null counts
   * as a miss.
   */
  public @Nullable CacheHandle<V> acquire(long id, long key) {
    int hash = hash(id, key);
    CacheHandle<V> entry = shard(hash).acquire(id, key, hash);
    if (entry == null) {
      misses.increment();
    }
    return entry;
  }

  /** Returns the time of the shard of an entry, for {@link CacheValue#touched}. */
  public int time(long id, long key) {
    return shard(hash(id, key)).time();
  }

  /** Counts a hit without a pin. */
  public void countHit() {
    unpinnedHits.getAndIncrement(Stripes.cell(Stripes.current()));
  }

  /**
   * Returns the entry with a pin, which the caller closes; loads it if it is missing. If several
   * threads call at the same time, one loads and the others wait for it. An exception of the loader
   * is thrown in the thread that loads; the others try again, each with its own loader. A load does
   * not count as a miss, because the lookup before it did.
   */
  public CacheHandle<V> acquire(long id, long key, Loader<V> loader) {
    int hash = hash(id, key);
    LruShard<V> shard = shard(hash);
    CacheHandle<V> entry = shard.acquire(id, key, hash);
    return entry != null ? entry : shard.acquire(id, key, hash, loader);
  }

  /** Erases an entry, if it is there. The value of a load under way does not enter the cache. */
  public void erase(long id, long key) {
    int hash = hash(id, key);
    shard(hash).erase(id, key, hash);
  }

  /** Erases all entries of an id. Visits every entry of the cache. */
  public void eraseAll(long id) {
    for (LruShard<V> shard : shards) {
      shard.eraseAll(id);
    }
  }

  /** Begins at another shard each time, so that all shards evict equally. */
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
    evict(Long.MAX_VALUE);
  }

  /** Returns the charge of all entries in the cache, pinned or not. */
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

  /** Returns how many lookups and pins found their entry. Visits every entry of the cache. */
  public long hits() {
    long sum = 0;
    for (int stripe = 0; stripe < Stripes.COUNT; stripe++) {
      sum += unpinnedHits.get(Stripes.cell(stripe));
    }
    for (LruShard<V> shard : shards) {
      sum += shard.hits();
    }
    return sum;
  }

  /** Returns the number of lookups that found no entry; see {@link #acquire(long, long)}. */
  public long misses() {
    return misses.sum();
  }

  /**
   * Erases every entry; nothing is cached from now on. Pinned values stay until their pins are
   * closed. Closing twice does nothing.
   */
  @Override
  public void close() {
    for (LruShard<V> shard : shards) {
      shard.close();
    }
  }

  /** With one shard the shift is 32, which Java treats as 0 for an int. So a long is shifted. */
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
