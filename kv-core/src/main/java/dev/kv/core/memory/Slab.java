package dev.kv.core.memory;

import java.nio.ByteBuffer;
import org.jspecify.annotations.Nullable;

/** A run of slots of one size, with a stack of the free ones. Guarded by its pool's lock. */
final class Slab {
  private final SlotPool pool;
  private final int bytes;
  private final BlockBuf[] free;
  private int freeCount;

  /** The neighbours in the pool's list of slabs that have free slots. */
  @Nullable Slab previous;

  @Nullable Slab next;

  Slab(SlotPool pool, ByteBuffer memory, int slotSize) {
    this.pool = pool;
    bytes = memory.capacity();
    free = new BlockBuf[bytes / slotSize];
    for (int i = free.length - 1; i >= 0; i--) {
      free[freeCount++] = BlockBuf.slot(this, memory, i * slotSize, slotSize);
    }
  }

  SlotPool pool() {
    return pool;
  }

  int bytes() {
    return bytes;
  }

  boolean isFull() {
    return freeCount == 0;
  }

  boolean isEmpty() {
    return freeCount == free.length;
  }

  BlockBuf pop() {
    return free[--freeCount];
  }

  void push(BlockBuf slot) {
    free[freeCount++] = slot;
  }
}
