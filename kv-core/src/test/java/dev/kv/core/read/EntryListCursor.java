package dev.kv.core.read;

import static dev.kv.core.Bytes.direct;

import dev.kv.core.iterator.InternalIterator;
import dev.kv.core.key.InternalKeyComparator;
import java.nio.ByteBuffer;
import java.util.List;

/**
 * A cursor over a sorted list of entries, whose borrowed bytes are mangled by each move. Allocates
 * nothing when it moves.
 */
final class EntryListCursor extends InternalIterator {
  private static final byte MANGLED = (byte) 0xee;

  private final InternalKeyComparator comparator;
  private final byte[][] keys;
  private final byte[][] values;
  private final ByteBuffer keyBytes = direct(1 << 10);
  private final ByteBuffer valueBytes = direct(1 << 16);
  private int at;
  int closes;

  /** The number of steps forward. */
  int steps;

  EntryListCursor(InternalKeyComparator comparator, List<Entry> sorted) {
    this.comparator = comparator;
    keys = sorted.stream().map(Entry::key).toArray(byte[][]::new);
    values = sorted.stream().map(Entry::value).toArray(byte[][]::new);
  }

  /** An internal key and its value. */
  record Entry(byte[] key, byte[] value) {}

  private void show(int index) {
    for (int i = 0; i < keyLength; i++) {
      keyBytes.put(keyOffset + i, MANGLED);
    }
    for (int i = 0; i < Math.min(valueLength, 256); i++) {
      valueBytes.put(valueOffset + i, MANGLED);
    }
    at = index;
    valid = index >= 0 && index < keys.length;
    keyLength = 0;
    valueLength = 0;
    if (valid) {
      keyBuffer = keyBytes;
      keyOffset = 3 + index % 2;
      keyLength = keys[index].length;
      keyBytes.put(keyOffset, keys[index]);
      valueBuffer = valueBytes;
      valueOffset = 5 + index % 2;
      valueLength = values[index].length;
      valueBytes.put(valueOffset, values[index]);
    }
  }

  @Override
  public void seekToFirst() {
    show(0);
  }

  @Override
  public void seekToLast() {
    show(keys.length - 1);
  }

  @Override
  public void seek(ByteBuffer key, int offset, int length) {
    int low = 0;
    int high = keys.length;
    while (low < high) {
      int middle = (low + high) >>> 1;
      if (comparator.compare(key, offset, length, keys[middle]) > 0) {
        low = middle + 1;
      } else {
        high = middle;
      }
    }
    show(low);
  }

  @Override
  public void next() {
    requireValid();
    steps++;
    show(at + 1);
  }

  @Override
  public void prev() {
    requireValid();
    show(at - 1);
  }

  private void requireValid() {
    if (!valid) {
      throw new AssertionError("moved where it is invalid");
    }
  }

  @Override
  public void close() {
    closes++;
  }
}
