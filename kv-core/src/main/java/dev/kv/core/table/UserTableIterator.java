package dev.kv.core.table;

import dev.kv.DBIterator;
import dev.kv.ReadOptions;
import dev.kv.Slice;
import dev.kv.core.key.UserKeyComparator;
import dev.kv.core.memory.BufferSlice;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/** A cursor over the user keys of a stand-alone table, within the bounds of its read options. */
final class UserTableIterator implements DBIterator {
  private final TableIterator entries;
  private final UserKeyComparator order;
  private final KeyBounds bounds;
  private final BufferSlice key = new BufferSlice();
  private final BufferSlice value = new BufferSlice();
  private boolean valid;
  private boolean placed;
  private boolean closed;

  /** Adopts {@code entries}. */
  UserTableIterator(TableIterator entries, UserKeyComparator order, ReadOptions options) {
    this.entries = entries;
    this.order = order;
    bounds = KeyBounds.of(options, order);
  }

  @Override
  public boolean isValid() {
    requireOpen();
    return valid;
  }

  @Override
  public boolean isPlaced() {
    requireOpen();
    return placed;
  }

  @Override
  public void seekToFirst() {
    begin();
    ByteBuffer lower = bounds.lower();
    if (lower == null) {
      entries.seekToFirst();
    } else {
      entries.seek(lower, 0, lower.capacity());
    }
    show();
  }

  @Override
  public void seekToLast() {
    begin();
    ByteBuffer upper = bounds.upper();
    if (upper == null) {
      entries.seekToLast();
    } else {
      seekBefore(upper);
    }
    show();
  }

  @Override
  public void seek(byte[] target) {
    seek(ByteBuffer.wrap(target));
  }

  @Override
  public void seek(ByteBuffer target) {
    begin();
    ByteBuffer from = direct(target);
    ByteBuffer lower = bounds.lower();
    if (lower != null && compare(from, lower) < 0) {
      from = lower;
    }
    entries.seek(from, 0, from.capacity());
    show();
  }

  @Override
  public void seekForPrev(byte[] target) {
    seekForPrev(ByteBuffer.wrap(target));
  }

  @Override
  public void seekForPrev(ByteBuffer target) {
    begin();
    ByteBuffer from = direct(target);
    ByteBuffer upper = bounds.upper();
    if (upper != null && compare(from, upper) >= 0) {
      seekBefore(upper);
    } else {
      entries.seek(from, 0, from.capacity());
      if (!entries.isValid() || compareKey(from) != 0) {
        stepBack();
      }
    }
    show();
  }

  @Override
  public void next() {
    requireValid();
    begin();
    entries.next();
    show();
  }

  @Override
  public void prev() {
    requireValid();
    begin();
    entries.prev();
    show();
  }

  @Override
  public byte[] key() {
    requireValid();
    return key.toByteArray();
  }

  @Override
  public byte[] value() {
    requireValid();
    return value.toByteArray();
  }

  @Override
  public Slice keySlice() {
    requireValid();
    return key;
  }

  @Override
  public Slice valueSlice() {
    requireValid();
    return value;
  }

  @Override
  public void close() {
    if (!closed) {
      closed = true;
      hide();
      entries.close();
    }
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

  /** Ends the window of the entry shown, before a move. */
  private void begin() {
    requireOpen();
    hide();
    placed = true;
  }

  private void hide() {
    valid = false;
    key.revoke();
    value.revoke();
  }

  private void show() {
    if (entries.isValid() && withinBounds()) {
      key.point(entries.keyBuffer(), entries.keyOffset(), entries.keyLength());
      value.point(entries.valueBuffer(), entries.valueOffset(), entries.valueLength());
      valid = true;
    }
  }

  private boolean withinBounds() {
    ByteBuffer lower = bounds.lower();
    ByteBuffer upper = bounds.upper();
    return (lower == null || compareKey(lower) >= 0) && (upper == null || compareKey(upper) < 0);
  }

  private int compareKey(ByteBuffer bound) {
    return order.compare(
        entries.keyBuffer(), entries.keyOffset(), entries.keyLength(), bound, 0, bound.capacity());
  }

  private int compare(ByteBuffer a, ByteBuffer b) {
    return order.compare(a, 0, a.capacity(), b, 0, b.capacity());
  }

  private static ByteBuffer direct(ByteBuffer target) {
    int length = target.remaining();
    ByteBuffer copy = ByteBuffer.allocateDirect(length).order(ByteOrder.LITTLE_ENDIAN);
    return copy.put(0, target, target.position(), length);
  }

  private void requireOpen() {
    if (closed) {
      throw new IllegalStateException("the iterator is closed");
    }
  }

  private void requireValid() {
    requireOpen();
    if (!valid) {
      throw new IllegalStateException("the iterator stands on no entry");
    }
  }

  /** The keys that are shown: from {@code lower} on and before {@code upper}; null for no bound. */
  private record KeyBounds(@Nullable ByteBuffer lower, @Nullable ByteBuffer upper) {

    static KeyBounds of(ReadOptions options, UserKeyComparator order) {
      byte[] lower = options.lowerBound();
      byte[] upper = options.upperBound();
      byte[] prefix = options.prefix();
      if (prefix != null) {
        byte[] end = behind(prefix);
        lower = lower == null || order.compare(prefix, lower) > 0 ? prefix : lower;
        upper = upper == null || (end != null && order.compare(end, upper) < 0) ? end : upper;
      }
      return new KeyBounds(directOrNull(lower), directOrNull(upper));
    }

    private static @Nullable ByteBuffer directOrNull(byte @Nullable [] bytes) {
      return bytes == null ? null : direct(ByteBuffer.wrap(bytes));
    }

    /** Returns the first key behind all that begin with {@code prefix}, or null if none is. */
    private static byte @Nullable [] behind(byte[] prefix) {
      int length = prefix.length;
      while (length > 0 && prefix[length - 1] == (byte) 0xff) {
        length--;
      }
      if (length == 0) {
        return null;
      }
      byte[] next = Arrays.copyOf(prefix, length);
      next[length - 1]++;
      return next;
    }
  }
}
