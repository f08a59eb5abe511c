package dev.kv.iq80;

import org.iq80.leveldb.WriteBatch;

/** A list of puts and deletes that is written as one. Not thread-safe. */
final class KvWriteBatch implements WriteBatch {
  private final dev.kv.WriteBatch batch = dev.kv.WriteBatch.create();

  KvWriteBatch() {}

  dev.kv.WriteBatch unwrap() {
    return batch;
  }

  @Override
  public WriteBatch put(byte[] key, byte[] value) {
    Failures.requireArgument(key, "key");
    Failures.requireArgument(value, "value");
    batch.put(key, value);
    return this;
  }

  @Override
  public WriteBatch delete(byte[] key) {
    Failures.requireArgument(key, "key");
    batch.delete(key);
    return this;
  }

  /** Does nothing: a batch holds only memory of the heap, and may be written after its close. */
  @Override
  public void close() {}
}
