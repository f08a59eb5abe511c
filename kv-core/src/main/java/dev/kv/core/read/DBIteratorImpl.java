package dev.kv.core.read;

import dev.kv.DBIterator;
import dev.kv.bytes.Slice;
import dev.kv.core.key.InternalKey;
import dev.kv.core.memory.BufferSlice;
import dev.kv.errors.CorruptionException;
import java.lang.ref.Reference;
import java.nio.ByteBuffer;
import java.util.Objects;
import java.util.function.BiConsumer;

/**
 * The iterator that programs use: a {@link DBIter} over a view that it pins. The view guards every
 * move against a concurrent close; see {@link dev.kv.core.iterator.CursorGuard}.
 *
 * <p>If a program loses the iterator without closing it, its view is released after it was
 * collected, see {@link OpenIterators}. The compiler may hold an object for unreachable before its
 * last method ends; so each method that uses the view ends in a reachability fence, which is no
 * instruction, and slices refer to their iterator.
 */
final class DBIteratorImpl implements DBIterator, BufferSlice.Owner {
  private final DBIter cursor;
  private final PinnedView view;
  private final OpenIterators open;
  private final boolean keysOnly;
  private final BufferSlice keySlice = new BufferSlice(this);
  private final BufferSlice valueSlice = new BufferSlice(this);
  private boolean borrowed;
  private boolean placed;

  /**
   * Creates an iterator, which takes ownership of {@code view}. The caller adds it to {@code open}.
   *
   * @param keysOnly true to show empty values
   */
  DBIteratorImpl(DBIter cursor, PinnedView view, OpenIterators open, boolean keysOnly) {
    this.cursor = cursor;
    this.view = view;
    this.open = open;
    this.keysOnly = keysOnly;
  }

  @Override
  public boolean isValid() {
    boolean valid = cursor.isValid();
    view.checkOpen();
    Reference.reachabilityFence(this);
    if (!valid && !placed) {
      throw new IllegalStateException(
          "the iterator has no position yet: call a seek method first, such as seekToFirst()");
    }
    return valid;
  }

  @Override
  public boolean isPlaced() {
    view.checkOpen();
    Reference.reachabilityFence(this);
    return placed;
  }

  @Override
  public void seekToFirst() {
    beginSeek();
    try {
      cursor.seekToFirst();
    } catch (Throwable e) {
      throw failed(e);
    }
    view.endMove();
    Reference.reachabilityFence(this);
  }

  @Override
  public void seekToLast() {
    beginSeek();
    try {
      cursor.seekToLast();
    } catch (Throwable e) {
      throw failed(e);
    }
    view.endMove();
    Reference.reachabilityFence(this);
  }

  @Override
  public void seek(ByteBuffer key) {
    Objects.requireNonNull(key, "key");
    beginSeek();
    try {
      cursor.seek(key);
    } catch (Throwable e) {
      throw failed(e);
    }
    view.endMove();
    Reference.reachabilityFence(this);
  }

  @Override
  public void seekForPrev(ByteBuffer key) {
    Objects.requireNonNull(key, "key");
    beginSeek();
    try {
      cursor.seekForPrev(key);
    } catch (Throwable e) {
      throw failed(e);
    }
    view.endMove();
    Reference.reachabilityFence(this);
  }

  @Override
  public void next() {
    beginMove();
    try {
      checkValid();
      cursor.next();
    } catch (Throwable e) {
      throw failed(e);
    }
    view.endMove();
    Reference.reachabilityFence(this);
  }

  @Override
  public void prev() {
    beginMove();
    try {
      checkValid();
      cursor.prev();
    } catch (Throwable e) {
      throw failed(e);
    }
    view.endMove();
    Reference.reachabilityFence(this);
  }

  /**
   * Passes every entry of the range to {@code action}, in one move: a close from another thread
   * ends it at the next entry, and what it pins is released then.
   */
  void forEach(BiConsumer<? super Slice, ? super Slice> action) {
    EntryScan scan = new EntryScan(cursor, keySlice, valueSlice, keysOnly, action);
    beginSeek(); // after the allocation: a move that begins must end
    try {
      scan.run();
    } catch (Throwable e) {
      if (scan.isInAction()) {
        cursor.invalidate();
        view.abandonMove();
        throw e;
      }
      throw failed(e);
    }
    view.endMove();
    Reference.reachabilityFence(this);
  }

  @Override
  public byte[] key() {
    view.checkOpen();
    checkValid();
    return copy(cursor.keyBuffer(), cursor.keyOffset(), cursor.keyLength());
  }

  @Override
  public byte[] value() {
    view.checkOpen();
    checkValid();
    return copy(cursor.valueBuffer(), cursor.valueOffset(), valueLength());
  }

  private int valueLength() {
    return keysOnly ? 0 : cursor.valueLength();
  }

  private byte[] copy(ByteBuffer buffer, int offset, int length) {
    try {
      return InternalKey.copy(buffer, offset, length);
    } finally {
      view.checkOpenAfterCopy();
      Reference.reachabilityFence(this);
    }
  }

  /** For the slices. */
  @Override
  public void checkOpenAfterCopy() {
    view.checkOpenAfterCopy();
  }

  @Override
  public Slice keySlice() {
    view.checkOpen();
    checkValid();
    borrowed = true;
    BufferSlice slice = keySlice;
    slice.point(cursor.keyBuffer(), cursor.keyOffset(), cursor.keyLength());
    checkOpenAfterPointing();
    return slice;
  }

  @Override
  public Slice valueSlice() {
    view.checkOpen();
    checkValid();
    borrowed = true;
    BufferSlice slice = valueSlice;
    slice.point(cursor.valueBuffer(), cursor.valueOffset(), valueLength());
    checkOpenAfterPointing();
    return slice;
  }

  /**
   * Revokes the slices if a close came before the check. A close at the same moment may come
   * between the check and the store into the slice, which a processor may delay: then the slice
   * shows bytes of memory that is used again, until the cursor is used or collected; a copy of it
   * throws. A full fence for each slice would prevent that.
   */
  private void checkOpenAfterPointing() {
    if (!view.isOpen()) {
      revokeSlices();
      view.checkOpen();
    }
    Reference.reachabilityFence(this);
  }

  @Override
  public void close() {
    view.close();
    open.releaseCollected();
  }

  /** Revokes both slices. Any thread. */
  void revokeSlices() {
    keySlice.revoke();
    valueSlice.revoke();
  }

  private void beginMove() {
    view.beginMove();
    if (borrowed) {
      borrowed = false;
      revokeSlices();
    }
  }

  private void beginSeek() {
    beginMove();
    placed = true;
  }

  /** Leaves the cursor invalid, ends the move and returns the exception to throw. */
  private RuntimeException failed(Throwable cause) {
    cursor.invalidate();
    RuntimeException thrown = view.failedMove(cause);
    if (thrown instanceof CorruptionException damage) {
      open.damaged(damage);
    }
    return thrown;
  }

  private void checkValid() {
    if (!cursor.isValid()) {
      throw new IllegalStateException("the iterator is at no entry: seek, and ask isValid()");
    }
  }
}
