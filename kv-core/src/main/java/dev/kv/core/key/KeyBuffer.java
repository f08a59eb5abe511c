package dev.kv.core.key;

import dev.kv.core.memory.OffHeapBuffer;
import java.nio.ByteBuffer;

/**
 * A copy of a user key, and optionally of its value, that stays valid after the cursor that it was
 * copied from moves. Not thread-safe.
 */
public final class KeyBuffer {
  private static final int NONE = -1;

  private final OffHeapBuffer storage;
  private ByteBuffer buffer;
  private int keyLength = NONE;
  private int valueLength;

  /**
   * Creates a buffer without a key.
   *
   * @param storage the memory for the copies; the caller closes it, and uses it for nothing else
   */
  public KeyBuffer(OffHeapBuffer storage) {
    this.storage = storage;
    buffer = storage.buffer();
  }

  /** Returns the memory that holds the key, from offset 0 on, and the value after it. */
  public ByteBuffer buffer() {
    return buffer;
  }

  /** Returns the length of the key in bytes; requires a key. */
  public int keyLength() {
    return keyLength;
  }

  /** Returns the offset at which the value begins; requires a key. */
  public int valueOffset() {
    return keyLength;
  }

  /** Returns the length of the value in bytes; 0 if only a key was copied. */
  public int valueLength() {
    return valueLength;
  }

  /**
   * Copies a key.
   *
   * @param key the memory with the key
   * @param offset the offset at which it begins
   * @param length its length in bytes
   */
  public void setKey(ByteBuffer key, int offset, int length) {
    ensureCapacity(length);
    copy(key, offset, buffer, 0, length);
    keyLength = length;
    valueLength = 0;
  }

  /**
   * Copies a key and its value.
   *
   * @param key the memory with the key
   * @param keyOffset the offset at which the key begins
   * @param keySize its length in bytes
   * @param value the memory with the value
   * @param valueOffset the offset at which the value begins
   * @param valueSize its length in bytes
   */
  public void setEntry(
      ByteBuffer key,
      int keyOffset,
      int keySize,
      ByteBuffer value,
      int valueOffset,
      int valueSize) {
    ensureCapacity((long) keySize + valueSize);
    copy(key, keyOffset, buffer, 0, keySize);
    copy(value, valueOffset, buffer, keySize, valueSize);
    keyLength = keySize;
    valueLength = valueSize;
  }

  private void ensureCapacity(long bytes) {
    if (bytes > buffer.capacity()) {
      buffer = storage.ensureCapacity(Math.toIntExact(bytes));
    }
  }

  /**
   * Returns true if the copied key has the same bytes as another. Compares the last bytes first:
   * neighbouring keys differ there.
   *
   * @param other the memory with the other key
   * @param offset the offset at which it begins
   * @param length its length in bytes
   */
  public boolean hasKeyBytes(ByteBuffer other, int offset, int length) {
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

  /**
   * Compares the copied key with another one. A buffer without a key comes before every key.
   *
   * @param other the memory with the other key
   * @param offset the offset at which it begins
   * @param length its length in bytes
   * @param comparator the order of the keys
   * @return a negative number, zero or a positive number, as in {@link java.util.Comparator}
   */
  public int compareTo(ByteBuffer other, int offset, int length, UserKeyComparator comparator) {
    return keyLength == NONE ? -1 : comparator.compare(buffer, 0, keyLength, other, offset, length);
  }

  /** Copies bytes; lengths of usual keys as two or four words, which may overlap. */
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
