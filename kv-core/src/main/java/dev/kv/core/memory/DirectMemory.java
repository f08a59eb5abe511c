package dev.kv.core.memory;

import dev.kv.errors.OffHeapExhaustedException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;

/** Allocates direct memory. All direct memory that is counted is allocated here. */
final class DirectMemory {
  private DirectMemory() {}

  /**
   * Returns {@code bytes} zeroed bytes, little-endian, which the garbage collector frees. The
   * address is a multiple of 8.
   *
   * @throws OffHeapExhaustedException if the JVM has no direct memory left
   */
  static ByteBuffer allocate(int bytes) {
    try {
      return ByteBuffer.allocateDirect(bytes).order(ByteOrder.LITTLE_ENDIAN);
    } catch (OutOfMemoryError e) {
      throw new OffHeapExhaustedException(
          "the JVM has no direct memory left for "
              + bytes
              + " bytes: raise -XX:MaxDirectMemorySize, or set offHeapLimit below it so"
              + " that the database keeps within it",
          e);
    }
  }

  /**
   * Returns memory as {@link #allocate} does for bytes that are reserved; releases them if that
   * fails. This is no {@link Undo}: the JVM would write classes for a lambda that holds a number,
   * which a process that runs for a moment waits for.
   */
  static ByteBuffer allocateReserved(OffHeapBudget budget, MemoryKind kind, int bytes) {
    try {
      return allocate(bytes);
    } catch (Throwable e) {
      budget.release(kind, bytes);
      throw e;
    }
  }
}
