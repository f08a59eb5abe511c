package dev.kv.core.memory;

import dev.kv.core.logging.EngineLogger;
import io.netty.buffer.ByteBuf;
import java.lang.invoke.VarHandle;
import java.nio.ByteBuffer;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.AtomicReferenceArray;
import org.jspecify.annotations.Nullable;

/**
 * The allocator of blocks. It carves buffers of about the requested size out of slabs, which it
 * recycles. Thread-safe.
 *
 * <p>Sizes come in classes, sixteen to a doubling from 1 KiB on, so that a buffer wastes at most a
 * sixteenth. A slab belongs to one class and is cut into slots; the buffer and the view of each
 * slot are created once. An empty slab is kept while few are empty and the budget is not short.
 * Otherwise it is dropped to the garbage collector: Netty's own pools free their chunks by hand,
 * and a late reader would then touch unmapped memory. Buffers above {@link SizeClasses#LARGEST} get
 * memory of their own.
 *
 * <p>The budget counts whole slabs, their free slots as {@link MemoryKind#BLOCK}. Invariants, each
 * up to one slab for each thread that allocates:
 *
 * <ol>
 *   <li>There are no empty slabs, except one, while free slots take more than {@link #freeLimit}.
 *   <li>Free slots and the cache's charge together take at most the cache's capacity and {@link
 *       #freeLimit}. If free slots are spread over slabs that are partly used, a new slab has a
 *       single slot; if that is not enough, the cache evicts before it gets a buffer.
 * </ol>
 */
public final class BlockAllocator implements OffHeapBudget.Reclaimer, AutoCloseable {
  /** The least bytes of free slots that are allowed. */
  private static final long LEAST_FREE = 2 << 20;

  /** The share of the cache's capacity that free slots may take in addition. */
  private static final int FREE_SHARE = 4;

  /**
   * From this length on a buffer may be in a slot of one of the next larger classes, if that is
   * free. Large blocks of many sizes would otherwise need new memory for each block, since few
   * empty slabs are kept.
   */
  private static final int LARGE = 32 << 10;

  /** The classes that are searched for a free slot: up to a quarter larger. */
  private static final int LARGER_CLASSES = 4;

  /** The least charge that the cache evicts at a time. */
  private static final long EVICTION_BYTES = 64 << 10;

  /** A cache whose values have their memory from this allocator. Thread-safe. */
  public interface Evictor {
    /** Returns the most bytes that the cache holds. */
    long capacity();

    /** Returns the bytes that the cache holds. */
    long totalCharge();

    /**
     * Evicts the entries that were used least recently, except pinned ones.
     *
     * @param charge the bytes to evict
     * @return the bytes evicted; less than {@code charge} if there are no more unpinned entries
     */
    long evict(long charge);
  }

  private final OffHeapBudget budget;

  /** The pool of each size class, created when it is first asked for a buffer. */
  private final AtomicReferenceArray<@Nullable SlotPool> pools =
      new AtomicReferenceArray<>(SizeClasses.COUNT);

  private final AtomicLong live = new AtomicLong();
  private final AtomicLong emptyBytes = new AtomicLong();
  private final AtomicInteger nextDropping = new AtomicInteger();
  private final Set<Throwable> allocations = ConcurrentHashMap.newKeySet();
  private volatile @Nullable Evictor cache;
  private volatile boolean closed;

  /** Creates an allocator whose memory counts against {@code budget}. */
  public BlockAllocator(OffHeapBudget budget) {
    this.budget = budget;
    budget.onShortage(this);
  }

  /** Sets the cache that {@link #allocateCached} allocates for. */
  public void serve(Evictor evictor) {
    cache = evictor;
  }

  /**
   * Returns a buffer that lives long, as an index or a filter.
   *
   * @param kind what the buffer counts as
   * @param length the least size in bytes
   * @return a buffer with a reference count of 1 and arbitrary contents
   * @throws dev.kv.errors.OffHeapExhaustedException if there is no memory
   */
  public ByteBuf allocate(MemoryKind kind, int length) {
    return begin(take(length, 0, false), kind);
  }

  /**
   * Returns a buffer for a block of the cache, which may evict others for it.
   *
   * @param length the least size in bytes
   * @return a buffer with a reference count of 1 and arbitrary contents
   * @throws dev.kv.errors.OffHeapExhaustedException if there is no memory
   */
  public ByteBuf allocateCached(int length) {
    return begin(take(length, 0, true), MemoryKind.BLOCK);
  }

