package dev.kv.core.cache;

import dev.kv.core.memory.Pinned;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import org.jspecify.annotations.Nullable;

/**
 * An entry of a cache, and at the same time the pin of whoever got it from there: {@link #close}
 * gives one pin back, and is called once for each pin taken. Thread-safe.
 *
 * <p>Its life is one long:
 *
 * <pre>
 * state := hits (38 bits) | FAILED | LOADING | IN_USE | IN_CACHE | pins (22 bits)
 * </pre>
 *
 * <ol>
 *   <li>A pin is taken only where IN_CACHE stands, by one compare-and-set, or with the shard's lock
 *       while LOADING stands. So once both are gone the pins only fall, and whoever brings the
 *       state to no pins without IN_CACHE is one thread: it frees the value.
 *   <li>IN_CACHE is taken away by a holder of the shard's lock alone: from an entry without pins by
 *       eviction, from any by erasure.
 *   <li>IN_USE says that the evictor met the entry pinned and put it aside; it is set only on an
 *       entry with pins. Whoever gives the last of them back sees it in the same step, and puts the
 *       entry back among those that can be evicted.
 * </ol>
 */
public final class CacheHandle<V extends CacheValue> implements Pinned {
  private static final long PIN = 1;
  private static final long PINS = (1L << 22) - 1;
  private static final long IN_CACHE = 1L << 22;
  private static final long IN_USE = 1L << 23;
  private static final long LOADING = 1L << 24;
  private static final long FAILED = 1L << 25;
  private static final int HIT_SHIFT = 26;
  private static final long HIT = 1L << HIT_SHIFT;

  private static final VarHandle STATE;
  private static final VarHandle TOUCHED;

  static {
    try {
      MethodHandles.Lookup lookup = MethodHandles.lookup();
      STATE = lookup.findVarHandle(CacheHandle.class, "state", long.class);
      TOUCHED = lookup.findVarHandle(CacheHandle.class, "touched", int.class);
    } catch (ReflectiveOperationException e) {
      throw new ExceptionInInitializerError(e);
    }
  }

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
   * The next entry of the same bucket; kept when the entry leaves, for readers that stand on it.
   */
  volatile @Nullable CacheHandle<V> next;

  // Guarded by the shard's lock.
  @Nullable HandleList<V> list;
  @Nullable CacheHandle<V> older;
  @Nullable CacheHandle<V> newer;

  /** True while the table has it. */
  boolean linked;

  /** The value of {@link #touched} that the entry's place in the list takes into account. */
  int listed;

  // Written before the state that lets others see them.
  private @Nullable V value;
  private long charge;

  private CacheHandle(LruShard<V> shard, long id, long key, int hash, long state) {
    this.shard = shard;
    this.id = id;
    this.key = key;
    this.hash = hash;
    this.state = state;
  }

  /** Makes an entry whose value is still to come, pinned by whoever brings it. */
  static <V extends CacheValue> CacheHandle<V> loading(
      LruShard<V> shard, long id, long key, int hash) {
    return new CacheHandle<>(shard, id, key, hash, LOADING | PIN);
  }

  /** Returns the value. Only for whoever has a pin. */
  public V value() {
    V present = value;
    if (present == null) {
      throw new AssertionError("a cache entry was used after its last pin was closed");
    }
    return present;
  }

  /**
   * Takes a pin and returns true, or returns false where the entry is no longer in the cache. One
   * compare-and-set: for callers that remember an entry without keeping it pinned.
   */
  public boolean tryPin() {
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

  /** Gives a pin back. */
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

  /** Frees the value; the state says that nobody has it or can get it. */
  void free() {
    V gone = value();
    value = null;
    gone.free();
  }

  long charge() {
    return charge;
  }

  /** Returns how often the entry was found after it came in. */
  public long hits() {
    return state >>> HIT_SHIFT;
  }

  /** Returns the shard's time when the entry was last pinned. */
  int touched() {
    return (int) TOUCHED.getOpaque(this);
  }

  /** Gives the entry its value, before anybody else can see that. */
  void setValue(V value, long charge) {
    this.value = value;
    this.charge = charge;
  }

  /** Sets the time of an entry that comes into the cache. With the shard's lock. */
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

  boolean isPinned() {
    return (state & PINS) != 0;
  }

  /** Pins an entry that is being loaded. With the shard's lock. */
  void pinLoading() {
    checkPins(state);
    STATE.getAndAdd(this, PIN + HIT);
  }

  /** Ends the load; those who wait keep their pins. With the shard's lock. */
  void loaded(boolean inCache) {
    STATE.getAndAdd(this, (inCache ? IN_CACHE : 0) - LOADING);
  }

  /** Ends the load without a value. With the shard's lock. */
  void failed() {
    STATE.getAndAdd(this, FAILED - LOADING);
  }

  /** Puts the entry aside if it is pinned. With the shard's lock. */
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
   * Takes the mark back if the entry is in the cache, marked and not pinned. With the shard's lock.
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

  /** Takes the entry out of the cache if it is not pinned; it must then be freed. With the lock. */
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

  /**
   * Takes the entry out of the cache; returns true if it must be freed now. With the shard's lock.
   */
  boolean leaveCache() {
    return ((long) STATE.getAndBitwiseAnd(this, ~IN_CACHE) & PINS) == 0;
  }

  private static void checkPins(long state) {
    if ((state & PINS) == PINS) {
      throw new AssertionError("a cache entry has " + PINS + " pins: they are not closed");
    }
  }
}
