package dev.kv.core.compaction;

import dev.kv.core.key.UserKeyComparator;
import dev.kv.core.memory.OffHeapBuffer;
import java.nio.ByteBuffer;

/**
 * A user key kept after the cursor that lent it has moved on. Not thread-safe; the buffer is
 * borrowed.
 */
final class HeldKey {
  private final UserKeyComparator comparator;
  private final OffHeapBuffer memory;
  private ByteBuffer buffer;
  private int length = -1;

  HeldKey(UserKeyComparator comparator, OffHeapBuffer memory) {
    this.comparator = comparator;
    this.memory = memory;
    this.buffer = memory.buffer();
  }

  /** Keeps a copy of a key. */
  void set(ByteBuffer key, int offset, int keyLength) {
    if (buffer.capacity() < keyLength) {
      memory.ensureCapacity(keyLength);
      buffer = memory.buffer();
    }
    ByteBuffer target = buffer;
    int i = 0;
    for (; i + Long.BYTES <= keyLength; i += Long.BYTES) {
      target.putLong(i, key.getLong(offset + i));
    }
    for (; i < keyLength; i++) {
      target.put(i, key.get(offset + i));
    }
    length = keyLength;
  }

  /** Compares the key that was kept with another in the user's order; none is before all. */
  int compareTo(ByteBuffer key, int offset, int keyLength) {
    return length < 0 ? -1 : comparator.compare(buffer, 0, length, key, offset, keyLength);
  }
}
