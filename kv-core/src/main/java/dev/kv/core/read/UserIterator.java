package dev.kv.core.read;

import dev.kv.DBIterator;
import dev.kv.Slice;
import dev.kv.core.memory.BufferSlice;
import java.nio.ByteBuffer;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * The cursor that programs get: a {@link VisibleCursor} over the view that it pins. The view guards
 * every move against a close, see {@link dev.kv.core.iterator.CursorGuard}.
 */
final class UserIterator implements DBIterator {
  private final VisibleCursor cursor;
  private final PinnedView view;
  private final OpenIterators open;
  private boolean borrowed;
  private boolean placed;

  // Guarded by the stripe of `open`.
  @Nullable UserIterator previousOpen;
  @Nullable UserIterator nextOpen;

  /** Creates an iterator, which closes {@code view}. The caller adds it to {@code open}. */
  UserIterator(VisibleCursor cursor, PinnedView view, OpenIterators open) {
    this.cursor = cursor;
    this.view = view;
    this.open = open;
  }

  int stripe() {
    return view.stripe();
  }

  @Override
  public boolean isValid() {
    boolean valid = cursor.isValid();
    view.checkOpen();
    if (!valid && !placed) {
      throw new IllegalStateException(
          "the iterator has no position yet: call a seek method first, such as seekToFirst()");
    }
    return valid;
  }

  @Override
  public boolean isPlaced() {
    view.checkOpen();
    return placed;
  }

  @Override
  public void seekToFirst() {
    beginSeek();
    try {
      cursor.seekToFirst();
    } catch (RuntimeException | Error e) {
      throw failed(e);
    }
    view.endMove();
  }

  @Override
  public void seekToLast() {
    beginSeek();
    try {
      cursor.seekToLast();
    } catch (RuntimeException | Error e) {
      throw failed(e);
    }
    view.endMove();
  }

  @Override
  public void seek(byte[] key) {
    Objects.requireNonNull(key, "key");
    beginSeek();
    try {
      cursor.seek(key);
    } catch (RuntimeException | Error e) {
      throw failed(e);
    }
    view.endMove();
  }

  @Override
  public void seek(ByteBuffer key) {
    Objects.requireNonNull(key, "key");
    beginSeek();
    try {
      cursor.seek(key);
    } catch (RuntimeException | Error e) {
      throw failed(e);
    }
    view.endMove();
  }

  @Override
  public void seekForPrev(byte[] key) {
    Objects.requireNonNull(key, "key");
    beginSeek();
    try {
      cursor.seekForPrev(key);
    } catch (RuntimeException | Error e) {
      throw failed(e);
    }
    view.endMove();
  }

  @Override
  public void seekForPrev(ByteBuffer key) {
    Objects.requireNonNull(key, "key");
    beginSeek();
    try {
      cursor.seekForPrev(key);
    } catch (RuntimeException | Error e) {
      throw failed(e);
    }
    view.endMove();
  }

  @Override
  public void next() {
    beginMove();
    try {
      checkValid();
      cursor.next();
    } catch (RuntimeException | Error e) {
      throw failed(e);
    }
    view.endMove();
  }

  @Override
  public void prev() {
    beginMove();
    try {
      checkValid();
      cursor.prev();
    } catch (RuntimeException | Error e) {
      throw failed(e);
    }
    view.endMove();
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
    return copy(cursor.valueBuffer(), cursor.valueOffset(), cursor.valueLength());
  }

  private byte[] copy(ByteBuffer buffer, int offset, int length) {
    try {
      byte[] copy = new byte[length];
      buffer.get(offset, copy);
      return copy;
    } finally {
      view.checkOpen();
    }
  }

  @Override
  public Slice keySlice() {
    view.checkOpen();
    checkValid();
    borrowed = true;
    BufferSlice slice = view.keySlice();
    slice.point(cursor.keyBuffer(), cursor.keyOffset(), cursor.keyLength());
    checkOpenAfterPointing();
    return slice;
  }

  @Override
  public Slice valueSlice() {
    view.checkOpen();
    checkValid();
    borrowed = true;
    BufferSlice slice = view.valueSlice();
    slice.point(cursor.valueBuffer(), cursor.valueOffset(), cursor.valueLength());
    checkOpenAfterPointing();
    return slice;
  }

  private void checkOpenAfterPointing() {
    if (!view.isOpen()) {
      view.revokeSlices();
      view.checkOpen();
    }
  }

  @Override
  public void close() {
    if (view.close()) {
      open.remove(this);
    }
  }

  /** Ends the cursor because the database closes. Any thread. */
  void revoke() {
    view.revoke();
  }

  private void beginMove() {
    view.beginMove();
    if (borrowed) {
      borrowed = false;
      view.revokeSlices();
    }
  }

  private void beginSeek() {
    beginMove();
    placed = true;
  }

  /** Leaves the cursor invalid, ends the move and returns the exception to throw. */
  private RuntimeException failed(Throwable cause) {
    cursor.invalidate();
    return view.failedMove(cause);
  }

  private void checkValid() {
    if (!cursor.isValid()) {
      throw new IllegalStateException("the iterator stands on no entry: seek, and ask isValid()");
    }
  }
}
