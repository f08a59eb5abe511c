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
    lock.lock();
    try {
      Slab slab = first;
      if (slab != null) {
        return takeFrom(slab);
      }
    } finally {
      lock.unlock();
    }
    Slab fresh = newSlab(); // without the lock: the JVM may collect garbage to find the memory
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

  /** Makes a slab; one of a single slot where the budget has no more. */
  private Slab newSlab() {
    OffHeapBudget budget = allocator.budget();
    int bytes = slabBytes;
    if (!budget.tryReserve(MemoryKind.BLOCK, bytes)) {
      bytes = slotSize;
      budget.reserve(MemoryKind.BLOCK, bytes);
    }
    boolean made = false;
    try {
      Slab slab = new Slab(this, DirectMemory.allocate(bytes), slotSize);
      made = true;
      return slab;
    } finally {
      if (!made) {
        budget.release(MemoryKind.BLOCK, bytes);
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
