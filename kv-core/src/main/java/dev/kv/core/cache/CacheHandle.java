package dev.kv.core.cache;

import dev.kv.core.memory.FieldHandles;
import dev.kv.core.memory.IntrusiveList;
import dev.kv.core.memory.Pinned;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import org.jspecify.annotations.Nullable;

/**
 * An entry of a cache, and at the same time a pin on that entry. {@link #close} releases one pin
 * and is called once for each pin taken. Thread-safe.
 *
 * <p>Its state is one long:
 *
 * <pre>
 * state := hits (38 bits) | FAILED | LOADING | IN_USE | IN_CACHE | pins (22 bits)
 * </pre>
 *
 * <p>Every access to it is volatile or an atomic update.
 *
 * <ol>
 *   <li>A thread sees the value once it has a pin. The loader writes the value and the charge, and
 *       then clears LOADING. Another thread has a pin that it can use after it has read a state
 *       without LOADING: in its compare-and-set, which requires IN_CACHE, or at the end of its wait
 *       for the load.
 *   <li>A pinned value is not freed, and it is freed once. A pin is taken only while IN_CACHE is
 *       set, by one compare-and-set, or while LOADING is set, with the shard's lock held. Once both
 *       are cleared, the number of pins only falls. So exactly one update brings the state to no
 *       pins without IN_CACHE. The thread that made this update frees the value. What other threads
 *       did with the value happens before, because their updates of the state came earlier.
 *   <li>Only a thread that holds the shard's lock clears IN_CACHE: an eviction clears it in an
 *       entry without pins, an erasure in any entry.
 *   <li>IN_USE says that the evictor found the entry pinned and took it out of the list by age. It
 *       is set only while the entry has pins. The update that releases the last pin returns the
 *       state with IN_USE, and its thread returns the entry to the list.
 * </ol>
 */
