package dev.kv.jmh.store;

/**
 * Writes to a {@link Store}. The caller owns the arrays and changes them after the call, so the
 * adapter of a store that keeps them copies them.
 */
public interface Writer extends AutoCloseable {

  /** Sets the value of a key. */
  void put(byte[] key, byte[] value);

  /** Deletes a key. */
  void delete(byte[] key);

  /** Applies the operations that a batch writer has collected; other writers have none. */
  default void commit() {}

  @Override
  default void close() {}
}
