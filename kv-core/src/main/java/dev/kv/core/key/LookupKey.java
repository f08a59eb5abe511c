package dev.kv.core.key;

import dev.kv.core.memory.OffHeapBudget;
import dev.kv.core.memory.OffHeapBuffer;
import dev.kv.file.PendingFault;
import java.nio.ByteBuffer;

/**
 * The target of a point read: a user key and the tag of the newest visible version, in a reusable
 * direct buffer. Belongs to one thread at a time.
 */
public final class LookupKey implements AutoCloseable {
  private static final int INITIAL_CAPACITY = 64;
  private static final PendingFault PENDING_FAULT = new PendingFault();

  private final OffHeapBuffer memory;
  private ByteBuffer buffer;
  private int userKeyLength;

  /** Creates a key whose buffer counts against {@code budget}. */
  public LookupKey(OffHeapBudget budget) {
    memory = OffHeapBuffer.forReads(budget, INITIAL_CAPACITY);
    buffer = memory.buffer();
  }

  /** Sets the user key and the sequence number to read at. */
  public void set(byte[] userKey, long sequence) {
    reserve(userKey.length);
    buffer.put(0, userKey);
    finish(userKey.length, sequence);
  }

  /**
   * Sets the user key, the remaining bytes of a buffer, and the sequence number to read at.
   *
   * @throws IllegalStateException if the buffer maps a file that was cut short
   */
  public void set(ByteBuffer userKey, long sequence) {
    int length = userKey.remaining();
    reserve(length);
    PENDING_FAULT.copyKeyOrValue(userKey, buffer, 0);
    finish(length, sequence);
  }

  private void reserve(int length) {
    if (buffer.capacity() < (long) length + InternalKey.TRAILER) {
      buffer = memory.ensureCapacity(Math.addExact(length, InternalKey.TRAILER));
    }
  }

  private void finish(int length, long sequence) {
    userKeyLength = length;
    buffer.putLong(length, InternalKey.seekTag(sequence));
  }

  /** Returns the buffer that begins with the internal key, valid until the next call of set. */
  public ByteBuffer buffer() {
    return buffer;
  }

  /** Returns the user key's length. */
  public int userKeyLength() {
    return userKeyLength;
  }

  /** Returns the length with the tag, in bytes. */
  public int internalKeyLength() {
    return userKeyLength + InternalKey.TRAILER;
  }

  @Override
  public void close() {
    memory.close();
  }
}
