package dev.kv.core.cache;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicReferenceArray;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/**
 * The entries of a shard by id and key: chains in buckets. Searched by any thread without a lock,
 * changed with the shard's lock held.
 *
 * <ol>
 *   <li>A search that does not run beside a growth finds every entry that is linked during all of
 *       the search. {@link #link} sets {@code next} of the new entry before the volatile write of
 *       the bucket, and a search reads the bucket in acquire mode. {@link #unlink} writes only the
 *       link before the entry; the entry keeps its own {@code next}, so a search that is at the
 *       entry goes on in the same chain.
 *   <li>A growth changes {@code next} of entries that a search may be at, so the search may leave
 *       its chain and miss an entry. {@link #grow} makes {@code moves} odd by a volatile write
 *       before the first such change, and even again by another one after the last. So a search
 *       that reads the same even number before and after itself has not met a growth.
 *   <li>A search never finds a wrong entry, because it compares id and key, which are final. The
 *       entry that it finds may have left the cache: the compare-and-set that pins it fails then.
 * </ol>
 */
final class HandleTable<V extends CacheValue> {
  private static final int INITIAL_BUCKETS = 16;

  /** The average length of a chain at which the table grows. */
  private static final int MAX_LOAD = 1;

  private volatile AtomicReferenceArray<@Nullable CacheHandle<V>> buckets =
      new AtomicReferenceArray<>(INITIAL_BUCKETS);

  /** Odd while entries move. */
  private volatile int moves;

  /** Guarded by the shard's lock. */
  private int size;

  /**
   * Returns a number that is even, and equal before and after a search, if the search missed
   * nothing.
   */
  int moves() {
    return moves;
  }

  /** Returns the entry, or null. The entry may have left the cache or not have its value yet. */
  @Nullable CacheHandle<V> find(long id, long key, int hash) {
    AtomicReferenceArray<@Nullable CacheHandle<V>> now = buckets;
    CacheHandle<V> entry = now.getAcquire(hash & (now.length() - 1));
    while (entry != null && (entry.key != key || entry.id != id)) {
      entry = entry.next;
    }
    return entry;
  }

  /**
   * Adds an entry whose id and key are not in the table. If there is no memory to grow, it throws
   * and the entry is not in the table.
   */
  void link(CacheHandle<V> entry) {
    if (size >= MAX_LOAD * buckets.length()) {
      grow();
    }
    addFirst(buckets, entry);
    entry.linked = true;
    size++;
  }

  /** Removes an entry. A search that is at this entry continues with the next one. */
  void unlink(CacheHandle<V> entry) {
    AtomicReferenceArray<@Nullable CacheHandle<V>> now = buckets;
    int bucket = entry.hash & (now.length() - 1);
    CacheHandle<V> before = now.get(bucket);
    if (before == entry) {
      now.set(bucket, entry.next);
    } else {
      while (before != null && before.next != entry) {
        before = before.next;
      }
      if (before == null) {
        throw new AssertionError("an entry is not in its bucket");
      }
      before.next = entry.next;
    }
    entry.linked = false;
    size--;
  }

  /** Returns the entries that match {@code which}. */
  List<CacheHandle<V>> entries(Predicate<CacheHandle<V>> which) {
    AtomicReferenceArray<@Nullable CacheHandle<V>> now = buckets;
    List<CacheHandle<V>> found = new ArrayList<>();
    for (int i = 0; i < now.length(); i++) {
      for (CacheHandle<V> entry = now.get(i); entry != null; entry = entry.next) {
        if (which.test(entry)) {
          found.add(entry);
        }
      }
    }
    return found;
  }

  private void grow() {
    AtomicReferenceArray<@Nullable CacheHandle<V>> grown =
        new AtomicReferenceArray<>(buckets.length() * 2);
    int even = moves;
    moves = even + 1;
    for (int i = 0; i < buckets.length(); i++) {
      CacheHandle<V> entry = buckets.get(i);
      while (entry != null) {
        CacheHandle<V> following = entry.next;
        addFirst(grown, entry);
        entry = following;
      }
    }
    buckets = grown;
    moves = even + 2;
  }

  private static <V extends CacheValue> void addFirst(
      AtomicReferenceArray<@Nullable CacheHandle<V>> buckets, CacheHandle<V> entry) {
    int bucket = entry.hash & (buckets.length() - 1);
    entry.next = buckets.get(bucket);
    buckets.set(bucket, entry);
  }
}
