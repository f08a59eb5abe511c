package dev.kv.core.read;

import java.nio.ByteBuffer;

/**
 * Charges the current version for the keys that iterators read.
 *
 * @param seeks called if that has used up the allowed seeks of a table
 */
record SeekSampler(ReadStates states, Runnable seeks) implements ReadSampler {
  @Override
  public void sample(ByteBuffer key, int offset, int length) {
    if (states.withCurrent(state -> state.version().recordReadSample(key, offset, length))) {
      seeks.run();
    }
  }
}
