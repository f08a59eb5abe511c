package dev.kv.core.transaction;

import dev.kv.DBIterator;
import dev.kv.bytes.Slice;
import dev.kv.core.key.UserKeyComparator;
import dev.kv.core.memory.BufferSlice;
import dev.kv.core.transaction.WriteSet.Write;
import dev.kv.file.PendingFault;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.Map;
import java.util.NavigableMap;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * A cursor over a snapshot with the writes of a transaction on top, as they were when the cursor
 * was opened.
 *
 * <pre>
 * base   the cursor of the snapshot. Moving forward, it is at its first entry at or after the
 *        current key; moving backward, at its last entry at or before it.
 * own    the write of the same kind. It is found again for each move by its key, so that writes to
 *        the set do not disturb the cursor.
 * </pre>
 *
 * The nearer one of both is the current entry; at the same key, it is the write. A deletion is
 * skipped, together with the base's entry of its key.
 */
final class TransactionIterator implements DBIterator {
  private static final byte[] NOTHING = {};
  private static final PendingFault PENDING_FAULT = new PendingFault();

  private final DBIterator base;
  private final NavigableMap<byte[], Write> writes;
  private final long lastNumber;
  private final UserKeyComparator order;
  private final TransactionImpl transaction;
  private final VisitedRange visited;
  private final boolean keysOnly;
  private final BufferSlice ownKey = new BufferSlice();
  private final BufferSlice ownValue = new BufferSlice();

  private boolean forward = true;
  private boolean placed;
  private boolean valid;
  private boolean closed;

  /** The current write, if it is the current entry; null if the base has it. */
  private Map.@Nullable Entry<byte[], Write> current;

  /** True if the current entry is a write, and the base is at the same key. */
  private boolean baseIsHidden;

  /**
   * Creates a cursor.
   *
   * @param base the cursor of the snapshot, which this one closes
   * @param writes the writes within the bounds of the cursor
   * @param lastNumber the number of the last write to show
   * @param visited is told which keys the cursor has moved over
   * @param keysOnly true to show empty values
   */
  TransactionIterator(
      DBIterator base,
      NavigableMap<byte[], Write> writes,
      long lastNumber,
      UserKeyComparator order,
      TransactionImpl transaction,
      VisitedRange visited,
      boolean keysOnly) {
    this.base = base;
    this.writes = writes;
    this.lastNumber = lastNumber;
    this.order = order;
    this.transaction = transaction;
    this.visited = visited;
    this.keysOnly = keysOnly;
  }

  @Override
  public boolean isValid() {
    boolean baseValid = base.isValid();
    return placed ? valid : baseValid;
  }

  @Override
  public boolean isPlaced() {
    return base.isPlaced();
  }

  @Override
  public void seekToFirst() {
    beginSeek(null, true);
    base.seekToFirst();
    settle(writes.firstEntry());
  }

  @Override
  public void seekToLast() {
    beginSeek(null, false);
    base.seekToLast();
    settle(writes.lastEntry());
  }

  @Override
  public void seek(byte[] key) {
    Objects.requireNonNull(key, "key");
    beginSeek(key, true);
    base.seek(key);
    settle(writes.ceilingEntry(key));
  }

  @Override
  public void seek(ByteBuffer key) {
    seek(copy(key));
  }

  @Override
  public void seekForPrev(byte[] key) {
    Objects.requireNonNull(key, "key");
    beginSeek(key, false);
    base.seekForPrev(key);
    settle(writes.floorEntry(key));
  }

  @Override
  public void seekForPrev(ByteBuffer key) {
    seekForPrev(copy(key));
  }

  private static byte[] copy(ByteBuffer key) {
    return PENDING_FAULT.copyOf(Objects.requireNonNull(key, "key"));
  }

  private void beginSeek(byte @Nullable [] key, boolean towardsEnd) {
    transaction.checkCursor();
    endVisit();
    revokeSlices();
    valid = false;
    placed = false;
    visited.begin(key, towardsEnd);
    forward = towardsEnd;
  }

  @Override
  public void next() {
    move(true);
  }

  @Override
  public void prev() {
    move(false);
  }