  /**
   * Returns a buffer for a block that is read once, by a merge or a read that does not fill the
   * cache. Such buffers share a few size classes, two to a doubling: blocks of many sizes follow
   * one another, and each class that has been used keeps a slab.
   *
   * @param length the least size in bytes
   * @return a buffer with a reference count of 1 and arbitrary contents
   * @throws dev.kv.errors.OffHeapExhaustedException if there is no memory
   */
  public ByteBuf allocateTransient(int length) {
    return begin(take(length, SizeClasses.COARSE, false), MemoryKind.BLOCK);
  }

  /**
   * Returns a buffer as {@link #allocate} does, or null if the budget has no room unless something
   * else is freed.
   */
  public @Nullable ByteBuf tryAllocate(MemoryKind kind, int length) {
    EngineLogger.prepareNetty();
    BlockBuf buf =
        length <= SizeClasses.LARGEST
            ? pool(SizeClasses.indexOf(length)).tryTake()
            : BlockBuf.tryAlone(this, length);
    return buf == null ? null : begin(buf, kind);
  }

  private BlockBuf take(int length, int coarse, boolean cached) {
    if (length < 0) {
      throw new IllegalArgumentException("negative length " + length);
    }
    EngineLogger.prepareNetty();
    if (length > SizeClasses.LARGEST) {
      return BlockBuf.alone(this, length);
    }
    int sizeClass = SizeClasses.indexOf(length) | coarse;
    BlockBuf larger = length >= LARGE ? takeFreeOfLarger(sizeClass) : null;
    return larger == null ? pool(sizeClass).take(cached) : larger;
  }

  /**
   * Returns a buffer in a free slot of this class or of the next ones, or null if there is none.
   */
  private @Nullable BlockBuf takeFreeOfLarger(int sizeClass) {
    int last = Math.min(sizeClass + LARGER_CLASSES, SizeClasses.COUNT - 1);
    for (int i = sizeClass; i <= last; i++) {
      SlotPool pool = pools.getAcquire(i);
      BlockBuf free = pool == null ? null : pool.takeFree();
      if (free != null) {
        return free;
      }
    }
    return null;
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
    VarHandle.releaseFence(); // before the first store, for readers without a pin
    ByteBuf begun = buf.begin(kind);
    live.incrementAndGet();
    if (Invariants.ON) {
      allocations.add(buf.recordAllocation());
    }
    return begun;
  }

  /** Returns the bytes of memory that the buffer takes. */
  public static int chargeOf(ByteBuf buf) {
    return ((BlockBuf) buf).charge();
  }

  /** Returns the buffer's memory as a little-endian view whose index 0 is its first byte. */
  public static ByteBuffer viewOf(ByteBuf buf) {
    return ((BlockBuf) buf).view();
  }

  /**
   * Returns the little-endian memory that contains the buffer's at {@link #offsetOf}. Many buffers
   * share it, so that its own object is in the caches of the processor.
   */
  public static ByteBuffer memoryOf(ByteBuf buf) {
    return ((BlockBuf) buf).memory();
  }

  /** Returns the offset of the buffer's first byte in {@link #memoryOf}. */
  public static int offsetOf(ByteBuf buf) {
    return ((BlockBuf) buf).offset();
  }

  /** Returns the number of buffers that are allocated and not released. */
  public long liveBuffers() {
    return live.get();
  }

  /**
   * Returns the places at which the live buffers were allocated; empty unless {@link
   * Invariants#ON}.
   */
  public List<Throwable> liveAllocations() {
    return List.copyOf(allocations);
  }

  /** Drops all memory that is not in use; the rest is dropped when its buffers are released. */
  @Override
  public void close() {
    closed = true;
    budget.forget(this);
    trim();
  }

  /** Drops the memory that is only kept for later. */
  @Override
  public void trim() {
    dropEmptySlabs(null);
  }

  boolean isClosed() {
    return closed;
  }

  /** Returns the most bytes of free slots beside a full cache. */
  private long freeLimit() {
    Evictor evictor = cache;
    return LEAST_FREE + (evictor == null ? 0 : evictor.capacity() / FREE_SHARE);
  }

  /** Returns the bytes of free slots in all pools. Asked when a slab is made, which is rare. */
  private long freeBytes() {
    long sum = 0;
    for (int i = 0; i < SizeClasses.COUNT; i++) {
      SlotPool pool = pools.getAcquire(i);
      sum += pool == null ? 0 : pool.freeBytes();
    }
    return sum;
  }

