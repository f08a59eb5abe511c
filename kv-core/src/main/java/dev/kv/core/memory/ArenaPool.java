package dev.kv.core.memory;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import dev.kv.errors.OffHeapExhaustedException;
import java.nio.ByteBuffer;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.Iterator;
import java.util.function.LongConsumer;
import org.jspecify.annotations.Nullable;

/**
 * The arenas of memtables. Thread-safe.
 *
 * <p>A new arena is small and grows by a factor of {@value #GROWTH} up to its limit, so a memtable
 * that holds few entries takes little memory. The pool keeps a few free arenas, because a new one
 * costs the zeroing and the page faults of megabytes, but not those that are larger than usual. If
 * there is a free arena of full size, a memtable that replaces a full one takes it and never grows.
 * Under a steady load this is the usual case.
 */
public final class ArenaPool implements OffHeapBudget.Reclaimer, AutoCloseable {
  /** The most free arenas that are kept. */
  private static final int KEPT = 2;

  /** The size of a new arena that may grow, in bytes. */
  private static final int INITIAL_BYTES = 16 << 10;

  /**
   * The factor of one growth. With it, all copies of an arena together are a third of its final
   * size.
   */
  private static final int GROWTH = 4;

  /**
   * The largest arena that is not refused if the budget is used up. A full memtable is replaced by
   * an empty one, so that its flush can release memory.
   */
  private static final int LARGEST_UNLIMITED = 256;

  private static final int LARGEST = Integer.MAX_VALUE - 8;

  private final OffHeapBudget budget;
  private final long share;
  private final LongConsumer acquired;

  @GuardedBy("this")
  private final Deque<NativeArena> free = new ArrayDeque<>();

  @GuardedBy("this")
  private int live;

  @GuardedBy("this")
  private boolean closed;

  /**
   * Creates a pool.
   *
   * @param budget counts the arenas as {@link MemoryKind#MEMTABLE}
   */
  public ArenaPool(OffHeapBudget budget) {
    this(budget, Long.MAX_VALUE, bytes -> {});
  }

  /**
   * Creates a pool.
   *
   * @param budget counts the arenas as {@link MemoryKind#MEMTABLE}
   * @param share the bytes up to which memtables may take memory from the block cache if the budget
   *     is used up. With more, they wait for their own flushes
   * @param acquired called with the number of bytes by which the arenas in use have grown, after
   *     each {@link #acquire}, {@link #grow} and {@link #release}, by their caller. If it throws,
   *     nothing is acquired; an arena that has grown stays so, and a lack of memory is ignored
   */
  public ArenaPool(OffHeapBudget budget, long share, LongConsumer acquired) {
    this.budget = budget;
    this.share = share;
    this.acquired = acquired;
    budget.onShortage(this);
  }

  /**
   * Returns an empty arena of at least {@code capacity} bytes that does not grow. One of at most
   * {@value #LARGEST_UNLIMITED} bytes is not refused by the budget.
   *
   * @throws OffHeapExhaustedException if there is no memory for it
   */
  public NativeArena acquire(int capacity) {
    return acquire(capacity, capacity, true);
  }

  /**
   * Returns an empty arena that {@link #grow} can enlarge.
   *
   * @param minCapacity the least size in bytes that the arena has now
   * @param limit the size in bytes that it can grow to. An arena whose least size is above it is
   *     dropped at its release
   * @param full true if it will be needed in full size: then a free one of that size is preferred
   * @return an arena that the caller releases
   * @throws OffHeapExhaustedException if there is no memory for it
   */
  public NativeArena acquire(int minCapacity, int limit, boolean full) {
    int most = roundUp(Math.max(minCapacity, limit));
    int least = Math.max(roundUp(minCapacity), Math.min(INITIAL_BYTES, most));
    NativeArena arena = full ? takeFree(most) : null;
    if (arena == null) {
      arena = takeFree(least);
    }
    if (arena == null) {
      arena = new NativeArena(allocate(least));
    }
    arena.begin(most, minCapacity > limit);
    countLive();
    try {
      acquired.accept(arena.capacity());
    } catch (Throwable e) {
      release(arena);
      throw e;
    }
    return arena;
  }