  private void move(boolean towardsEnd) {
    transaction.checkCursor();
    checkValid();
    revokeSlices();
    if (forward == towardsEnd && current == null && writes.isEmpty()) {
      valid = false;
      step(); // without a copy of the key
      settle(null);
      return;
    }
    byte[] from = key();
    valid = false;
    if (forward != towardsEnd) {
      visited.end(from);
      visited.begin(from, towardsEnd);
      forward = towardsEnd;
      turn(from);
    } else if (current == null || baseIsHidden) {
      step();
    }
    settle(towardsEnd ? writes.higherEntry(from) : writes.lowerEntry(from));
  }

  /** Moves the base past {@code key} in the new direction. */
  private void turn(byte[] key) {
    if (forward) {
      base.seek(key);
    } else {
      base.seekForPrev(key);
    }
    if (base.isValid() && order.compare(base.key(), key) == 0) {
      step();
    }
  }

  private void step() {
    if (forward) {
      base.next();
    } else {
      base.prev();
    }
  }

  /**
   * Finds the current entry in the present direction, from the position of the base and from {@code
   * nearest}, the nearest key of the set.
   */
  private void settle(Map.@Nullable Entry<byte[], Write> nearest) {
    placed = true;
    Map.Entry<byte[], Write> own = visible(nearest);
    while (own != null) {
      int comparison = base.isValid() ? compareToBase(own.getKey()) : -1;
      if (comparison > 0) {
        break; // the base is nearer
      }
      baseIsHidden = comparison == 0;
      if (own.getValue().value() != null) {
        current = own;
        valid = true;
        return;
      }
      if (baseIsHidden) {
        step();
      }
      own = visible(after(own));
    }
    current = null;
    baseIsHidden = false;
    valid = base.isValid();
  }

  /** Compares a key with that of the base; negative if it is nearer in the present direction. */
  private int compareToBase(byte[] key) {
    return forward ? order.compare(key, base.key()) : order.compare(base.key(), key);
  }

  private Map.@Nullable Entry<byte[], Write> after(Map.Entry<byte[], Write> own) {
    return forward ? writes.higherEntry(own.getKey()) : writes.lowerEntry(own.getKey());
  }

  /** Returns the entry with the write that the cursor shows; skips keys that have none. */
  private Map.@Nullable Entry<byte[], Write> visible(Map.@Nullable Entry<byte[], Write> nearest) {
    Map.Entry<byte[], Write> entry = nearest;
    while (entry != null) {
      Write shown = entry.getValue().upTo(lastNumber);
      if (shown != null) {
        return Map.entry(entry.getKey(), shown);
      }
      entry = after(entry);
    }
    return null;
  }

  private void checkValid() {
    if (!isValid()) {
      throw new IllegalStateException("the iterator is at no entry: seek, and ask isValid()");
    }
  }

  @Override
  public byte[] key() {
    checkValid();
    Map.Entry<byte[], Write> own = current;
    return own == null ? base.key() : own.getValue().key().clone();
  }

  @Override
  public byte[] value() {
    checkValid();
    byte[] own = ownValue();
    return own == null ? base.value() : own.clone();
  }

  @Override
  public Slice keySlice() {
    checkValid();
    Map.Entry<byte[], Write> own = current;
    return own == null ? base.keySlice() : point(ownKey, own.getValue().key());
  }

  @Override
  public Slice valueSlice() {
    checkValid();
    byte[] own = ownValue();
    return own == null ? base.valueSlice() : point(ownValue, own);
  }

  private byte @Nullable [] ownValue() {
    Map.Entry<byte[], Write> own = current;
    if (own == null) {
      return null;
    }
    return keysOnly ? NOTHING : own.getValue().value();
  }

  private static Slice point(BufferSlice slice, byte[] bytes) {
    slice.point(ByteBuffer.wrap(bytes).order(ByteOrder.LITTLE_ENDIAN), 0, bytes.length);
    return slice;
  }

  private void revokeSlices() {
    ownKey.revoke();
    ownValue.revoke();
  }

  /** Reports the keys that the cursor has moved over since its last seek. */
  void endVisit() {
    if (placed) {
      visited.end(valid && !closed ? key() : null);
    }
  }

  @Override
  public void close() {
    if (!closed) {
      try {
        transaction.closing(this);
      } finally {
        closed = true;
        revokeSlices();
        base.close();
      }
    }
  }
}
