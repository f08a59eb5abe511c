package dev.kv.core.memory;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;

/**
 * The slabs of one size class. Thread-safe.
 *
 * <p>A new slab is as large as an eighth of what the class has in use. So a class that holds a few
 * buffers has few free slots, and a class that holds all of a cache has few slabs.
 */
final class SlotPool {
  private static final int LARGEST_SLAB = 1 << 20;
  private static final int SMALLEST_SLAB = 16 << 10;
  private static final int SLAB_SHARE = 8;

  private static final VarHandle FREE_BYTES =
      FieldHandles.of(MethodHandles.lookup(), "freeBytes", long.class);

  private final BlockAllocator allocator;
  private final int slotSize;
  private final ReentrantLock lock = new ReentrantLock();

  /** The slabs that have free slots; full slabs are referenced only by their buffers. */
  @GuardedBy("lock")
  private final IntrusiveList<Slab> slabs = new IntrusiveList<>();

  @GuardedBy("lock")
  private int emptySlabs;

  @GuardedBy("lock")
  private long usedBytes;

  /** The bytes of free slots. Written with the lock held, read by any thread. */
  private long freeBytes;

  SlotPool(BlockAllocator allocator, int slotSize) {
    this.allocator = allocator;
    this.slotSize = slotSize;
  }

  BlockAllocator allocator() {
    return allocator;
  }

  /** Returns the bytes of the free slots, exact if the lock is free. */
  long freeBytes() {
    return (long) FREE_BYTES.getOpaque(this);
  }

  /**
   * Returns a buffer.
   *
   * @param cached true if the buffer is for the cache, which may have to evict for it
   * @throws dev.kv.errors.OffHeapExhaustedException if there is no memory
   */
  BlockBuf take(boolean cached) {
    BlockBuf free = takeFree();
    if (free == null && cached && allocator.evictFor(this, slotSize)) {
      free = takeFree();
    }
    if (free != null) {
      return free;
    }
    int bytes = tryReserve();
    if (bytes == 0) {
      bytes = slotSize;
      allocator.budget().reserve(MemoryKind.BLOCK, bytes);
    }
    return takeFromNew(bytes);
  }

  /** Returns a buffer, or null if the budget has no room unless something else is freed. */
  @Nullable BlockBuf tryTake() {
    BlockBuf free = takeFree();
    if (free != null) {
      return free;
    }
    int bytes = tryReserve();
    return bytes == 0 ? null : takeFromNew(bytes);
  }

  /** Returns a buffer in a free slot, or null if there is none. */
  @Nullable BlockBuf takeFree() {
    lock.lock();
    try {
      Slab slab = slabs.last();
      return slab == null ? null : takeFrom(slab);
    } finally {
      lock.unlock();
    }
  }

  /**
   * Reserves the bytes of a slab, or of a slab with a single slot.
   *
   * @return the number of bytes, or 0 if the budget has no room
   */
  private int tryReserve() {
    OffHeapBudget budget = allocator.budget();
    int slab = slabBytes();
    if (slab > slotSize
        && allocator.mayHaveFree(this, slab - slotSize)
        && budget.tryReserve(MemoryKind.BLOCK, slab)) {
      return slab;
    }
    return budget.tryReserve(MemoryKind.BLOCK, slotSize) ? slotSize : 0;
  }

  private int slabBytes() {
    long used;
    lock.lock();
    try {
      used = usedBytes;
    } finally {
      lock.unlock();
    }
    int wanted = (int) Math.min(LARGEST_SLAB, Math.max(SMALLEST_SLAB, used / SLAB_SHARE));
    return Math.max(1, wanted / slotSize) * slotSize;
  }

  private BlockBuf takeFromNew(int bytes) {
    Slab fresh = newSlab(bytes); // without the lock: the JVM may collect garbage to find the memory
    lock.lock();
    try {
      slabs.addLast(fresh);
      emptySlabs++;
      allocator.countEmpty(bytes);
      addFree(bytes);
      return takeFrom(fresh);
    } finally {
      lock.unlock();
    }
  }

  @GuardedBy("lock")
  private BlockBuf takeFrom(Slab slab) {
    boolean wasEmpty = slab.isEmpty();
    BlockBuf slot = slab.pop(); // may throw an OutOfMemoryError
    if (wasEmpty) {
      emptySlabs--;
      allocator.countEmpty(-slab.bytes());
    }
    usedBytes += slotSize;
    addFree(-slotSize);
    if (slab.isFull()) {
      slabs.remove(slab);
    }
    return slot;
  }

  /** Makes a slab of bytes that are reserved. */
  private Slab newSlab(int bytes) {
    try {
      return new Slab(this, DirectMemory.allocate(bytes), slotSize);
    } catch (Throwable e) { // without an Undo, for which there may be no memory either
      allocator.budget().release(MemoryKind.BLOCK, bytes);
      throw e;
    }
  }

  void release(Slab slab, BlockBuf slot) {
    boolean kept = false;
    lock.lock();
    try {
      if (slab.isFull()) {
        slabs.addLast(slab);
      }
      slab.push(slot);
      usedBytes -= slotSize;
      addFree(slotSize);
      if (slab.isEmpty()) {
        emptySlabs++;
        allocator.countEmpty(slab.bytes());
        kept = !allocator.isClosed();
        if (!kept) {
          drop(slab);
        }
      }
    } finally {
      lock.unlock();
    }
    if (kept) {
      allocator.limitEmptySlabs(this); // without the lock: it takes those of other pools
    }
  }

  /** Drops empty slabs, but keeps {@code kept} of them. */
  void dropEmptySlabs(int kept) {
    lock.lock();
    try {
      for (Slab slab = slabs.first(); slab != null && emptySlabs > kept; ) {
        Slab next = slabs.after(slab);
        if (slab.isEmpty()) {
          drop(slab);
        }
        slab = next;
      }
    } finally {
      lock.unlock();
    }
  }

  @GuardedBy("lock")
  private void drop(Slab slab) {
    slabs.remove(slab);
    emptySlabs--;
    addFree(-slab.bytes());
    allocator.countEmpty(-slab.bytes());
    allocator.budget().release(MemoryKind.BLOCK, slab.bytes());
  }

  @GuardedBy("lock")
  private void addFree(long bytes) {
    FREE_BYTES.setOpaque(this, freeBytes + bytes);
  }
}
