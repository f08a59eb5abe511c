package dev.kv.core.cache;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;

/**
 * A part of a cache: the entries whose hashes begin alike, their charge and their age. Thread-safe.
 *
 * <p>A hit takes no lock: the table is searched, and the entry pinned by a compare-and-set. So the
 * lists do not know of it. They are mended by the evictor, which looks at the oldest entry: if that
 * is pinned, it goes to the list of those in use, and comes back with its last pin; if it has been
 * hit since it was put where it is, it goes to the young end, for a second look in its turn; else
 * it goes. Where {@value #SECOND_LOOKS} entries in a row had been hit, the one goes whose last hit
 * is longest ago.
 *
 * <p>Invariants, whenever the lock is free:
 *
 * <ol>
 *   <li>An entry is linked in the table if it is in the cache or being loaded; it is in one of the
 *       lists if it is in the cache; usage is the sum of the charges of both lists.
 *   <li>Usage is within the capacity, or the list by age is empty: every entry is, or has just
 *       been, pinned.
 * </ol>
 *
 * <p>Values are made and freed with the lock not held. The lock is taken while no other of the
 * engine's is asked for afterwards.
 */
final class LruShard<V extends CacheValue> {
  private static final int SECOND_LOOKS = 16;

  /** How long a waiter looks again and again before it parks: about the time that a block takes. */
  private static final int SPINS = 1000;

  // Constant after construction.
  private final long capacity;
  private final ReentrantLock lock = new ReentrantLock();
  private final Condition loadEnded = lock.newCondition();

  // Self-synchronised; changed with the lock held.
  private final HandleTable<V> table = new HandleTable<>();
  private volatile long usage;

  /** Counts the entries that came in: the unit in which entries age. */
  private volatile int time;

  @GuardedBy("lock")
  private final HandleList<V> byAge = new HandleList<>();

  @GuardedBy("lock")
  private final HandleList<V> inUse = new HandleList<>();

  /** Entries that have left and are to be freed when the lock is free. */
  @GuardedBy("lock")
  private @Nullable CacheHandle<V> doomed;

  /** Hits of entries that have left. */
  @GuardedBy("lock")
  private long hitsOfGone;

  @GuardedBy("lock")
  private boolean closed;

  LruShard(long capacity) {
    this.capacity = capacity;
    this.closed = capacity == 0;
  }

  int time() {
    return time;
  }

  long usage() {
    return usage;
  }

  /** Returns the entry, pinned, or null. */
  @Nullable CacheHandle<V> acquire(long id, long key, int hash) {
    int moves = table.moves();
    CacheHandle<V> entry = table.find(id, key, hash);
    if (entry != null) {
      if (entry.tryPin()) {
        return entry;
      }
    } else if ((moves & 1) == 0 && table.moves() == moves) {
      return null;
    }
    return acquireSlowly(id, key, hash);
  }

  /**
   * Searches where a search without the lock met an entry that is leaving, or entries that move.
   */
  private @Nullable CacheHandle<V> acquireSlowly(long id, long key, int hash) {
    lock.lock();
    try {
      CacheHandle<V> entry = table.find(id, key, hash);
      return entry != null && entry.tryPin() ? entry : null;
    } finally {
      lock.unlock();
    }
  }

  /** Returns the entry, pinned; loads it where it is missing and nobody else does so already. */
  CacheHandle<V> acquire(long id, long key, int hash, Loader<V> loader) {
    while (true) {
      CacheHandle<V> entry;
      boolean mine = false;
      lock.lock();
      try {
        entry = table.find(id, key, hash);
        if (entry == null) {
          entry = CacheHandle.loading(this, id, key, hash);
          mine = true;
          if (!closed) {
            table.link(entry);
          }
        } else if (entry.tryPin()) {
          return entry;
        } else {
          entry.pinLoading();
        }
      } finally {
        lock.unlock();
      }
      if (mine) {
        return load(entry, loader);
      }
      if (awaitLoad(entry)) {
        return entry;
      }
    }
  }

