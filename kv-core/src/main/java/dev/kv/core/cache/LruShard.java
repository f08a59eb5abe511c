package dev.kv.core.cache;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;

/**
 * One part of a cache, with a lock of its own for everything but hits.
 *
 * <p>All entries in the cache that are loaded are on one list, the oldest first. The evictor walks it from
 * there: an entry that is pinned, or was used since it got its place, goes to the new end, and any other is
 * evicted. Time is counted in insertions, so that the uses that belong to one insertion count as one.
 * Loading entries are in the table only, so that others find them and wait.
 */
final class LruShard<V extends CacheValue> {
  private final long capacity;
  private final HashTable<V> table = new HashTable<>();
  private final ReentrantLock lock = new ReentrantLock();
  private final Condition loaded = lock.newCondition();

  @GuardedBy("lock")
  private @Nullable CacheHandle<V> oldest;

  @GuardedBy("lock")
  private @Nullable CacheHandle<V> newest;

  @GuardedBy("lock")
  private int listed;

  @GuardedBy("lock")
  private int waiting;

  /** Written under the lock, read by anyone. */
  private volatile long usage;

  private volatile boolean closed;
  private volatile long misses;

  /** Counts the insertions; written under the lock, and read by hits, which may lag. */
  private int clock;

  /** Racy: an increment may be lost, which is cheaper than a shared counter on every hit. */
  private long hits;

  LruShard(long capacity) {
    this.capacity = capacity;
  }

  int clock() {
    return clock;
  }

  long usage() {
    return usage;
  }

  long hits() {
    return hits;
  }

  long misses() {
    return misses;
  }

  @Nullable CacheHandle<V> acquire(int hash, long id, long key) {
    CacheHandle<V> entry = table.find(hash, id, key);
    if (entry != null && entry.tryPin()) {
      hits++;
      return entry;
    }
    return acquireSlowly(hash, id, key);
  }

  /** Looks again under the lock: a walk without it may have met a change. */
  private @Nullable CacheHandle<V> acquireSlowly(int hash, long id, long key) {
    lock.lock();
    try {
      CacheHandle<V> entry = table.find(hash, id, key);
      if (entry != null && entry.tryPin()) {
        hits++;
        return entry;
      }
      countMiss();
      return null;
    } finally {
      lock.unlock();
    }
  }

  @SuppressWarnings("NonAtomicVolatileUpdate") // under the lock
  @GuardedBy("lock")
  private void countMiss() {
    misses++;
  }

  CacheHandle<V> acquire(int hash, long id, long key, Loader<V> loader) {
    CacheHandle<V> entry = table.find(hash, id, key);
    if (entry != null && entry.tryPin()) {
      hits++;
      return entry;
    }
    while (true) {
      CacheHandle<V> found = findOrReserve(hash, id, key);
      if (found.failed) {
        continue;
      }
      return found.isLoaded() ? found : load(hash, found, loader);
    }
  }

  /**
   * Returns the loaded entry of a key, pinned; or a new one, pinned, that the caller has to load; or one
   * whose load failed, not pinned.
   */
  private CacheHandle<V> findOrReserve(int hash, long id, long key) {
    lock.lock();
    try {
      CacheHandle<V> entry = table.find(hash, id, key);
      if (entry != null && entry.tryPinAny()) {
        hits++;
        entry.touch();
        return awaitLoadLocked(entry);
      }
      countMiss();
      if (capacity == 0 || closed) {
        return new CacheHandle<>(this, id, key, CacheHandle.PIN);
      }
      CacheHandle<V> reserved =
          new CacheHandle<>(this, id, key, CacheHandle.PIN | CacheHandle.IN_CACHE);
      table.add(hash, reserved);
      return reserved;
    } finally {
      lock.unlock();
    }
  }

  @GuardedBy("lock")
  private CacheHandle<V> awaitLoadLocked(CacheHandle<V> entry) {
    waiting++;
    while (!entry.isLoaded() && !entry.failed) {
      loaded.awaitUninterruptibly();
    }
    waiting--;
    if (entry.failed) {
      entry.close();
    }
    return entry;
  }

  private CacheHandle<V> load(int hash, CacheHandle<V> entry, Loader<V> loader) {
    V value = null;
    try {
      value = loader.load(entry.id, entry.key);
      return entry;
    } finally {
      finishLoad(hash, entry, value);
    }
  }

  private void finishLoad(int hash, CacheHandle<V> entry, @Nullable V value) {
    lock.lock();
    try {
      if (value == null) {
        entry.failed = true;
        if (table.find(hash, entry.id, entry.key) == entry) {
          table.remove(hash, entry);
        }
        entry.takeOut();
        entry.close();
      } else {
        entry.setValue(value);
        keepLocked(hash, entry, value);
      }
      if (waiting > 0) {
        loaded.signalAll();
      }
    } finally {
      lock.unlock();
    }
  }

  /** Lists an entry that has just been loaded, unless it was erased or the cache closed meanwhile. */
  @GuardedBy("lock")
  private void keepLocked(int hash, CacheHandle<V> entry, V value) {
    if (table.find(hash, entry.id, entry.key) != entry) {
      return;
    }
    if (closed) {
      table.remove(hash, entry);
      takeOutLocked(entry);
    } else {
      listLocked(entry, value.charge());
      evictLocked();
    }
  }

