package dev.kv.core.memory;

import java.nio.ByteBuffer;

/**
 * A run of slots of one size, with a stack of the free ones. The buffer of a slot is created when
 * the slot is used for the first time: most processes use few of the slots of a small size. Guarded
 * by its pool's lock.
 */
final class Slab extends IntrusiveList.Element<Slab> {
  private final SlotPool pool;
  private final ByteBuffer memory;
  private final int slotSize;
  private final BlockBuf[] free;
  private int freeCount;

  /** How many slots have a buffer, used or free; they are the first ones. */
  private int made;

  Slab(SlotPool pool, ByteBuffer memory, int slotSize) {
    this.pool = pool;
    this.memory = memory;
    this.slotSize = slotSize;
    free = new BlockBuf[memory.capacity() / slotSize];
  }

  SlotPool pool() {
    return pool;
  }

  ByteBuffer memory() {
    return memory;
  }

  int bytes() {
    return memory.capacity();
  }

  boolean isFull() {
    return freeCount == 0 && made == free.length;
  }

  boolean isEmpty() {
    return freeCount == made;
  }

  /** Returns the buffer of a free slot, of which there is one. */
  BlockBuf pop() {
    if (freeCount > 0) {
      return free[--freeCount];
    }
    BlockBuf slot = BlockBuf.slot(this, memory, made * slotSize, slotSize);
    made++;
    return slot;
  }

  void push(BlockBuf slot) {
    free[freeCount++] = slot;
  }
}
