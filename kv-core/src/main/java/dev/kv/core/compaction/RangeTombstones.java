package dev.kv.core.compaction;

import dev.kv.core.iterator.ForwardIterator;
import dev.kv.core.iterator.InternalIterator;
import dev.kv.core.key.InternalKey;
import dev.kv.core.key.KeyBounds;
import dev.kv.core.key.UserKeyComparator;
import dev.kv.core.key.ValueKind;
import dev.kv.core.memory.OffHeapBudget;
import dev.kv.core.memory.OffHeapBuffer;
import java.nio.ByteBuffer;

/**
 * A cursor that shows one tombstone for each user key that another cursor has in a range, hidden
 * and deleted keys included. All tombstones have the same sequence number.
 */
public final class RangeTombstones extends ForwardIterator {
  private static final int KEY_BYTES = 256;

  /** The number of entries read between two checks for cancellation. */
  private static final int ENTRIES_PER_CHECK = 1024;

  private final InternalIterator input;
  private final KeyBounds range;
  private final UserKeyComparator order;
  private final long tag;
  private final OffHeapBuffer storage;
  private final Runnable cancelCheck;
  private int unchecked;

  /**
   * Creates the cursor.
   *
   * @param input entries with internal keys, in order; borrowed until the close
   * @param range the user keys
   * @param order the order of the user keys
   * @param sequence the number of the tombstones
   * @param budget counts the copy of a key
   * @param cancelCheck called from time to time; throws to end the work
   */
  public RangeTombstones(
      InternalIterator input,
      KeyBounds range,
      UserKeyComparator order,
      long sequence,
      OffHeapBudget budget,
      Runnable cancelCheck) {
    this.input = input;
    this.range = range;
    this.order = order;
    this.tag = InternalKey.pack(sequence, ValueKind.DELETION);
    this.storage = new OffHeapBuffer(budget, KEY_BYTES);
    this.cancelCheck = cancelCheck;
  }

  @Override
  public void seekToFirst() {
    input.seekToStart(range);
    showTombstone();
  }

  @Override
  public void next() {
    int length = keyLength - InternalKey.TRAILER;
    do {
      if (++unchecked == ENTRIES_PER_CHECK) {
        unchecked = 0;
        cancelCheck.run();
      }
      input.next();
    } while (input.isValid()
        && order.compare(
                keyBuffer,
                0,
                length,
                input.keyBuffer(),
                input.keyOffset(),
                input.keyLength() - InternalKey.TRAILER)
            == 0);
    showTombstone();
  }

  private void showTombstone() {
    int length = input.isValid() ? input.keyLength() - InternalKey.TRAILER : -1;
    valid = length >= 0 && range.isBeforeEnd(order, input.keyBuffer(), input.keyOffset(), length);
    if (valid) {
      ByteBuffer key = storage.ensureCapacity(length + InternalKey.TRAILER);
      key.put(0, input.keyBuffer(), input.keyOffset(), length);
      key.putLong(length, tag);
      keyBuffer = key;
      keyOffset = 0;
      keyLength = length + InternalKey.TRAILER;
    }
  }

  @Override
  public void close() {
    valid = false;
    storage.close();
  }
}
