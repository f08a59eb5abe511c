package dev.kv.jmh.store;

/** Reads single keys of a {@link Store}. */
public interface Reader extends AutoCloseable {
  /** The result of {@link #get} for a key that does not exist. */
  int MISSING = -1;

  /**
   * Reads every byte of the value of {@code key}, by a copy or a sum.
   *
   * @return the value's length in bytes, or {@link #MISSING}
   */
  int get(byte[] key);

  /** Makes later reads see what was written until now, if the reader keeps an older state. */
  default void refresh() {}

  @Override
  default void close() {}
}
