package dev.kv.core.memory;

import dev.kv.OffHeapExhaustedException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;

/** The one place that asks the JVM for direct memory. */
final class DirectMemory {
  private DirectMemory() {}

  /**
   * Returns {@code bytes} zeroed bytes, little-endian, that the garbage collector frees; the
   * address is a multiple of 8.
   */
  static ByteBuffer allocate(int bytes) {
    try {
      return ByteBuffer.allocateDirect(bytes).order(ByteOrder.LITTLE_ENDIAN);
    } catch (OutOfMemoryError e) {
      throw new OffHeapExhaustedException(
          "the JVM has no direct memory left for "
              + bytes
              + " bytes: raise -XX:MaxDirectMemorySize, or set Options.offHeapLimit below it so"
              + " that the database keeps within it",
          e);
    }
  }
}
