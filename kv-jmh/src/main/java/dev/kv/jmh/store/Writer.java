package dev.kv.jmh.store;

/**
 * Writes to a {@link Store}. The arrays belong to the caller, who changes them after the call: an
 * adapter to a product that keeps them makes its own copies.
 */
public interface Writer extends AutoCloseable {

  /** Sets the value of a key. */
  void put(byte[] key, byte[] value);

  /** Removes a key. */
  void delete(byte[] key);

  /** Applies what a batch writer has collected; nothing is left to do in the other kind. */
  default void commit() {}

  @Override
  default void close() {}
}
