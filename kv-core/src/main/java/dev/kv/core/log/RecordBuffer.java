package dev.kv.core.log;

import dev.kv.core.memory.DirectMemory;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;

/**
 * A reusable buffer that holds the last record read by a {@link LogReader}. The reader fills it; it
 * grows as needed. For one thread.
 */
public final class RecordBuffer {
  private static final int SMALLEST = 4 << 10;
  private static final int LARGEST = Integer.MAX_VALUE - 8;

  private ByteBuffer buffer = DirectMemory.allocate(SMALLEST);
  private int length;

  /** Creates an empty buffer. */
  public RecordBuffer() {}

  /**
   * Returns the little-endian buffer that begins with the record, valid until the next read. It is
   * direct, except for a large record whose length was looked up.
   */
  public ByteBuffer buffer() {
    return buffer;
  }

  /** Returns the record's length. */
  public int length() {
    return length;
  }

  /** Forgets the record and leaves its memory to the garbage collector, unless it is small. */
  public void free() {
    length = 0;
    if (buffer.capacity() > SMALLEST) {
      buffer = DirectMemory.allocate(SMALLEST);
    }
  }

  /**
   * Makes room for a record of {@code bytes} bytes, of which the beginning is here. The memory is
   * of the heap if that has room: the batch of the write was there, too, while the direct memory
   * that the write left may be none.
   */
  void reserve(long bytes) {
    if (bytes <= buffer.capacity() || bytes > LARGEST) {
      return;
    }
    byte[] beginning = new byte[length];
    buffer.get(0, beginning);
    free(); // so that the old memory and the new are not there together
    try {
      buffer = ByteBuffer.allocate((int) bytes).order(ByteOrder.LITTLE_ENDIAN);
    } catch (OutOfMemoryError e) {
      buffer = DirectMemory.allocate((int) bytes);
    }
    buffer.put(0, beginning);
    length = beginning.length;
  }

  void clear() {
    length = 0;
  }

  /** Appends bytes to the record; returns false if no buffer can be so large. */
  boolean add(ByteBuffer source, int off, int len) {
    long needed = (long) length + len;
    if (needed > LARGEST) {
      return false;
    }
    if (needed > buffer.capacity()) {
      ByteBuffer larger =
          DirectMemory.allocate((int) Math.min(LARGEST, Math.max(needed, 2L * length)));
      larger.put(0, buffer, 0, length);
      buffer = larger;
    }
    buffer.put(length, source, off, len);
    length = (int) needed;
    return true;
  }
}
