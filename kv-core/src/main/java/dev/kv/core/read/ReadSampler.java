package dev.kv.core.read;

import java.nio.ByteBuffer;

/**
 * Receives a sample of the internal keys that an iterator reads: one key about every {@code
 * Levels.READ_BYTES_PERIOD} bytes.
 */
@FunctionalInterface
interface ReadSampler {
  void sample(ByteBuffer key, int offset, int length);
}
