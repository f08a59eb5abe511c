package dev.kv.netty;

import io.netty.buffer.AbstractByteBufAllocator;
import io.netty.buffer.ByteBuf;

/**
 * Registers buffers with Netty's leak detector, as Netty's own allocators do. Never instantiated:
 * Netty lets only allocators call the detector.
 */
abstract class LeakDetection extends AbstractByteBufAllocator {
  private LeakDetection() {}

  /** Returns {@code buf}, wrapped if the detector chose it as a sample. */
  static ByteBuf track(ByteBuf buf) {
    return toLeakAwareBuffer(buf);
  }
}
