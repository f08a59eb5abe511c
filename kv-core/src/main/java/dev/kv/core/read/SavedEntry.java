package dev.kv.core.read;

import dev.kv.core.key.UserKeyComparator;
import dev.kv.core.memory.OffHeapBuffer;
import java.nio.ByteBuffer;

/**
 * A copy of a user key, and perhaps of a value behind it, that outlives the move of the cursor it
 * came from.
 */
final class SavedEntry {
  private final OffHeapBuffer storage;
  private ByteBuffer buffer;
  private int keyLength;
  private int valueLength;

  /** Uses {@code storage}, which stays the caller's. */
  SavedEntry(OffHeapBuffer storage) {
    this.storage = storage;
    buffer = storage.buffer();
  }

  ByteBuffer buffer() {
    return buffer;
  }

  int keyLength() {
    return keyLength;
  }

  /** Returns where the value begins. */
  int valueOffset() {
    return keyLength;
  }

  int valueLength() {
    return valueLength;
  }

  /** Copies a key. */
  void setKey(ByteBuffer from, int offset, int length) {
    ensure(length);
    copy(from, offset, buffer, 0, length);
    keyLength = length;
    valueLength = 0;
  }

  /** Copies a key and a value. */
  void set(
      ByteBuffer key,
      int keyOffset,
      int keySize,
      ByteBuffer value,
      int valueOffset,
      int valueSize) {
    ensure((long) keySize + valueSize);
    copy(key, keyOffset, buffer, 0, keySize);
    copy(value, valueOffset, buffer, keySize, valueSize);
    keyLength = keySize;
    valueLength = valueSize;
  }

  private void ensure(long bytes) {
    if (bytes > buffer.capacity()) {
      buffer = storage.ensureCapacity(Math.toIntExact(bytes));
    }
  }

  /**
   * Returns whether the saved key has the same bytes. The ends are compared first: keys differ
   * there.
   */
  boolean hasKeyBytes(ByteBuffer other, int offset, int length) {
    if (length != keyLength) {
      return false;
    }
    int i = length - Long.BYTES;
    for (; i >= 0; i -= Long.BYTES) {
      if (other.getLong(offset + i) != buffer.getLong(i)) {
        return false;
      }
    }
    for (int j = i + Long.BYTES - 1; j >= 0; j--) {
      if (other.get(offset + j) != buffer.get(j)) {
        return false;
      }
    }
    return true;
  }

  /** Returns whether the saved key is equal in the order of {@code comparator}. */
  boolean hasKey(ByteBuffer other, int offset, int length, UserKeyComparator comparator) {
    return comparator.compare(buffer, 0, keyLength, other, offset, length) == 0;
  }

  /** Copies; for the lengths of usual keys, as two or four words that may overlap. */
  private static void copy(ByteBuffer from, int offset, ByteBuffer to, int at, int length) {
    if (length < Long.BYTES || length > 4 * Long.BYTES) {
      to.put(at, from, offset, length);
      return;
    }
    int last = length - Long.BYTES;
    long head = from.getLong(offset);
    long tail = from.getLong(offset + last);
    if (length > 2 * Long.BYTES) {
      to.putLong(at + Long.BYTES, from.getLong(offset + Long.BYTES));
      to.putLong(at + last - Long.BYTES, from.getLong(offset + last - Long.BYTES));
    }
    to.putLong(at, head);
    to.putLong(at + last, tail);
  }
}
