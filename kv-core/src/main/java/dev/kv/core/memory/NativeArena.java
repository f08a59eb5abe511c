package dev.kv.core.memory;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.nio.ByteBuffer;

/**
 * One contiguous piece of direct memory that is given out from front to back and never taken back
 * in parts. One thread allocates; any thread reads what has been published to it.
 *
 * <p>The buffer's address is a multiple of 8, so that an offset aligned to 4 or 8 can be accessed
 * atomically. Its contents are arbitrary at first: arenas are recycled.
 */
public final class NativeArena {
  /** What {@link #allocate} returns where there is no room. */
  public static final int FULL = -1;

  private static final VarHandle USED;

  static {
    try {
      USED = MethodHandles.lookup().findVarHandle(NativeArena.class, "used", int.class);
    } catch (ReflectiveOperationException e) {
      throw new ExceptionInInitializerError(e);
    }
  }

  private final ByteBuffer buffer;
  private int used;

  NativeArena(int capacity) {
    buffer = DirectMemory.allocate(capacity);
  }

  /** Returns the memory: little-endian, position and limit never touched. */
  public ByteBuffer buffer() {
    return buffer;
  }

  /** Returns the size in bytes. */
  public int capacity() {
    return buffer.capacity();
  }

  /** Returns how many bytes are given out. Any thread; may lag behind the allocating one. */
  public int used() {
    return (int) USED.getOpaque(this);
  }

  /**
   * Gives out {@code bytes} at a multiple of {@code align}, a power of two up to 8, and returns
   * their offset, or {@link #FULL}.
   */
  public int allocate(int bytes, int align) {
    long start = ((long) used + align - 1) & -(long) align;
    if (bytes < 0 || start + bytes > buffer.capacity()) {
      return FULL;
    }
    USED.setOpaque(this, (int) (start + bytes));
    return (int) start;
  }

  /** Makes the whole arena free again; nobody may use what it held. */
  void reset() {
    if (Invariants.ON) {
      Poison.fill(buffer, 0, used);
    }
    USED.setOpaque(this, 0);
  }
}
