package dev.kv.core.table.standalone;

import dev.kv.DBIterator;
import dev.kv.bytes.Slice;
import dev.kv.core.iterator.CursorGuard;
import dev.kv.core.key.KeyBounds;
import dev.kv.core.key.UserKeyComparator;
import dev.kv.core.memory.BufferSlice;
import dev.kv.core.memory.DirectMemory;
import dev.kv.core.memory.Pinned;
import dev.kv.core.table.Table;
import dev.kv.core.table.TableIterator;
import dev.kv.core.table.cache.ReadFlags;
import dev.kv.file.PendingFault;
import java.nio.ByteBuffer;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * A cursor over the user keys of a stand-alone table, within the bounds of its read options. A
 * guard protects its moves against a concurrent close.
 */
public final class UserTableIterator implements DBIterator {
  private static final PendingFault PENDING_FAULT = new PendingFault();

  private final TableIterator entries;
  private final CursorGuard guard = new Guard();
  private final UserKeyComparator order;

  /** The first key to show; null if there is no bound. */
  private final @Nullable ByteBuffer lower;

  /** The bound that all keys to show are before; null if there is no bound. */
  private final @Nullable ByteBuffer upper;

  private final boolean keysOnly;
  private final BufferSlice keySlice = new BufferSlice();
  private final BufferSlice valueSlice = new BufferSlice();
  private boolean borrowed;
  private boolean valid;
  private boolean placed;

  /**
   * Creates a cursor over a table, without a current entry.
   *
   * @param pin keeps the table open; the cursor closes it, unless this constructor throws
   */
  UserTableIterator(
      Table table,
      ReadFlags flags,
      Pinned pin,
      UserKeyComparator order,
      KeyBounds bounds,
      boolean keysOnly) {
    this.order = order;
    this.keysOnly = keysOnly;
    lower = directOrNull(bounds.lower());
    upper = directOrNull(bounds.upper());
    entries = table.iterator(flags, pin); // last: there may be no memory for the bounds
  }

  /** Releases the table and its block. */
  private final class Guard extends CursorGuard {
    @Override
    protected void release() {
      revokeSlices();
      entries.close();
    }
  }

  @Override
  public boolean isValid() {
    boolean now = valid;
    boolean sought = placed;
    guard.checkOpen();
    if (!sought) {
      throw new IllegalStateException(
          "the iterator has no position yet: call a seek method first, such as seekToFirst()");
    }
    return now;
  }

  @Override
  public boolean isPlaced() {
    guard.checkOpen();
    return placed;
  }

  @Override
  public void seekToFirst() {
    if (lower == null) {
      move(entries::seekToFirst);
    } else {
      move(() -> entries.seek(lower, 0, lower.capacity()));
    }
  }

  @Override
  public void seekToLast() {
    if (upper == null) {
      move(entries::seekToLast);
    } else {
      move(() -> seekBefore(upper));
    }
  }

  @Override
  public void seek(ByteBuffer key) {
    Objects.requireNonNull(key, "key");
    move(
        () -> {
          ByteBuffer from = direct(key);
          if (lower != null && compare(from, lower) < 0) {
            from = lower;
          }
          entries.seek(from, 0, from.capacity());
        });
  }

  @Override
  public void seekForPrev(ByteBuffer key) {
    Objects.requireNonNull(key, "key");
    move(
        () -> {
          ByteBuffer from = direct(key);
          if (upper != null && compare(from, upper) >= 0) {
            seekBefore(upper);
            return;
          }
          entries.seek(from, 0, from.capacity());
          if (!entries.isValid() || compareKey(from) != 0) {
            stepBack();
          }
        });
  }

  @Override
  public void next() {
    requireValid();
    move(entries::next);
  }

  @Override
  public void prev() {
    requireValid();
    move(entries::prev);
  }

  @Override
  public byte[] key() {
    requireValid();
    return copy(entries.keyBuffer(), entries.keyOffset(), entries.keyLength());
  }

  private int valueLength() {
    return keysOnly ? 0 : entries.valueLength();
  }

  @Override
  public byte[] value() {
    requireValid();
    return copy(entries.valueBuffer(), entries.valueOffset(), valueLength());
  }

  private byte[] copy(ByteBuffer buffer, int offset, int length) {
    try {
      byte[] copy = new byte[length];
      buffer.get(offset, copy);
      return copy;
    } finally {
      guard.checkOpenAfterCopy();
    }
  }

  @Override
  public Slice keySlice() {
    requireValid();
    return pointed(keySlice, entries.keyBuffer(), entries.keyOffset(), entries.keyLength());
  }

  @Override
  public Slice valueSlice() {
    requireValid();
    return pointed(valueSlice, entries.valueBuffer(), entries.valueOffset(), valueLength());
  }

  /**
   * Points a slice at bytes of the entry. Revokes it if a close came before; one at the same moment
   * may miss it, as in DBIteratorImpl.
   */
  private Slice pointed(BufferSlice slice, ByteBuffer buffer, int offset, int length) {
    borrowed = true;
    slice.point(buffer, offset, length);
    if (!guard.isOpen()) {
      revokeSlices();
      guard.checkOpen();
    }
    return slice;
  }

  private void revokeSlices() {
    keySlice.revoke();
    valueSlice.revoke();
  }

  @Override
  public void close() {
    guard.close();
  }

  private void seekBefore(ByteBuffer limit) {
    entries.seek(limit, 0, limit.capacity());
    stepBack();
  }

  private void stepBack() {
    if (entries.isValid()) {
      entries.prev();
    } else {
      entries.seekToLast();
    }
  }

  /** Makes a move: the cursor has no entry until the move ends. */
  private void move(Runnable step) {
    guard.beginMove();
    valid = false;
    placed = true;
    if (borrowed) {
      borrowed = false;
      revokeSlices();
    }
    try {
      step.run();
      valid = entries.isValid() && withinBounds();
    } catch (Throwable e) {
      throw guard.failedMove(e);
    }
    guard.endMove();
  }

  private boolean withinBounds() {
    return (lower == null || compareKey(lower) >= 0) && (upper == null || compareKey(upper) < 0);
  }

  private int compareKey(ByteBuffer bound) {
    return order.compare(
        entries.keyBuffer(), entries.keyOffset(), entries.keyLength(), bound, 0, bound.capacity());
  }

  private int compare(ByteBuffer a, ByteBuffer b) {
    return order.compare(a, 0, a.capacity(), b, 0, b.capacity());
  }

  private static ByteBuffer direct(ByteBuffer key) {
    ByteBuffer copy = DirectMemory.allocate(key.remaining());
    PENDING_FAULT.copyKeyOrValue(key, copy, 0);
    return copy;
  }

  private static @Nullable ByteBuffer directOrNull(byte @Nullable [] bytes) {
    return bytes == null ? null : direct(ByteBuffer.wrap(bytes));
  }

  private void requireValid() {
    guard.checkOpen();
    if (!valid) {
      throw new IllegalStateException("the iterator is at no entry: seek, and ask isValid()");
    }
  }
}
