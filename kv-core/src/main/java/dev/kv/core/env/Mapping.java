package dev.kv.core.env;

import java.nio.MappedByteBuffer;

/**
 * A part of a file that is mapped into memory. Its owner unmaps it exactly once. After {@link
 * #unmap} the buffer must not be touched: on a runtime that does not check this, a touch crashes
 * the process.
 */
final class Mapping {
  private final MappedByteBuffer buffer;
  private final Runnable unmapper;

  /** Creates a mapping that {@code unmapper} unmaps. */
  Mapping(MappedByteBuffer buffer, Runnable unmapper) {
    this.buffer = buffer;
    this.unmapper = unmapper;
  }

  /** Returns the mapped bytes; the position and limit have no meaning. */
  MappedByteBuffer buffer() {
    return buffer;
  }

  /**
   * Unmaps the memory. Requires that no thread reads or writes it, and that it was not called
   * before.
   */
  void unmap() {
    unmapper.run();
  }
}
