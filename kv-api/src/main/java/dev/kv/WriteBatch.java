package dev.kv;

import java.nio.ByteBuffer;

/**
 * A list of puts and deletes that {@link DB#write} applies atomically and in order: after a crash,
 * either all of them are in the database or none is. If a key occurs twice, the later operation
 * wins.
 *
 * <p>A batch keeps copies of its keys and values on the heap, in the encoding of the log; it holds
 * less than 2 GiB. It holds no other resources and is not closed. It may be written several times,
 * and {@link #clear} makes it reusable. Not thread-safe: do not change a batch while another thread
 * writes it.
 *
 * <pre>{@code
 * db.write(WriteBatch.create().put(key, value).delete(oldKey));
 * }</pre>
 */
public interface WriteBatch {

  /**
   * Creates an empty batch.
   *
   * @return a new batch
   */
  static WriteBatch create() {
    return DBFactory.instance().newWriteBatch();
  }

  /**
   * Adds an operation that sets the value of a key, whether or not the key exists.
   *
   * @param key the key, of any length; copied
   * @param value the value, of any length; copied
   * @return this batch
   * @throws IllegalArgumentException if the batch would reach 2 GiB
   */
  WriteBatch put(byte[] key, byte[] value);

  /**
   * Adds an operation that sets the value of a key, whether or not the key exists. The operation
   * takes the remaining bytes of each buffer, direct or heap; positions do not change.
   *
   * @param key the key; copied
   * @param value the value; copied
   * @return this batch
   * @throws IllegalArgumentException if the batch would reach 2 GiB
   */
  WriteBatch put(ByteBuffer key, ByteBuffer value);

  /**
   * Adds an operation that deletes a key. It has no effect if the key does not exist.
   *
   * @param key the key; copied
   * @return this batch
   * @throws IllegalArgumentException if the batch would reach 2 GiB
   */
  WriteBatch delete(byte[] key);

  /**
   * Adds an operation that deletes a key. It has no effect if the key does not exist. The operation
   * takes the remaining bytes of the buffer, direct or heap; its position does not change.
   *
   * @param key the key; copied
   * @return this batch
   * @throws IllegalArgumentException if the batch would reach 2 GiB
   */
  WriteBatch delete(ByteBuffer key);

  /**
   * Adds all operations of another batch after those of this one.
   *
   * @param other the other batch, which does not change; it may be this batch
   * @return this batch
   * @throws IllegalArgumentException if the batch would reach 2 GiB
   */
  WriteBatch append(WriteBatch other);

  /**
   * Removes all operations. The memory is kept for reuse.
   *
   * @return this batch
   */
  WriteBatch clear();

  /**
   * Returns the number of operations.
   *
   * @return the number of puts and deletes
   */
  int count();

  /**
   * Returns the size of the encoded batch, which is the size of its record in the log.
   *
   * @return the size in bytes; 12 if the batch is empty
   */
  long approximateSize();

  /**
   * Passes every operation to a handler, in the order in which they were added.
   *
   * @param handler receives the operations; an exception that it throws is passed on to the caller
   */
  void iterate(Handler handler);

  /** Receives the operations of a batch. The slices are valid during each call only. */
  interface Handler {
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
  }
}
