package dev.kv.core.cache;

import dev.kv.core.memory.Pinned;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import org.jspecify.annotations.Nullable;

/**
 * An entry of a cache, and the pin on it. Thread-safe.
 *
 * <p>The state is one int: whether the entry is in the cache, and how many pins it has. A pin is taken by a
 * compare-and-set while the entry is in the cache; the state reaches 0 once, and whoever brings it there
 * frees the value.
 */
public final class CacheHandle<V extends CacheValue> implements Pinned {
  static final int IN_CACHE = 1;
  static final int PIN = 2;

  private static final VarHandle STATE;

  static {
    try {
      STATE = MethodHandles.lookup().findVarHandle(CacheHandle.class, "state", int.class);
    } catch (ReflectiveOperationException e) {
      throw new ExceptionInInitializerError(e);
    }
  }

  final LruShard<V> shard;
  final long id;
  final long key;

  private volatile int state;

  /** Null until the value is loaded, and for good where that failed. */
  private volatile @Nullable V value;

  /** The next entry of the hash chain; written under the shard's lock. */
  volatile @Nullable CacheHandle<V> chained;

  /** The shard's clock at the last use; racy, and written only where it changes. */
  int lastUse;

  // Guarded by the shard's lock.
  @Nullable CacheHandle<V> older;
  @Nullable CacheHandle<V> newer;
  boolean listed;
  boolean failed;
  long charge;

  /** The last use that its place in the list tells of. */
  int listedUse;

  CacheHandle(LruShard<V> shard, long id, long key, int state) {
    this.shard = shard;
    this.id = id;
    this.key = key;
    this.state = state;
  }

  /** Returns the value; the caller has a pin. */
  public V value() {
    V loaded = value;
    if (loaded == null) {
      throw new AssertionError("entry without a value");
    }
    return loaded;
  }

  boolean isLoaded() {
    return value != null;
  }

  void setValue(V loaded) {
    value = loaded;
  }

  /** Takes a pin if the entry is still in the cache. */
  public boolean tryPin() {
    if (!tryPinAny()) {
      return false;
    }
    if (value != null) {
      touch();
      return true;
    }
    close();
    return false;
  }

  /** Takes a pin if the entry is still in the cache, loaded or not. */
  boolean tryPinAny() {
    int now;
    do {
      now = state;
      if ((now & IN_CACHE) == 0) {
        return false;
      }
    } while (!STATE.compareAndSet(this, now, now + PIN));
    return true;
  }

  void touch() {
    int now = shard.clock();
    if (lastUse != now) {
      lastUse = now;
    }
  }

  /** Returns whether it was used since it got its place in the list. */
  boolean isUsedSinceListed() {
    return lastUse != listedUse;
  }

  boolean isPinned() {
    return state >= PIN;
  }

  /** Takes the entry out of the cache if nobody pins it; then the value is the caller's to free. */
  boolean tryEvict() {
    return STATE.compareAndSet(this, IN_CACHE, 0);
  }

  /** Takes the entry out of the cache; true if nobody pins it and the value is the caller's to free. */
  boolean takeOut() {
    return (int) STATE.getAndBitwiseAnd(this, ~IN_CACHE) == IN_CACHE;
  }

  void free() {
    V loaded = value;
    if (loaded != null) {
      loaded.free();
    }
  }

  /** Gives one pin back. */
  @Override
  public void close() {
    int before = (int) STATE.getAndAdd(this, -PIN);
    if (before < PIN) {
      throw new AssertionError("pin given back twice");
    }
    if (before == PIN) {
      free();
    } else if (before == PIN + IN_CACHE) {
      shard.unpinned();
    }
  }
}
