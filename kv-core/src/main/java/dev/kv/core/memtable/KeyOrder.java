package dev.kv.core.memtable;

import dev.kv.core.batch.BatchCursor;
import dev.kv.core.key.UserKeyComparator;
import dev.kv.core.memory.OffHeapBudget;
import dev.kv.core.memory.OffHeapBuffer;
import dev.kv.core.memory.Undo;
import java.nio.ByteBuffer;

/**
 * The operations of a batch, sorted by the eight bytes of their keys that follow the prefix which
 * all keys have in common. Operations that are equal in these bytes keep their order.
 *
 * <p>A radix sort, least significant byte first, between two buffers outside the heap. Bytes that
 * are equal in all keys are skipped: a decimal number needs a pass for each of its digits.
 *
 * <pre>
 * item := prefix 8 bytes, offset of the operation fixed32, number of the operation fixed32
 * </pre>
 */
final class KeyOrder implements AutoCloseable {
  private static final int ITEM = 16;
  private static final int OFFSET = Long.BYTES;
  private static final int NUMBER = Long.BYTES + Integer.BYTES;
  private static final int VALUES = 256;

  /** The most operations that can be sorted. */
  static final int MAX_COUNT = Integer.MAX_VALUE / ITEM;

  private final int count;
  private OffHeapBuffer sorted;
  private OffHeapBuffer spare;

  /**
   * Sorts the operations of a cursor, which is at its start, and leaves it there.
   *
   * @throws dev.kv.errors.OffHeapExhaustedException if there is no memory for it; the cursor has
   *     not moved
   */
  KeyOrder(BatchCursor cursor, int count, OffHeapBudget budget) {
    this.count = count;
    sorted = new OffHeapBuffer(budget, 0);
    spare = new OffHeapBuffer(budget, 0);
    try (Undo undo = new Undo(this::close)) {
      sorted.ensureCapacity(count * ITEM);
      spare.ensureCapacity(count * ITEM);
      int common = commonPrefix(cursor);
      sort(collect(cursor, common));
      undo.cancel();
    }
  }

  /** Returns the number of bytes with which all keys begin. */
  private static int commonPrefix(BatchCursor cursor) {
    ByteBuffer bytes = cursor.buffer();
    int start = cursor.position();
    cursor.next();
    int first = cursor.keyOffset();
    int common = cursor.keyLength();
    while (common > 0 && cursor.next()) {
      int key = cursor.keyOffset();
      int limit = Math.min(common, cursor.keyLength());
      int equal = 0;
      while (equal < limit && bytes.get(first + equal) == bytes.get(key + equal)) {
        equal++;
      }
      common = equal;
    }
    cursor.moveTo(start);
    return common;
  }

  /** Writes an item for each operation; returns how often each byte has each value. */
  private int[] collect(BatchCursor cursor, int common) {
    ByteBuffer items = sorted.buffer();
    int[] frequencies = new int[Long.BYTES * VALUES];
    int at = 0;
    for (int number = 0; number < count; number++) {
      int operation = cursor.position();
      cursor.next();
      int offset = cursor.keyOffset() + common;
      int length = cursor.keyLength() - common;
      // The order of the bytes is the unsigned one, without the flipped sign bit.
      long prefix = UserKeyComparator.prefix(cursor.buffer(), offset, length) ^ Long.MIN_VALUE;
      items.putLong(at, prefix);
      items.putInt(at + OFFSET, operation);
      items.putInt(at + NUMBER, number);
      at += ITEM;
      for (int place = 0; place < Long.BYTES; place++) {
        frequencies[place * VALUES + byteAt(prefix, place)]++;
      }
    }
    return frequencies;
  }

  private static int byteAt(long prefix, int place) {
    return (int) (prefix >>> Byte.SIZE * place) & 0xff;
  }

  private void sort(int[] frequencies) {
    int[] starts = new int[VALUES];
    for (int place = 0; place < Long.BYTES; place++) {
      int sum = 0;
      boolean equal = false;
      for (int value = 0; value < VALUES; value++) {
        int frequency = frequencies[place * VALUES + value];
        equal |= frequency == count;
        starts[value] = sum;
        sum += frequency * ITEM;
      }
      if (!equal) {
        distribute(place, starts);
      }
    }
  }

  private void distribute(int place, int[] starts) {
    ByteBuffer from = sorted.buffer();
    ByteBuffer to = spare.buffer();
    for (int at = 0; at < count * ITEM; at += ITEM) {
      long prefix = from.getLong(at);
      int value = byteAt(prefix, place);
      int target = starts[value];
      starts[value] = target + ITEM;
      to.putLong(target, prefix);
      to.putLong(target + OFFSET, from.getLong(at + OFFSET));
    }
    OffHeapBuffer swap = sorted;
    sorted = spare;
    spare = swap;
  }

  /** Returns the offset in the batch of an operation of the sorted order. */
  int position(int index) {
    return sorted.buffer().getInt(index * ITEM + OFFSET);
  }

  /** Returns the number that an operation of the sorted order has in the batch. */
  int number(int index) {
    return sorted.buffer().getInt(index * ITEM + NUMBER);
  }

  @Override
  public void close() {
    sorted.close();
    spare.close();
  }
}
