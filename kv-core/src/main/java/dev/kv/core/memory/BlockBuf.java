package dev.kv.core.memory;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.UnpooledByteBufAllocator;
import io.netty.buffer.UnpooledDirectByteBuf;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * A buffer of a {@link BlockAllocator}: a slot of a slab, which is reused, or memory of its own.
 * Its reference count is Netty's; the last release returns the buffer to the allocator. A retained
 * slice of it ({@link #retainedSlice}) keeps the memory in use, even after the database is closed.
 */
final class BlockBuf extends UnpooledDirectByteBuf {
  private final BlockAllocator allocator;
  private final @Nullable Slab slab;
  private final ByteBuffer view;

  /** The offset of the view in the slab, if there is one. */
  private final int offset;

  private MemoryKind kind = MemoryKind.BLOCK;
  private boolean recycled;
  // Recorded under Invariants.ON.
  private @Nullable Throwable allocated;
  private @Nullable Throwable released;

  private BlockBuf(BlockAllocator allocator, @Nullable Slab slab, ByteBuffer memory, int offset) {
    super(UnpooledByteBufAllocator.DEFAULT, memory, memory.capacity());
    this.allocator = allocator;
    this.slab = slab;
    view = memory;
    this.offset = offset;
  }

  /** Returns the buffer of a free slot. */
  static BlockBuf slot(Slab slab, ByteBuffer memory, int offset, int size) {
    ByteBuffer part = memory.slice(offset, size).order(ByteOrder.LITTLE_ENDIAN);
    return new BlockBuf(slab.pool().allocator(), slab, part, offset);
  }

  /** Returns a buffer with memory of its own. */
  static BlockBuf alone(BlockAllocator allocator, int length) {
    allocator.budget().reserve(MemoryKind.BLOCK, length);
    return reserved(allocator, length);
  }

  /** Returns such a buffer, or null if the budget has no room unless something else is freed. */
  static @Nullable BlockBuf tryAlone(BlockAllocator allocator, int length) {
    return allocator.budget().tryReserve(MemoryKind.BLOCK, length)
        ? reserved(allocator, length)
        : null;
  }

  private static BlockBuf reserved(BlockAllocator allocator, int length) {
    try {
      return new BlockBuf(allocator, null, DirectMemory.allocate(length), 0);
    } catch (Throwable e) { // without an Undo, because a read of a block may come here
      allocator.budget().release(MemoryKind.BLOCK, length);
      throw e;
    }
  }

  /**
   * Returns the buffer for the next use of a slot. With invariants on, each use gets a new buffer
   * object, so a stale reference stays released and cannot release the buffer of a later use.
   */
  BlockBuf successor(Slab slab) {
    BlockBuf next = new BlockBuf(allocator, slab, view, offset);
    next.recycled = true;
    next.released = released;
    return next;
  }

  Throwable recordAllocation() {
    Throwable here = new Throwable("allocated here");
    allocated = here;
    return here;
  }

  Throwable allocation() {
    return Objects.requireNonNull(allocated);
  }

  /**
   * Begins a use: sets the reference count to 1.
   *
   * @return this buffer, as callers see it: the allocator, whose class every open verifies,
   *     converts no type, so that Netty's classes are loaded with the first block
   */
  ByteBuf begin(MemoryKind kind) {
    if (Invariants.ON) {
      if (recycled && !Poison.isWhole(view)) {
        throw new AssertionError("block written after its release", released);
      }
      released = null;
    } else if (recycled) {
      resetRefCnt();
      setIndex(0, 0);
    }
    recycled = true;
    this.kind = kind;
    allocator.budget().move(MemoryKind.BLOCK, kind, charge());
    return this;
  }

  int charge() {
    return view.capacity();
  }

  ByteBuffer view() {
    if (Invariants.ON && refCnt() == 0) {
      throw new AssertionError("block used after its release, which is the cause", released);
    }
    return view;
  }

  /** Returns the memory of the slab, or of this buffer if it has memory of its own. */
  ByteBuffer memory() {
    return slab == null ? view : slab.memory();
  }

  /** Returns the offset of this buffer in {@link #memory}. */
  int offset() {
    return offset;
  }

  @Nullable Slab slab() {
    return slab;
  }

  @Override
  public boolean release() {
    return release(1);
  }

  @Override
  public boolean release(int decrement) {
    if (Invariants.ON && refCnt() == 0) {
      throw new AssertionError("block released twice; the first time is the cause", released);
    }
    return super.release(decrement);
  }

  @Override
  protected void deallocate() {
    if (Invariants.ON) {
      Poison.fill(view, view.capacity());
      released = new Throwable("released here");
    }
    allocator.budget().move(kind, MemoryKind.BLOCK, charge());
    allocator.release(this);
  }
}
