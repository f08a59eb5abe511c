package dev.kv.core.read;

import dev.kv.bytes.Slice;
import dev.kv.core.key.InternalKey;
import dev.kv.core.memory.BufferSlice;
import dev.kv.core.table.TableIterator;
import java.nio.ByteBuffer;
import java.util.function.BiConsumer;

/**
 * Passes the entries of a cursor to an action, from the first one to the last one.
 *
 * <p>While one table alone has entries left, as in a compacted database, the loop goes over the
 * entries of a block without the cursors above it. Once for each block it asks whether the block
 * may reach the upper bound. For each entry it compares the sequence number and the kind, and the
 * number of key bytes that are shared with the entry before tells whether the user key is the same.
 * All other entries come from the general cursor.
 */
final class EntryScan {
  private final DBIter cursor;
  private final BufferSlice key;
  private final BufferSlice value;
  private final boolean keysOnly;
  private final BiConsumer<? super Slice, ? super Slice> action;
  private boolean inAction;

  /**
   * Creates a scan.
   *
   * @param key the slice for keys, and {@code value} the one for values
   * @param keysOnly true to show empty values
   */
  EntryScan(
      DBIter cursor,
      BufferSlice key,
      BufferSlice value,
      boolean keysOnly,
      BiConsumer<? super Slice, ? super Slice> action) {
    this.cursor = cursor;
    this.key = key;
    this.value = value;
    this.keysOnly = keysOnly;
    this.action = action;
  }

  /** Returns true if an exception of {@link #run} is one of the action. */
  boolean isInAction() {
    return inAction;
  }

  /** Passes all entries. */
  void run() {
    cursor.seekToFirst();
    while (cursor.isValid()) {
      value.point(cursor.valueBuffer(), cursor.valueOffset(), shown(cursor.valueLength()));
      pass(cursor.keyBuffer(), cursor.keyOffset(), cursor.keyLength());
      TableIterator table = cursor.soleTable();
      if (table == null) {
        cursor.next();
      } else {
        passRestOfBlock(table);
      }
    }
  }

  /** Passes the entries after the current one, and moves to the first one of the next block. */
  private void passRestOfBlock(TableIterator table) {
    boolean bounded = cursor.mayLeaveRange(table);
    boolean decided = true;
    while (table.nextInSameBlock()) {
      ByteBuffer buffer = table.keyBuffer();
      int offset = table.keyOffset();
      int length = table.keyLength() - InternalKey.TRAILER;
      if (bounded && cursor.isAfterRange(buffer, offset, length)) {
        cursor.invalidate();
        return;
      }
      decided &= table.repeatsUserKey();
      int seen = cursor.see(buffer.getLong(offset + length), decided);
      decided |= seen != DBIter.NOTHING;
      if (seen == DBIter.VALUE) {
        value.point(table.valueBuffer(), table.valueOffset(), shown(table.valueLength()));
        pass(buffer, offset, length);
      }
    }
    cursor.nextBlock(table, decided);
  }

  private int shown(int valueLength) {
    return keysOnly ? 0 : valueLength;
  }

  private void pass(ByteBuffer buffer, int offset, int length) {
    cursor.checkStopped();
    key.point(buffer, offset, length);
    inAction = true;
    action.accept(key, value);
    inAction = false;
  }
}
