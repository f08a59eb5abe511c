package dev.kv.change;

import dev.kv.bytes.Slice;
import org.jspecify.annotations.Nullable;

/**
 * Receives the operations of a batch or of a group of changes. The slices are valid during each
 * call only.
 */
public interface OperationHandler {
  /**
   * Receives a put.
   *
   * @param key the key, valid during the call
   * @param value the value, valid during the call
   */
  void put(Slice key, Slice value);

  /**
   * Receives a delete.
   *
   * @param key the key, valid during the call
   */
  void delete(Slice key);

  /**
   * Receives an expectation. Does nothing unless it is overridden.
   *
   * @param key the key, valid during the call
   * @param value the value that the key must have, valid during the call; null if the key must not
   *     exist
   */
  default void expect(Slice key, @Nullable Slice value) {}
}
