package dev.kv.core.env;

import java.nio.MappedByteBuffer;

/**
 * A part of a file that is mapped into memory. Its owner unmaps it exactly once. After {@link
 * #unmap} the buffer must not be touched: on a runtime that does not check this, a touch crashes
 * the process.
 */
abstract class Mapping {
  private final MappedByteBuffer buffer;

  Mapping(MappedByteBuffer buffer) {
    this.buffer = buffer;
  }

  /** Returns the mapped bytes; the position and limit have no meaning. */
  final MappedByteBuffer buffer() {
    return buffer;
  }

  /**
   * Unmaps the memory. Requires that no thread reads or writes it, and that it was not called
   * before.
   */
  abstract void unmap();
}
