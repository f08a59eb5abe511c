package dev.kv.core.memory;

import java.nio.ByteBuffer;

/**
 * A growable direct buffer for scratch work, counted as {@link MemoryKind#WRITE_BUFFER}. Belongs to
 * one thread at a time.
 */
public final class OffHeapBuffer implements AutoCloseable {
  private static final ByteBuffer EMPTY = ByteBuffer.allocate(0);

  private final OffHeapBudget budget;
  private final boolean mayExceed;
  private ByteBuffer buffer;
  private boolean closed;

  /** Creates a buffer of {@code capacity} bytes. */
  public OffHeapBuffer(OffHeapBudget budget, int capacity) {
    this(budget, capacity, false);
  }

  private OffHeapBuffer(OffHeapBudget budget, int capacity, boolean mayExceed) {
    this.budget = budget;
    this.mayExceed = mayExceed;
    buffer = allocate(capacity);
  }

  /**
   * Returns a buffer of {@code capacity} bytes for a read. Reads go on at the limit of a budget, so
   * the bytes are counted even if they do not fit.
   */
  public static OffHeapBuffer forReads(OffHeapBudget budget, int capacity) {
    return new OffHeapBuffer(budget, capacity, true);
  }

  /**
   * Returns the memory, little-endian; valid until {@link #ensureCapacity} grows it or {@link
   * #clear} releases it.
   */
  public ByteBuffer buffer() {
    return buffer;
  }

  /** Returns a buffer of at least {@code capacity} bytes that begins with this one's contents. */
  public ByteBuffer ensureCapacity(int capacity) {
    int old = buffer.capacity();
    if (capacity > old) {
      if (closed) {
        throw new AssertionError("a closed buffer was asked to grow");
      }
      int larger = (int) Math.max(capacity, Math.min(2L * old, Integer.MAX_VALUE - 8));
      ByteBuffer grown = allocate(larger);
      try {
        grown.put(0, buffer, 0, old);
      } catch (Throwable e) {
        budget.release(MemoryKind.WRITE_BUFFER, larger);
        throw e;
      }
      buffer = grown;
      budget.release(MemoryKind.WRITE_BUFFER, old);
    }
    return buffer;
  }

  private ByteBuffer allocate(int capacity) {
    if (mayExceed) {
      budget.reserveOrCount(MemoryKind.WRITE_BUFFER, capacity);
    } else {
      budget.reserve(MemoryKind.WRITE_BUFFER, capacity);
    }
    try {
      return DirectMemory.allocate(capacity);
    } catch (Throwable e) {
      budget.release(MemoryKind.WRITE_BUFFER, capacity);
      throw e;
    }
  }

  /** Releases the memory. The buffer is empty then, and can grow again. Allocates nothing. */
  public void clear() {
    int old = buffer.capacity();
    buffer = EMPTY;
    budget.release(MemoryKind.WRITE_BUFFER, old);
  }

  /** Fills the memory with poison under {@link Invariants#ON}: its contents are no longer valid. */
  public void poison() {
    if (Invariants.ON) {
      Poison.fill(buffer, buffer.capacity());
    }
  }

  /** Leaves the memory to the garbage collector. Closing twice does nothing. */
  @Override
  public void close() {
    if (!closed) {
      closed = true;
      budget.release(MemoryKind.WRITE_BUFFER, buffer.capacity());
    }
  }
}
