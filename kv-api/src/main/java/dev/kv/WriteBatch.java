package dev.kv;

import java.nio.ByteBuffer;

/**
 * A list of puts and deletes that {@link DB#write} applies as one: all or none, in order. Keeps
 * copies of what it is given, on the heap. Not thread-safe; reusable after {@link #clear}.
 */
public interface WriteBatch {

  /** Returns an empty batch. */
  static WriteBatch create() {
    return DBFactory.instance().newWriteBatch();
  }

  /** Adds a put. */
  WriteBatch put(byte[] key, byte[] value);

  /** Adds a put of the buffers' remaining bytes, whose positions stay as they are. */
  WriteBatch put(ByteBuffer key, ByteBuffer value);

  /** Adds a delete. */
  WriteBatch delete(byte[] key);

  /** Adds a delete of the buffer's remaining bytes, whose position stays as it is. */
  WriteBatch delete(ByteBuffer key);

  /** Adds all operations of {@code other} behind those here. */
  WriteBatch append(WriteBatch other);

  /** Removes every operation. */
  WriteBatch clear();

  /** Returns the number of operations. */
  int count();

  /**
   * Returns the size in bytes of the encoded batch, which is what the log will hold; 12 when empty.
   */
  long approximateSize();

  /** Hands every operation to {@code handler}, in order. */
  void iterate(Handler handler);

  /** Receives the operations of a batch. The slices' window ends with each call. */
  interface Handler {
    /** A put. */
    void put(Slice key, Slice value);

    /** A delete. */
    void delete(Slice key);
  }
}