  /** Returns true if there may be so many more bytes of free slots; drops empty slabs first. */
  boolean mayHaveFree(SlotPool asking, int bytes) {
    long limit = freeLimit();
    if (freeBytes() + bytes <= limit) {
      return true;
    }
    if (emptyBytes.get() > 0) {
      dropEmptySlabs(asking);
    }
    return freeBytes() + bytes <= limit;
  }

  /**
   * Has the cache evict until a slab of {@code bytes} keeps to the second invariant. The caller has
   * no free slot and holds no lock.
   *
   * @return false if there is nothing to do, as usual
   */
  boolean evictFor(SlotPool asking, int bytes) {
    Evictor evictor = cache;
    long limit = freeLimit();
    if (evictor == null || freeBytes() <= limit) {
      return false;
    }
    dropEmptySlabs(asking);
    while (asking.freeBytes() == 0
        && evictor.totalCharge() + freeBytes() + bytes > evictor.capacity() + limit
        && evictor.evict(Math.max(bytes, EVICTION_BYTES)) > 0) {
      dropEmptySlabs(asking);
    }
    return true;
  }

  /**
   * Drops empty slabs if there are too many free slots, beginning at another class each time, until
   * an eighth of the limit is free again. The last one of the class that has an empty slab since
   * just now stays: the class is in use, and would have to make a new slab for its next buffer.
   */
  void limitEmptySlabs(SlotPool latest) {
    long limit = freeLimit();
    long excess = freeBytes() - limit;
    if (excess <= 0) {
      return;
    }
    long left = emptyBytes.get() - excess - limit / 8;
    int begin = nextDropping.getAndIncrement();
    for (int i = 0; i < SizeClasses.COUNT && emptyBytes.get() > left; i++) {
      SlotPool pool = pools.getAcquire(Math.floorMod(begin + i, SizeClasses.COUNT));
      if (pool != null) {
        pool.dropEmptySlabs(pool == latest ? 1 : 0);
      }
    }
  }

  private void dropEmptySlabs(@Nullable SlotPool except) {
    for (int i = 0; i < SizeClasses.COUNT; i++) {
      SlotPool pool = pools.getAcquire(i);
      if (pool != null && pool != except) {
        pool.dropEmptySlabs(0);
      }
    }
  }

  void countEmpty(long bytes) {
    emptyBytes.addAndGet(bytes);
  }

  OffHeapBudget budget() {
    return budget;
  }

  /** Takes back a buffer whose last reference was released. */
  void release(BlockBuf buf) {
    live.decrementAndGet();
    Slab slab = buf.slab();
    if (Invariants.ON) {
      allocations.remove(buf.allocation());
    }
    if (slab == null) {
      budget.release(MemoryKind.BLOCK, buf.charge());
    } else {
      slab.pool().release(slab, Invariants.ON ? buf.successor(slab) : buf);
    }
  }

  /**
   * The sizes of slots: multiples of 64 bytes up to 1 KiB, then sixteen sizes for each doubling.
   */
  static final class SizeClasses {
    /** The largest size that comes from a slab. */
    static final int LARGEST = 8 << 20;

    private static final int STEPS_LOG = 4;
    private static final int STEPS = 1 << STEPS_LOG;
    private static final int LINEAR_STEP_LOG = 6;
    private static final int LINEAR_LIMIT_LOG = LINEAR_STEP_LOG + STEPS_LOG;

    /** The bits that, set in an index, round it up to one of two classes for each doubling. */
    static final int COARSE = STEPS / 2 - 1;

    /** The number of classes. */
    static final int COUNT = indexOf(LARGEST) + 1;

    private SizeClasses() {}

    /** Returns the index of the class with the smallest slot that holds {@code length} bytes. */
    static int indexOf(int length) {
      int last = Math.max(length, 1) - 1;
      if (last < 1 << LINEAR_LIMIT_LOG) {
        return last >>> LINEAR_STEP_LOG;
      }
      int doubling = 31 - Integer.numberOfLeadingZeros(last);
      int step = last >>> doubling - STEPS_LOG & STEPS - 1;
      return (doubling - LINEAR_LIMIT_LOG + 1) * STEPS + step;
    }

    /** Returns the size of a class's slots in bytes. */
    static int size(int index) {
      if (index < STEPS) {
        return index + 1 << LINEAR_STEP_LOG;
      }
      int doubling = index / STEPS - 1 + LINEAR_LIMIT_LOG;
      return STEPS + index % STEPS + 1 << doubling - STEPS_LOG;
    }
  }
}
