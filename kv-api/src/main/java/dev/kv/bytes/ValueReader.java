package dev.kv.bytes;

import org.jspecify.annotations.Nullable;

/**
 * Reads a value in the library's memory, without a copy.
 *
 * @param <R> the type of the result
 * @see dev.kv.DB#read(ReadOptions, byte[], ValueReader)
 * @see dev.kv.DB#find(ReadOptions, byte[], ValueReader)
 */
@FunctionalInterface
public interface ValueReader<R extends @Nullable Object> {
  /**
   * Reads a value.
   *
   * @param value the value, valid until this method returns; copy what is needed longer
   * @return what the caller of the read gets
   */
  R read(Slice value);
}
