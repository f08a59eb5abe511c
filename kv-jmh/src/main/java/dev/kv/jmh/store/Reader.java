package dev.kv.jmh.store;

/** Reads single keys of a {@link Store}. */
public interface Reader extends AutoCloseable {
  /** What {@link #get} returns for a key that is not there. */
  int MISSING = -1;

  /**
   * Reads the value of {@code key}, every byte of it, be it by copying or by summing up.
   *
   * @return the value's length in bytes, or {@link #MISSING}
   */
  int get(byte[] key);

  @Override
  default void close() {}
}
