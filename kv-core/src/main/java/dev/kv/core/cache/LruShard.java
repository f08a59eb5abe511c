package dev.kv.core.cache;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import dev.kv.core.memory.IntrusiveList;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/**
 * A part of a cache: the entries whose hashes begin with the same bits, their charge and their age.
 * Thread-safe.
 *
 * <p>A hit takes no lock: the table is searched, and the entry pinned by a compare-and-set. So the
 * list by age does not know of hits. The evictor corrects it when it looks at the oldest entry. A
 * pinned entry is taken out of the list until its last pin is closed. An entry that was hit since
 * it was listed moves to the young end and gets a second look in its turn. Any other entry is
 * evicted. If {@value #SECOND_LOOKS} entries in a row had been hit, the one whose last hit is
 * longest ago is evicted.
 *
 * <p>Invariants, whenever the lock is free:
 *
 * <ol>
 *   <li>An entry is linked in the table if it is in the cache or being loaded. It is in the list by
 *       age if it is in the cache and not marked IN_USE. Usage is the sum of the charges of all
 *       entries in the cache.
 *   <li>Usage is within the capacity, or the list by age is empty: every entry is, or has just
 *       been, pinned.
 * </ol>
 *
 * <p>What a thread without the lock may rely on:
 *
 * <ol>
 *   <li>An entry that it has pinned has its value, and the value is not freed before the pin is
 *       closed. The value is written before the update of {@link CacheHandle}'s state that ends the
 *       load; the compare-and-set that pins reads that state, or a later one. An entry leaves the
 *       cache by an update that clears IN_CACHE, and no pin succeeds after that. The value is freed
 *       by that update if it finds no pin, and otherwise by the close of the last one.
 *   <li>A miss means that the entry was not in the cache at some moment of the search: {@link
 *       HandleTable} tells a search that met a growth, and that one is repeated with the lock.
 *   <li>A key is loaded by one thread at a time while the shard is open: entries are linked with
 *       the lock held, after a search. The others wait for the state that ends the load.
 * </ol>
 *
 * <p>Values are loaded and freed without the lock. A thread that holds the lock takes no other lock
 * of the engine.
 */
final class LruShard<V extends CacheValue> {
  private static final int SECOND_LOOKS = 16;

  /** The rounds that a waiter spins before it parks: about the time that a block takes to load. */
  private static final int SPINS = 1000;

  // Constant after construction.
  private final long capacity;
  private final ReentrantLock lock = new ReentrantLock();
  private final Condition loadEnded = lock.newCondition();

  // Self-synchronised; changed with the lock held.
  private final HandleTable<V> table = new HandleTable<>();
  private volatile long usage;

  /** Counts the entries that entered the cache: the unit of their age. */
  private volatile int time;

  private volatile boolean closed;

  /** The entries in the cache that are not marked IN_USE, the oldest first. */
  @GuardedBy("lock")
  private final IntrusiveList<CacheHandle<V>> byAge = new IntrusiveList<>();

  /** Entries that have left the cache and are freed once the lock is released. */
  @GuardedBy("lock")
  private @Nullable CacheHandle<V> doomed;

  /** The hits of entries that have left the cache. */
  @GuardedBy("lock")
  private long hitsOfRemoved;

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
   * Searches with the lock, because the search without it met an entry that is leaving, or moving
   * entries.
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

  /** Returns the entry, pinned; loads it if it is missing and no other thread is loading it. */
  CacheHandle<V> acquire(long id, long key, int hash, Loader<V> loader) {
    while (true) {
      CacheHandle<V> entry;
      boolean mine = false;
      lock.lock();
      try {
        entry = table.find(id, key, hash);
        if (entry == null) {
          entry = new CacheHandle<>(this, id, key, hash);
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
    try {
      V value = loader.load(entry.id, entry.key);
      entry.setValue(value, value.charge());
    } catch (Throwable e) { // without an Undo, because each cache miss comes here
      fail(entry);
      throw e;
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

  /** Returns true if the load succeeded; the caller then has its pin. */
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

  /**
   * Adds a loaded entry to the cache, unless it was erased during the load or its charge does not
   * fit.
   */
  @GuardedBy("lock")
  private void publishLocked(CacheHandle<V> entry) {
    boolean fits = entry.linked && entry.charge() <= capacity;
    if (fits) {
      int now = time + 1;
      time = now;
      entry.bornAt(now);
      byAge.addLast(entry);
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

  /** Returns an entry whose last pin was just closed to the list by age. */
  void noLongerInUse(CacheHandle<V> entry) {
    CacheHandle<V> dead;
    lock.lock();
    try {
      if (entry.tryClearInUse()) {
        entry.listed = entry.touched();
        byAge.addLast(entry);
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
    eraseAll(each -> each.id == id);
  }

  private void eraseAll(Predicate<CacheHandle<V>> which) {
    CacheHandle<V> dead;
    lock.lock();
    try {
      for (CacheHandle<V> entry : table.entries(which)) {
        removeLocked(entry);
      }
      dead = takeDoomed();
    } finally {
      lock.unlock();
    }
    freeAll(dead);
  }

  /**
   * Evicts unpinned entries, the oldest first, until the given charge is reached; returns the
   * charge evicted.
   */
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

  /** Erases every entry; none enters from now on. */
  void close() {
    closed = true; // a load that has not seen it has linked its entry, with the lock held
    eraseAll(each -> true);
  }

  /** Returns how often an entry was found. */
  long hits() {
    lock.lock();
    try {
      long sum = hitsOfRemoved;
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
      CacheHandle<V> entry = looks < SECOND_LOOKS ? byAge.first() : stalest;
      if (entry == null) {
        return;
      }
      if (entry.trySetInUse()) {
        byAge.remove(entry);
        looks = 0;
        stalest = null;
      } else if (looks < SECOND_LOOKS && entry.touched() != entry.listed) {
        entry.listed = entry.touched();
        byAge.remove(entry);
        byAge.addLast(entry);
        stalest = stalest == null || entry.listed - stalest.listed < 0 ? entry : stalest;
        looks++;
      } else if (entry.tryEvict()) {
        removeUnpinnedLocked(entry);
        looks = 0;
        stalest = null;
      }
    }
  }

  /** Erases an entry of the table, which is in the cache or being loaded. */
  @GuardedBy("lock")
  private void removeLocked(CacheHandle<V> entry) {
    if (entry.isLoading()) {
      table.unlink(entry);
    } else if (entry.leaveCache()) {
      removeUnpinnedLocked(entry);
    } else {
      unlinkLocked(entry);
    }
  }

  /** Removes an entry that has left the cache and is not pinned. */
  @GuardedBy("lock")
  private void removeUnpinnedLocked(CacheHandle<V> entry) {
    unlinkLocked(entry);
    entry.nextDoomed = doomed;
    doomed = entry;
  }

  @GuardedBy("lock")
  private void unlinkLocked(CacheHandle<V> entry) {
    table.unlink(entry);
    if (byAge.contains(entry)) {
      byAge.remove(entry);
    }
    addUsageLocked(-entry.charge());
    hitsOfRemoved += entry.hits();
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
      CacheHandle<V> following = entry.nextDoomed;
      entry.nextDoomed = null;
      entry.free();
      entry = following;
    }
  }
}
