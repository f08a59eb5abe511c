package dev.kv.core.memory;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;

/** The slabs of one size class. Thread-safe. */
final class SlotPool {
  private static final int LARGEST_SLAB = 1 << 20;
  private static final int SLOTS_PER_SLAB = 64;
  private static final int SMALLEST_SLAB = 16 << 10;

  /** A slab that falls empty is kept if it is the only one of its class. */
  private static final int KEPT_EMPTY = 1;

  private final BlockAllocator allocator;
  private final int slotSize;
  private final int slabBytes;
  private final ReentrantLock lock = new ReentrantLock();

  /** The slabs that have free slots; full ones are held by their buffers alone. */
  @GuardedBy("lock")
  private @Nullable Slab first;

  @GuardedBy("lock")
  private int emptySlabs;

  SlotPool(BlockAllocator allocator, int slotSize) {
    this.allocator = allocator;
    this.slotSize = slotSize;
    int wanted = Math.min(LARGEST_SLAB, Math.max(SMALLEST_SLAB, slotSize * SLOTS_PER_SLAB));
    slabBytes = Math.max(1, wanted / slotSize) * slotSize;
  }

  BlockAllocator allocator() {
    return allocator;
  }

  BlockBuf take() {
    BlockBuf free = takeFree();
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

  /** Returns null where the budget has no room as it is. */
  @Nullable BlockBuf tryTake() {
    BlockBuf free = takeFree();
    if (free != null) {
      return free;
    }
    int bytes = tryReserve();
    return bytes == 0 ? null : takeFromNew(bytes);
  }

  private @Nullable BlockBuf takeFree() {
    lock.lock();
    try {
      Slab slab = first;
      return slab == null ? null : takeFrom(slab);
    } finally {
      lock.unlock();
    }
  }

  /**
   * Reserves the bytes of a slab, or of one with a single slot; returns how many, or 0 where there
   * is no room.
   */
  private int tryReserve() {
    OffHeapBudget budget = allocator.budget();
    if (budget.tryReserve(MemoryKind.BLOCK, slabBytes)) {
      return slabBytes;
    }
    return budget.tryReserve(MemoryKind.BLOCK, slotSize) ? slotSize : 0;
  }

  private BlockBuf takeFromNew(int bytes) {
    Slab fresh = newSlab(bytes); // without the lock: the JVM may collect garbage to find the memory
    lock.lock();
    try {
      insert(fresh);
      emptySlabs++;
      allocator.countEmpty(fresh.bytes());
      return takeFrom(fresh);
    } finally {
      lock.unlock();
    }
  }

  @GuardedBy("lock")
  private BlockBuf takeFrom(Slab slab) {
    if (slab.isEmpty()) {
      emptySlabs--;
      allocator.countEmpty(-slab.bytes());
    }
    BlockBuf slot = slab.pop();
    if (slab.isFull()) {
      remove(slab);
    }
    return slot;
  }

  /** Makes a slab of bytes that are reserved. */
  private Slab newSlab(int bytes) {
    boolean made = false;
    try {
      Slab slab = new Slab(this, DirectMemory.allocate(bytes), slotSize);
      made = true;
      return slab;
    } finally {
      if (!made) {
        allocator.budget().release(MemoryKind.BLOCK, bytes);
      }
    }
  }

  void giveBack(Slab slab, BlockBuf slot) {
    boolean kept = false;
    lock.lock();
    try {
      if (slab.isFull()) {
        insert(slab);
      }
      slab.push(slot);
      if (slab.isEmpty()) {
        emptySlabs++;
        allocator.countEmpty(slab.bytes());
        kept = emptySlabs <= KEPT_EMPTY && !allocator.isClosed();
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

  void dropEmptySlabs() {
    lock.lock();
    try {
      for (Slab slab = first; slab != null; ) {
        Slab next = slab.next;
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
    remove(slab);
    emptySlabs--;
    allocator.countEmpty(-slab.bytes());
    allocator.budget().release(MemoryKind.BLOCK, slab.bytes());
  }

  @GuardedBy("lock")
  private void insert(Slab slab) {
    slab.next = first;
    if (first != null) {
      first.previous = slab;
    }
    first = slab;
  }

  @GuardedBy("lock")
  private void remove(Slab slab) {
    if (slab.previous == null) {
      first = slab.next;
    } else {
      slab.previous.next = slab.next;
    }
    if (slab.next != null) {
      slab.next.previous = slab.previous;
    }
    slab.previous = null;
    slab.next = null;
  }
}
