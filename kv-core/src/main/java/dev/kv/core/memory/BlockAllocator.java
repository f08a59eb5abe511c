package dev.kv.core.memory;

import io.netty.buffer.ByteBuf;
import java.nio.ByteBuffer;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.AtomicReferenceArray;
import org.jspecify.annotations.Nullable;

/**
 * The allocator of blocks: buffers of about the size asked for, carved out of slabs that are
 * recycled. Thread-safe.
 *
 * <p>Sizes come in classes, sixteen to a doubling from 1 KiB on, so that a buffer wastes at most a
 * sixteenth. A slab belongs to one class and is cut into slots; each slot's buffer and view are
 * made once. A slab that falls empty is kept while few are and the budget is not short, those
 * fallen empty last first, and otherwise dropped to the garbage collector: Netty's own pools free
 * their chunks by hand, and a late reader would then touch unmapped memory. Buffers above {@link
 * SizeClasses#LARGEST} get memory of their own.
 *
 * <p>The budget counts whole slabs, their free slots as {@link MemoryKind#BLOCK}.
 */
public final class BlockAllocator implements AutoCloseable {
  /** How many bytes of empty slabs are kept in all. */
  private static final long MOST_EMPTY = 16 << 20;

  private final OffHeapBudget budget;

  /** The pool of each size class, made when it is first asked for a buffer. */
  private final AtomicReferenceArray<@Nullable SlotPool> pools =
      new AtomicReferenceArray<>(SizeClasses.COUNT);

  private final AtomicLong live = new AtomicLong();
  private final AtomicLong emptyBytes = new AtomicLong();
  private final Set<Throwable> allocations = ConcurrentHashMap.newKeySet();
  private final Runnable reclaimer = this::trim;
  private volatile boolean closed;

  /** Creates an allocator whose memory counts against {@code budget}. */
  public BlockAllocator(OffHeapBudget budget) {
    this.budget = budget;
    budget.onShortage(reclaimer);
  }

  /**
   * Returns a buffer of at least {@code length} bytes, with a reference count of 1 and arbitrary
   * contents. Throws {@link dev.kv.OffHeapExhaustedException} where there is no memory.
   */
  public ByteBuf allocate(MemoryKind kind, int length) {
    return begin(take(length), kind);
  }

  /**
   * Returns such a buffer, or null where the budget has no room unless something else is given up
   * for it.
   */
  public @Nullable ByteBuf tryAllocate(MemoryKind kind, int length) {
    BlockBuf buf =
        length <= SizeClasses.LARGEST
            ? pool(SizeClasses.indexOf(length)).tryTake()
            : BlockBuf.tryAlone(this, length);
    return buf == null ? null : begin(buf, kind);
  }

  private BlockBuf take(int length) {
    if (length < 0) {
      throw new IllegalArgumentException("negative length " + length);
    }
    return length <= SizeClasses.LARGEST
        ? pool(SizeClasses.indexOf(length)).take()
        : BlockBuf.alone(this, length);
  }

  private SlotPool pool(int sizeClass) {
    SlotPool pool = pools.getAcquire(sizeClass);
    if (pool != null) {
      return pool;
    }
    SlotPool made = new SlotPool(this, SizeClasses.size(sizeClass));
    SlotPool other = pools.compareAndExchange(sizeClass, null, made);
    return other == null ? made : other;
  }

  private ByteBuf begin(BlockBuf buf, MemoryKind kind) {
    buf.begin(kind);
    live.incrementAndGet();
    if (Invariants.ON) {
      allocations.add(buf.recordAllocation());
    }
    return buf;
  }

  /** Returns the bytes that the buffer really takes. */
  public static int chargeOf(ByteBuf buf) {
    return ((BlockBuf) buf).charge();
  }

  /** Returns the buffer's memory as a little-endian view whose index 0 is its first byte. */
  public static ByteBuffer viewOf(ByteBuf buf) {
    return ((BlockBuf) buf).view();
  }

  /** Returns how many buffers are allocated and not released. */
  public long liveBuffers() {
    return live.get();
  }

  /** Returns where the buffers that live were allocated; nothing unless {@link Invariants#ON}. */
  public List<Throwable> liveAllocations() {
    return List.copyOf(allocations);
  }

  /** Gives up all memory that is not in use now; the rest follows as its buffers are released. */
  @Override
  public void close() {
    closed = true;
    budget.forget(reclaimer);
    trim();
  }

  /** Gives up the memory that is only kept for later. */
  public void trim() {
    dropEmptySlabs(null);
  }

  boolean isClosed() {
    return closed;
  }

  /**
   * Drops the empty slabs of all other classes where they are too many. The class that has one
   * since just now is in use; it would have to make a new one for its next buffer, while those that
   * nobody wants any more stay.
   */
  void limitEmptySlabs(SlotPool latest) {
    if (emptyBytes.get() > MOST_EMPTY) {
      dropEmptySlabs(latest);
    }
  }

  private void dropEmptySlabs(@Nullable SlotPool except) {
    for (int i = 0; i < SizeClasses.COUNT; i++) {
      SlotPool pool = pools.getAcquire(i);
      if (pool != null && pool != except) {
        pool.dropEmptySlabs();
      }
    }
  }

  void countEmpty(long bytes) {
    emptyBytes.addAndGet(bytes);
  }

  OffHeapBudget budget() {
    return budget;
  }

  /** Takes back a buffer whose last reference is gone. */
  void release(BlockBuf buf) {
    live.decrementAndGet();
    Slab slab = buf.slab();
    if (Invariants.ON) {
      allocations.remove(buf.allocation());
    }
    if (slab == null) {
      budget.release(MemoryKind.BLOCK, buf.charge());
    } else {
      slab.pool().giveBack(slab, Invariants.ON ? buf.successor(slab) : buf);
    }
  }
}
