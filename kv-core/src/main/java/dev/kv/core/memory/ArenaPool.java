package dev.kv.core.memory;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import dev.kv.OffHeapExhaustedException;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.Iterator;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The arenas of a database's memtables: a few free ones are kept, for a fresh arena costs the
 * zeroing and the page faults of megabytes. Thread-safe.
 */
public final class ArenaPool implements AutoCloseable {
  /** How many free arenas are kept. */
  private static final int KEPT = 2;

  private final OffHeapBudget budget;
  private final Runnable reclaimer = this::dropFree;

  @GuardedBy("this")
  private final Deque<NativeArena> free = new ArrayDeque<>();

  @GuardedBy("this")
  private int live;

  @GuardedBy("this")
  private boolean closed;

  /** Creates a pool whose arenas count as {@link MemoryKind#MEMTABLE}. */
  public ArenaPool(OffHeapBudget budget) {
    this.budget = budget;
    budget.onShortage(reclaimer);
  }

  /** Returns an arena of at least {@code minCapacity} bytes, all of them free. */
  public NativeArena acquire(int minCapacity) {
    NativeArena recycled = takeFree(minCapacity);
    if (recycled != null) {
      return recycled;
    }
    int capacity = roundUp(minCapacity);
    budget.reserve(MemoryKind.MEMTABLE, capacity);
    boolean made = false;
    try {
      NativeArena arena = new NativeArena(capacity);
      made = true;
      return arena;
    } finally {
      if (made) {
        countLive();
      } else {
        budget.release(MemoryKind.MEMTABLE, capacity);
      }
    }
  }

  /** Takes an arena back; nobody may use it any more. */
  public void release(NativeArena arena) {
    arena.reset();
    NativeArena dropped = keepOrDrop(arena);
    if (dropped != null) {
      budget.release(MemoryKind.MEMTABLE, dropped.capacity());
    }
  }

  /** Returns how many arenas are out. */
  public synchronized int liveArenas() {
    return live;
  }

  /** Drops the free arenas; those still out are dropped when they come back. */
  @Override
  public void close() {
    synchronized (this) {
      closed = true;
    }
    budget.forget(reclaimer);
    dropFree();
  }

  private synchronized @Nullable NativeArena takeFree(int minCapacity) {
    for (Iterator<NativeArena> i = free.iterator(); i.hasNext(); ) {
      NativeArena arena = i.next();
      if (arena.capacity() >= minCapacity && arena.capacity() / 2 <= minCapacity) {
        i.remove();
        live++;
        return arena;
      }
    }
    return null;
  }

  private synchronized void countLive() {
    live++;
  }

  /** Returns what falls out of the pool: the arena itself, an older one, or nothing. */
  private synchronized @Nullable NativeArena keepOrDrop(NativeArena arena) {
    if (live-- <= 0) {
      throw new AssertionError("an arena was released twice, or to another pool");
    }
    if (closed) {
      return arena;
    }
    free.addFirst(arena);
    return free.size() > KEPT ? free.removeLast() : null;
  }

  private void dropFree() {
    List<NativeArena> dropped;
    synchronized (this) {
      dropped = new ArrayList<>(free);
      free.clear();
    }
    for (NativeArena arena : dropped) {
      budget.release(MemoryKind.MEMTABLE, arena.capacity());
    }
  }

  private static int roundUp(int capacity) {
    if (capacity < 0 || capacity > Integer.MAX_VALUE - 8) {
      throw new OffHeapExhaustedException(
          "a batch needs an arena of more than 2 GiB; write it in smaller batches");
    }
    return (capacity + 7) & ~7;
  }
}
