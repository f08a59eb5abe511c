package dev.kv.core.env;

import java.nio.MappedByteBuffer;

/**
 * A part of a file mapped into memory, which its owner gives back exactly once. After {@link
 * #unmap} the buffer must not be touched: where the runtime cannot tell, that kills the process.
 */
abstract class Mapping {
  private final MappedByteBuffer buffer;

  Mapping(MappedByteBuffer buffer) {
    this.buffer = buffer;
  }

  /** Returns the mapped bytes; the position and limit play no part. */
  final MappedByteBuffer buffer() {
    return buffer;
  }

  /**
   * Gives the memory back. Requires that nobody reads or writes it, and that it was not called
   * before.
   */
  abstract void unmap();
}
