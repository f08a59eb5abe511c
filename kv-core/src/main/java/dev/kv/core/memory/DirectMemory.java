package dev.kv.core.memory;

import dev.kv.errors.OffHeapExhaustedException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;

/** Allocates direct memory. It counts nothing; the callers that have a budget do. */
public final class DirectMemory {
  private DirectMemory() {}

  /**
   * Returns {@code bytes} zeroed bytes, little-endian, which the garbage collector frees. The
   * address is a multiple of 8.
   *
   * @throws OffHeapExhaustedException if the JVM has no direct memory left
   */
  public static ByteBuffer allocate(int bytes) {
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
}
