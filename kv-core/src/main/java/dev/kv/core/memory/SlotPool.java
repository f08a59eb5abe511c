package dev.kv.core.memory;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import java.nio.ByteBuffer;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;

/** The slabs of one size class. Thread-safe. */
final class SlotPool {
  private static final int LARGEST_SLAB = 1 << 20;
  private static final int SLOTS_PER_SLAB = 64;
  private static final int SMALLEST_SLAB = 16 << 10;

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
    slabBytes = wanted / slotSize * slotSize;
  }

  BlockAllocator allocator() {
    return allocator;
  }

  BlockBuf take() {
    lock.lock();
    try {
      Slab slab = first;
      if (slab == null) {
        slab = newSlab();
        insert(slab);
      } else if (slab.isEmpty()) {
        emptySlabs--;
      }
      BlockBuf slot = slab.pop();
      if (slab.isFull()) {
        remove(slab);
      }
      return slot;
    } finally {
      lock.unlock();
    }
  }

  private Slab newSlab() {
    allocator.budget().reserve(MemoryKind.BLOCK, slabBytes);
    boolean allocated = false;
    try {
      ByteBuffer memory = DirectMemory.allocate(slabBytes);
      allocated = true;
      return new Slab(this, memory, slotSize);
    } finally {
      if (!allocated) {
        allocator.budget().release(MemoryKind.BLOCK, slabBytes);
      }
    }
  }

  void giveBack(Slab slab, BlockBuf slot) {
    lock.lock();
    try {
      if (slab.isFull()) {
        insert(slab);
      }
      slab.push(slot);
      if (slab.isEmpty()) {
        emptySlabs++;
        if (emptySlabs > 1 || allocator.isClosed()) {
          drop(slab);
        }
      }
    } finally {
      lock.unlock();
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
