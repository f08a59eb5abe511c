package dev.kv.core.cache;

import java.util.concurrent.atomic.AtomicReferenceArray;
import org.jspecify.annotations.Nullable;

/**
 * The entries of a shard by key, in chains. Read without a lock; changed under the shard's.
 *
 * <p>A reader that meets a removal or a growth can miss an entry that is there, and never finds one that
 * is another's: who misses looks again under the lock.
 */
final class HashTable<V extends CacheValue> {
  private volatile AtomicReferenceArray<@Nullable CacheHandle<V>> buckets =
      new AtomicReferenceArray<>(16);
  private int size;

  /** Returns the entry of a key, not pinned; it may be leaving the cache. */
  @Nullable CacheHandle<V> find(int hash, long id, long key) {
    AtomicReferenceArray<@Nullable CacheHandle<V>> table = buckets;
    CacheHandle<V> entry = table.getAcquire(hash & table.length() - 1);
    while (entry != null && (entry.key != key || entry.id != id)) {
      entry = entry.chained;
    }
    return entry;
  }

  void add(int hash, CacheHandle<V> entry) {
    if (++size > buckets.length()) {
      grow();
    }
    AtomicReferenceArray<@Nullable CacheHandle<V>> table = buckets;
    int bucket = hash & table.length() - 1;
    entry.chained = table.getPlain(bucket);
    table.setRelease(bucket, entry);
  }

  /** Removes an entry that is there; its own link stays, for readers that stand on it. */
  void remove(int hash, CacheHandle<V> entry) {
    AtomicReferenceArray<@Nullable CacheHandle<V>> table = buckets;
    int bucket = hash & table.length() - 1;
    CacheHandle<V> before = table.getPlain(bucket);
    if (before == entry) {
      table.setRelease(bucket, entry.chained);
    } else {
      while (before != null && before.chained != entry) {
        before = before.chained;
      }
      if (before == null) {
        throw new AssertionError("entry is not in its chain");
      }
      before.chained = entry.chained;
    }
    size--;
  }

  private void grow() {
    AtomicReferenceArray<@Nullable CacheHandle<V>> old = buckets;
    AtomicReferenceArray<@Nullable CacheHandle<V>> grown =
        new AtomicReferenceArray<>(2 * old.length());
    for (int i = 0; i < old.length(); i++) {
      CacheHandle<V> entry = old.getPlain(i);
      while (entry != null) {
        CacheHandle<V> next = entry.chained;
        int bucket = LruCache.hash(entry.id, entry.key) & grown.length() - 1;
        entry.chained = grown.getPlain(bucket);
        grown.setPlain(bucket, entry);
        entry = next;
      }
    }
    buckets = grown;
  }
}