  private CacheHandle<V> load(CacheHandle<V> entry, Loader<V> loader) {
    boolean made = false;
    try {
      V value = loader.load(entry.id, entry.key);
      entry.setValue(value, value.charge());
      made = true;
    } finally {
      if (!made) {
        fail(entry);
      }
    }
    CacheHandle<V> dead;
    lock.lock();
    try {
      publishLocked(entry);
      dead = takeDoomed();
    } finally {
      lock.unlock();
    }
    freeAll(dead);
    return entry;
  }

  /** Returns true if the entry got its value; the caller then has its pin. */
  private boolean awaitLoad(CacheHandle<V> entry) {
    for (int i = 0; i < SPINS && entry.isLoading(); i++) {
      Thread.onSpinWait();
    }
    if (entry.isLoading()) {
      lock.lock();
      try {
        while (entry.isLoading()) {
          loadEnded.awaitUninterruptibly();
        }
      } finally {
        lock.unlock();
      }
    }
    return !entry.hasFailed();
  }

  /** Puts a value in, in the place of what was there, and returns its entry, pinned. */
  CacheHandle<V> insert(long id, long key, int hash, V value) {
    CacheHandle<V> entry = CacheHandle.loading(this, id, key, hash);
    entry.setValue(value, value.charge());
    CacheHandle<V> dead;
    lock.lock();
    try {
      CacheHandle<V> replaced = table.find(id, key, hash);
      if (!closed) {
        table.link(entry);
      }
      if (replaced != null) {
        removeLocked(replaced);
      }
      publishLocked(entry);
      dead = takeDoomed();
    } finally {
      lock.unlock();
    }
    freeAll(dead);
    return entry;
  }

  /** Lets an entry that has its value into the cache, if it still may and its charge fits. */
  @GuardedBy("lock")
  private void publishLocked(CacheHandle<V> entry) {
    boolean fits = entry.linked && entry.charge() <= capacity;
    if (fits) {
      int now = time + 1;
      time = now;
      entry.bornAt(now);
      byAge.addNewest(entry);
      addUsageLocked(entry.charge());
    } else if (entry.linked) {
      table.unlink(entry);
    }
    entry.loaded(fits);
    loadEnded.signalAll();
    evictLocked(capacity);
  }

  private void fail(CacheHandle<V> entry) {
    lock.lock();
    try {
      if (entry.linked) {
        table.unlink(entry);
      }
      entry.failed();
      loadEnded.signalAll();
    } finally {
      lock.unlock();
    }
  }

  /** Puts an entry whose last pin was just closed back among those that can be evicted. */
  void noLongerInUse(CacheHandle<V> entry) {
    CacheHandle<V> dead;
    lock.lock();
    try {
      if (entry.list == inUse && entry.tryClearInUse()) {
        inUse.remove(entry);
        entry.listed = entry.touched();
        byAge.addNewest(entry);
        evictLocked(capacity);
      }
      dead = takeDoomed();
    } finally {
      lock.unlock();
    }
    freeAll(dead);
  }

  void erase(long id, long key, int hash) {
    CacheHandle<V> dead;
    lock.lock();
    try {
      CacheHandle<V> entry = table.find(id, key, hash);
      if (entry != null) {
        removeLocked(entry);
      }
      dead = takeDoomed();
    } finally {
      lock.unlock();
    }
    freeAll(dead);
  }

  /** Erases every entry of {@code id}. */
  void eraseAll(long id) {
    CacheHandle<V> dead;
    lock.lock();
    try {
      for (CacheHandle<V> entry : table.entries(each -> each.id == id)) {
        removeLocked(entry);
      }
      dead = takeDoomed();
    } finally {
      lock.unlock();
    }
    freeAll(dead);
  }