  CacheHandle<V> insert(int hash, long id, long key, V value) {
    if (capacity == 0 || closed) {
      CacheHandle<V> unlisted = new CacheHandle<>(this, id, key, CacheHandle.PIN);
      unlisted.setValue(value);
      return unlisted;
    }
    lock.lock();
    try {
      eraseLocked(hash, id, key);
      CacheHandle<V> entry =
          new CacheHandle<>(this, id, key, CacheHandle.PIN | CacheHandle.IN_CACHE);
      entry.setValue(value);
      table.add(hash, entry);
      listLocked(entry, value.charge());
      evictLocked();
      return entry;
    } finally {
      lock.unlock();
    }
  }

  void erase(int hash, long id, long key) {
    lock.lock();
    try {
      eraseLocked(hash, id, key);
    } finally {
      lock.unlock();
    }
  }

  @GuardedBy("lock")
  private void eraseLocked(int hash, long id, long key) {
    CacheHandle<V> entry = table.find(hash, id, key);
    if (entry != null) {
      table.remove(hash, entry);
      takeOutLocked(entry);
    }
  }

  /** Takes an entry that is in no chain any more out of the cache. */
  @GuardedBy("lock")
  private void takeOutLocked(CacheHandle<V> entry) {
    if (entry.listed) {
      unlistLocked(entry);
    }
    if (entry.takeOut()) {
      entry.free();
    }
  }

  void eraseAll(long id) {
    lock.lock();
    try {
      for (CacheHandle<V> entry = oldest; entry != null; ) {
        CacheHandle<V> next = entry.newer;
        if (entry.id == id) {
          removeLocked(entry);
        }
        entry = next;
      }
    } finally {
      lock.unlock();
    }
  }

  void prune() {
    lock.lock();
    try {
      for (CacheHandle<V> entry = oldest; entry != null; ) {
        CacheHandle<V> next = entry.newer;
        evictLocked(entry);
        entry = next;
      }
    } finally {
      lock.unlock();
    }
  }

  void close() {
    lock.lock();
    try {
      closed = true;
      while (oldest != null) {
        removeLocked(oldest);
      }
    } finally {
      lock.unlock();
    }
  }

  /** Called when an entry in the cache has lost its last pin: evicts if that was what stood in the way. */
  void unpinned() {
    if (usage > capacity && lock.tryLock()) {
      try {
        evictLocked();
      } finally {
        lock.unlock();
      }
    }
  }

  @GuardedBy("lock")
  private void removeLocked(CacheHandle<V> entry) {
    table.remove(LruCache.hash(entry.id, entry.key), entry);
    takeOutLocked(entry);
  }

  /** Brings the usage down to the capacity, as far as pins allow. */
  @GuardedBy("lock")
  private void evictLocked() {
    for (int steps = 2 * listed; usage > capacity && steps > 0; steps--) {
      CacheHandle<V> entry = oldest;
      if (entry == null) {
        return;
      }
      if (entry.isUsedSinceListed() || entry.isPinned()) {
        entry.listedUse = entry.lastUse;
        moveToNewestLocked(entry);
      } else {
        evictLocked(entry);
      }
    }
  }

  /** Evicts an entry unless it is pinned. */
  @GuardedBy("lock")
  private void evictLocked(CacheHandle<V> entry) {
    if (entry.tryEvict()) {
      table.remove(LruCache.hash(entry.id, entry.key), entry);
      unlistLocked(entry);
      entry.free();
    }
  }

  @SuppressWarnings("NonAtomicVolatileUpdate") // under the lock
  @GuardedBy("lock")
  private void listLocked(CacheHandle<V> entry, long charge) {
    entry.charge = charge;
    usage += charge;
    clock++;
    entry.lastUse = clock;
    entry.listedUse = clock;
    entry.listed = true;
    listed++;
    appendLocked(entry);
  }

  @SuppressWarnings("NonAtomicVolatileUpdate") // under the lock
  @GuardedBy("lock")
  private void unlistLocked(CacheHandle<V> entry) {
    usage -= entry.charge;
    entry.listed = false;
    listed--;
    unlinkLocked(entry);
  }

  @GuardedBy("lock")
  private void moveToNewestLocked(CacheHandle<V> entry) {
    if (newest != entry) {
      unlinkLocked(entry);
      appendLocked(entry);
    }
  }

  @GuardedBy("lock")
  private void appendLocked(CacheHandle<V> entry) {
    entry.older = newest;
    entry.newer = null;
    if (newest == null) {
      oldest = entry;
    } else {
      newest.newer = entry;
    }
    newest = entry;
  }

  @GuardedBy("lock")
  private void unlinkLocked(CacheHandle<V> entry) {
    if (entry.older == null) {
      oldest = entry.newer;
    } else {
      entry.older.newer = entry.newer;
    }
    if (entry.newer == null) {
      newest = entry.older;
    } else {
      entry.newer.older = entry.older;
    }
    entry.older = null;
    entry.newer = null;
  }
}
