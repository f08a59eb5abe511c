package dev.kv.core.memory;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.nio.ByteBuffer;

/**
 * One contiguous piece of direct memory that is allocated from front to back and freed at once. One
 * thread allocates; any thread reads what has been published to it.
 *
 * <p>An arena begins small and grows by moving: {@link ArenaPool#grow} copies it into a larger
 * buffer, so offsets stay valid. A reader that took {@link #buffer} before the move continues with
 * the old buffer. It sees every byte written before the move. The garbage collector frees the old
 * buffer after its last reader drops it.
 *
 * <p>The buffer's address is a multiple of 8, so an offset aligned to 4 or 8 can be accessed
 * atomically. Its contents are arbitrary at first, because arenas are recycled.
 */
public final class NativeArena {
  /** What {@link #allocate} returns if there is no room. */
  public static final int FULL = -1;

  private static final VarHandle USED = FieldHandles.of(MethodHandles.lookup(), "used", int.class);

  /** Written by the allocating thread; volatile, so that a reader of a new buffer sees the copy. */
  private volatile ByteBuffer buffer;

  /** Written by the allocating thread. */
  private int used;

  /** The capacity up to which the arena may grow. Set by {@link #begin}. */
  private int limit;

  /** True if the arena is larger than memtables usually are. Set by {@link #begin}. */
  private boolean oversized;

  NativeArena(ByteBuffer memory) {
    buffer = memory;
  }

  /**
   * Returns the memory: little-endian, position and limit never touched. A reader takes it once for
   * each operation.
   */
  public ByteBuffer buffer() {
    return buffer;
  }

  /** Returns the present size in bytes. */
  public int capacity() {
    return buffer.capacity();
  }

  /** Returns the size in bytes up to which {@link ArenaPool#grow} makes the arena larger. */
  public int limit() {
    return limit;
  }

  /**
   * Returns how many bytes are allocated. Any thread may call this; the number may be older than
   * the last allocation.
   */
  public int used() {
    return (int) USED.getOpaque(this);
  }

  /**
   * Allocates {@code bytes} at a multiple of {@code align}, a power of two up to 8.
   *
   * @return the offset, or {@link #FULL} if there is no room
   */
  public int allocate(int bytes, int align) {
    long start = ((long) used + align - 1) & -(long) align;
    if (bytes < 0 || start + bytes > buffer.capacity()) {
      return FULL;
    }
    USED.setOpaque(this, (int) (start + bytes));
    return (int) start;
  }

  /** Copies what is allocated into {@code larger}, which becomes the arena's buffer. */
  void moveTo(ByteBuffer larger) {
    larger.put(0, buffer, 0, used);
    buffer = larger;
  }

  /** Begins a use of the arena. */
  void begin(int limit, boolean oversized) {
    this.limit = Math.max(limit, capacity());
    this.oversized = oversized;
  }

  boolean isOversized() {
    return oversized;
  }

  /** Frees all of the arena; its contents must not be used after this call. */
  void reset() {
    if (Invariants.ON) {
      Poison.fill(buffer, used);
    }
    USED.setOpaque(this, 0);
  }
}