public final class CacheHandle<V extends CacheValue> extends IntrusiveList.Element<CacheHandle<V>>
    implements Pinned {
  private static final long PIN = 1;
  private static final long PINS = (1L << 22) - 1;
  private static final long IN_CACHE = 1L << 22;
  private static final long IN_USE = 1L << 23;
  private static final long LOADING = 1L << 24;
  private static final long FAILED = 1L << 25;
  private static final int HIT_SHIFT = 26;
  private static final long HIT = 1L << HIT_SHIFT;

  private static final VarHandle STATE =
      FieldHandles.of(MethodHandles.lookup(), "state", long.class);
  private static final VarHandle TOUCHED =
      FieldHandles.of(MethodHandles.lookup(), "touched", int.class);

  // Constant after construction.
  private final LruShard<V> shard;
  final long id;
  final long key;
  final int hash;

  // Self-synchronised.
  private volatile long state;

  /** The shard's time when a reader last pinned the entry; the last to write wins. */
  private int touched;

  // Written with the shard's lock held, read by anyone.
  /**
   * The next entry of the same bucket. It is kept when the entry leaves, because a reader may still
   * be at this entry.
   */
  volatile @Nullable CacheHandle<V> next;

  // Guarded by the shard's lock, as the place in the list by age.
  /** True while the entry is in the table. */
  boolean linked;

  /** The next of the entries that are freed once the lock is released. */
  @Nullable CacheHandle<V> nextDoomed;

  /** The value of {@link #touched} that the entry's place in the list takes into account. */
  int listed;

  // Written before the state that lets others see them.
  private @Nullable V value;
  private long charge;

  /** Creates an entry that has no value yet, with a pin for the thread that loads the value. */
  CacheHandle(LruShard<V> shard, long id, long key, int hash) {
    this.shard = shard;
    this.id = id;
    this.key = key;
    this.hash = hash;
    state = LOADING | PIN;
  }

  /** Returns the value. The caller must have a pin. */
  public V value() {
    V present = value;
    if (present == null) {
      throw new AssertionError("a cache entry was used after its last pin was closed");
    }
    return present;
  }

  /**
   * Takes a pin if the entry is still in the cache. One compare-and-set.
   *
   * @return false if the entry has left the cache; the caller has no pin then
   */
  boolean tryPin() {
    long now;
    do {
      now = state;
      if ((now & IN_CACHE) == 0) {
        return false;
      }
      checkPins(now);
    } while (!STATE.weakCompareAndSet(this, now, now + PIN + HIT));
    int time = shard.time();
    if (touched != time) {
      TOUCHED.setOpaque(this, time);
    }
    return true;
  }

  /** Releases a pin. */
  @Override
  public void close() {
    long before = (long) STATE.getAndAdd(this, -PIN);
    if ((before & PINS) <= 1) {
      lastPinClosed(before);
    }
  }

  private void lastPinClosed(long before) {
    if ((before & PINS) == 0) {
      throw new AssertionError("a pin of a cache entry was closed twice: " + id + "/" + key);
    }
    if ((before & IN_CACHE) == 0) {
      free();
    } else if ((before & IN_USE) != 0) {
      shard.noLongerInUse(this);
    }
  }

  /** Frees the value; the state says that no thread has or can get a pin. */
  void free() {
    V freed = value();
    value = null;
    freed.free();
  }

  long charge() {
    return charge;
  }

  /** Returns how often the entry was found since it entered the cache. */
  public long hits() {
    return state >>> HIT_SHIFT;
  }

  /** Returns the shard's time when the entry was last read. With the shard's lock. */
  int touched() {
    return value().touched((int) TOUCHED.getOpaque(this));
  }

  /** Sets the value, before any other thread can see it. */
  void setValue(V value, long charge) {
    this.value = value;
    this.charge = charge;
  }

  /** Sets the time of an entry that enters the cache. With the shard's lock. */
  void bornAt(int time) {
    listed = time;
    TOUCHED.setOpaque(this, time);
  }

  boolean isLoading() {
    return (state & LOADING) != 0;
  }

  boolean hasFailed() {
    return (state & FAILED) != 0;
  }

  /** Pins an entry that is being loaded. With the shard's lock. */
  void pinLoading() {
    checkPins(state);
    STATE.getAndAdd(this, PIN + HIT);
  }

  /** Ends the load; the threads that wait keep their pins. With the shard's lock. */
  void loaded(boolean inCache) {
    STATE.getAndAdd(this, (inCache ? IN_CACHE : 0) - LOADING);
  }

  /** Ends the load without a value. With the shard's lock. */
  void failed() {
    STATE.getAndAdd(this, FAILED - LOADING);
  }

  /** Sets IN_USE if the entry is pinned. With the shard's lock. */
  boolean trySetInUse() {
    long now;
    do {
      now = state;
      if ((now & PINS) == 0) {
        return false;
      }
    } while (!STATE.compareAndSet(this, now, now | IN_USE));
    return true;
  }

  /**
   * Clears IN_USE if the entry is in the cache, has the mark and is not pinned. With the shard's
   * lock.
   */
  boolean tryClearInUse() {
    long now;
    do {
      now = state;
      if ((now & (PINS | IN_USE | IN_CACHE)) != (IN_USE | IN_CACHE)) {
        return false;
      }
    } while (!STATE.compareAndSet(this, now, now & ~IN_USE));
    return true;
  }

  /** Clears IN_CACHE if the entry is not pinned; it must then be freed. With the shard's lock. */
  boolean tryEvict() {
    long now;
    do {
      now = state;
      if ((now & PINS) != 0) {
        return false;
      }
    } while (!STATE.compareAndSet(this, now, now & ~IN_CACHE));
    return true;
  }

  /** Clears IN_CACHE; returns true if the entry must be freed now. With the shard's lock. */
  boolean leaveCache() {
    return ((long) STATE.getAndBitwiseAnd(this, ~IN_CACHE) & PINS) == 0;
  }

  private static void checkPins(long state) {
    if ((state & PINS) == PINS) {
      throw new AssertionError("a cache entry has " + PINS + " pins: they are not closed");
    }
  }
}
