package dev.kv.core.read;

import java.nio.ByteBuffer;

/**
 * Gets one of the internal keys that an iterator read, about every {@code Levels.READ_BYTES_PERIOD}
 * bytes.
 */
@FunctionalInterface
interface ReadSampler {
  void sample(ByteBuffer key, int offset, int length);
}