  /**
   * Makes an arena larger, unless it would exceed its limit. Called by the thread that allocates
   * from it.
   *
   * @param minCapacity the least size in bytes that is needed
   * @return false if the limit is lower, or if there is no memory; the arena is unchanged then
   */
  public boolean grow(NativeArena arena, long minCapacity) {
    int old = arena.capacity();
    if (minCapacity > arena.limit()) {
      return false;
    }
    int wanted = nextCapacity(old, (int) minCapacity, arena.limit());
    NativeArena unused = takeFree(wanted);
    ByteBuffer larger = unused == null ? tryAllocate(wanted) : unused.buffer();
    if (larger == null) {
      return false;
    }
    arena.moveTo(larger);
    budget.release(MemoryKind.MEMTABLE, old);
    try {
      acquired.accept(larger.capacity() - old);
    } catch (OutOfMemoryError e) {
      // The arena has grown. What the callback could not request, the next call requests.
    }
    return true;
  }

  private static int nextCapacity(int old, int minCapacity, int limit) {
    long next = Math.max(roundUp(minCapacity), (long) old * GROWTH);
    return next > limit / 2 ? limit : (int) next;
  }

  private @Nullable ByteBuffer tryAllocate(int capacity) {
    try {
      return allocate(capacity);
    } catch (OffHeapExhaustedException e) {
      return null;
    }
  }

  private ByteBuffer allocate(int capacity) {
    if (capacity <= LARGEST_UNLIMITED) {
      budget.count(MemoryKind.MEMTABLE, capacity);
    } else {
      reserve(capacity);
    }
    try {
      return allocateReserved(capacity);
    } catch (Throwable e) {
      budget.release(MemoryKind.MEMTABLE, capacity);
      throw e;
    }
  }

  private void reserve(int capacity) {
    if (budget.used(MemoryKind.MEMTABLE) < share) {
      budget.reserve(MemoryKind.MEMTABLE, capacity);
    } else if (!budget.tryReserve(MemoryKind.MEMTABLE, capacity)) {
      trim();
      budget.reserveWithoutReclaim(MemoryKind.MEMTABLE, capacity);
    }
  }

  /** The JVM may have less direct memory than the budget, or the budget may have no limit. */
  private ByteBuffer allocateReserved(int capacity) {
    try {
      return DirectMemory.allocate(capacity);
    } catch (OffHeapExhaustedException e) {
      long before = budget.used();
      budget.reclaim();
      if (budget.used() == before) {
        throw e; // a second try costs half a second: the JVM collects garbage first
      }
      return DirectMemory.allocate(capacity);
    }
  }

  /** Releases an arena, which must not be used afterwards. */
  public void release(NativeArena arena) {
    int capacity = arena.capacity();
    arena.reset();
    NativeArena dropped = keepOrDrop(arena);
    if (dropped != null) {
      budget.release(MemoryKind.MEMTABLE, dropped.capacity());
    }
    acquired.accept(-capacity);
  }

  /** Returns the number of arenas that are acquired and not released. */
  public synchronized int liveArenas() {
    return live;
  }

  /** Drops the free arenas; live ones are dropped when they are released. */
  @Override
  public void close() {
    synchronized (this) {
      closed = true;
    }
    budget.forget(this);
    trim();
  }

  /** Takes a free arena of at least {@code minCapacity} bytes, but not a far larger one. */
  private synchronized @Nullable NativeArena takeFree(int minCapacity) {
    for (Iterator<NativeArena> i = free.iterator(); i.hasNext(); ) {
      NativeArena arena = i.next();
      if (arena.capacity() >= minCapacity && arena.capacity() / 2 <= minCapacity) {
        i.remove();
        return arena;
      }
    }
    return null;
  }

  private synchronized void countLive() {
    live++;
  }

  /** Returns the arena that the pool drops: this one, an older one, or null. */
  private synchronized @Nullable NativeArena keepOrDrop(NativeArena arena) {
    if (live-- <= 0) {
      throw new AssertionError("an arena was released twice, or to another pool");
    }
    if (closed || arena.isOversized()) {
      return arena;
    }
    free.addFirst(arena);
    return free.size() > KEPT ? free.removeLast() : null;
  }

  /** Drops the free arenas. Allocates nothing: memory may be short. */
  @Override
  public void trim() {
    long dropped = 0;
    synchronized (this) {
      while (!free.isEmpty()) {
        dropped += free.removeLast().capacity();
      }
    }
    budget.release(MemoryKind.MEMTABLE, dropped);
  }

  private static int roundUp(int capacity) {
    if (capacity < 0 || capacity > LARGEST) {
      throw new OffHeapExhaustedException(
          "a batch needs an arena of more than 2 GiB; write it in smaller batches");
    }
    return (capacity + 7) & ~7;
  }
}