  /** Evicts unpinned entries of so much charge, the oldest first; returns the charge evicted. */
  long evict(long charge) {
    CacheHandle<V> dead;
    long before;
    long after;
    lock.lock();
    try {
      before = usage;
      evictLocked(Math.max(0, before - charge));
      after = usage;
      dead = takeDoomed();
    } finally {
      lock.unlock();
    }
    freeAll(dead);
    return before - after;
  }

  /** Drops every entry that is not pinned. */
  void prune() {
    CacheHandle<V> dead;
    lock.lock();
    try {
      CacheHandle<V> entry = byAge.oldest();
      while (entry != null) {
        CacheHandle<V> newer = entry.newer;
        if (entry.tryEvict()) {
          goneLocked(entry);
        }
        entry = newer;
      }
      dead = takeDoomed();
    } finally {
      lock.unlock();
    }
    freeAll(dead);
  }

  /** Erases every entry, and lets none in from now on. */
  void close() {
    CacheHandle<V> dead;
    lock.lock();
    try {
      closed = true;
      for (CacheHandle<V> entry : table.entries(each -> true)) {
        removeLocked(entry);
      }
      dead = takeDoomed();
    } finally {
      lock.unlock();
    }
    freeAll(dead);
  }

  /** Returns how often an entry was found. */
  long hits() {
    lock.lock();
    try {
      long sum = hitsOfGone;
      for (CacheHandle<V> entry : table.entries(each -> true)) {
        sum += entry.hits();
      }
      return sum;
    } finally {
      lock.unlock();
    }
  }

  /** Evicts until the usage is {@code most}, or every entry left is pinned. */
  @GuardedBy("lock")
  private void evictLocked(long most) {
    CacheHandle<V> stalest = null;
    int looks = 0;
    while (usage > most) {
      CacheHandle<V> entry = looks < SECOND_LOOKS ? byAge.oldest() : stalest;
      if (entry == null) {
        return;
      }
      if (entry.trySetInUse()) {
        byAge.remove(entry);
        inUse.addNewest(entry);
        looks = 0;
        stalest = null;
      } else if (looks < SECOND_LOOKS && entry.touched() != entry.listed) {
        entry.listed = entry.touched();
        byAge.remove(entry);
        byAge.addNewest(entry);
        stalest = stalest == null || entry.listed - stalest.listed < 0 ? entry : stalest;
        looks++;
      } else if (entry.tryEvict()) {
        goneLocked(entry);
        looks = 0;
        stalest = null;
      }
    }
  }

  /** Erases an entry of the table: one in the cache, or one that is being loaded. */
  @GuardedBy("lock")
  private void removeLocked(CacheHandle<V> entry) {
    if (entry.isLoading()) {
      table.unlink(entry);
    } else if (entry.leaveCache()) {
      goneLocked(entry);
    } else {
      forgetLocked(entry);
    }
  }

  /** Does away with an entry that has left the cache and that nobody has pinned. */
  @GuardedBy("lock")
  private void goneLocked(CacheHandle<V> entry) {
    forgetLocked(entry);
    entry.older = doomed;
    doomed = entry;
  }

  @GuardedBy("lock")
  private void forgetLocked(CacheHandle<V> entry) {
    table.unlink(entry);
    HandleList<V> list = entry.list;
    if (list != null) {
      list.remove(entry);
    }
    addUsageLocked(-entry.charge());
    hitsOfGone += entry.hits();
  }

  @GuardedBy("lock")
  private void addUsageLocked(long charge) {
    long now = usage + charge;
    usage = now;
  }

  @GuardedBy("lock")
  private @Nullable CacheHandle<V> takeDoomed() {
    CacheHandle<V> dead = doomed;
    doomed = null;
    return dead;
  }

  private static <V extends CacheValue> void freeAll(@Nullable CacheHandle<V> dead) {
    CacheHandle<V> entry = dead;
    while (entry != null) {
      CacheHandle<V> following = entry.older;
      entry.older = null;
      entry.free();
      entry = following;
    }
  }
}
