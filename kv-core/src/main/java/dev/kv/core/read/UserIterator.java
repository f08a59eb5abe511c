package dev.kv.core.read;

import dev.kv.DBClosedException;
import dev.kv.DBIterator;
import dev.kv.Slice;
import dev.kv.core.memory.BufferSlice;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.nio.ByteBuffer;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import org.jspecify.annotations.Nullable;

/**
 * The cursor that programs get: a {@link VisibleCursor}, the view that it pins, and the end of
 * both.
 *
 * <p>Two threads meet here: the one that uses the cursor, and another that closes the database (or,
 * against the rules, uses or closes this cursor too). A move holds {@code busy}. An end sets {@code
 * ended}, which makes a move under way stop soon; waits for {@code busy} and keeps it; and only
 * then releases what the cursor pins: once, and never under a move. Reads of the entry do not hold
 * {@code busy}: they copy, and throw the copy away where the end came meanwhile; the bytes may be
 * stale then, but their memory is never unmapped.
 */
final class UserIterator implements DBIterator {
  private static final int OPEN = 0;
  private static final int CLOSED = 1;
  private static final int REVOKED = 2;

  /** A move takes microseconds; one that takes this long is stuck, or its thread has died in it. */
  private static final long MOVE_TIMEOUT_NANOS = TimeUnit.SECONDS.toNanos(5);

  private static final int SPINS = 100;
  private static final long POLL_NANOS = TimeUnit.MICROSECONDS.toNanos(20);

  private static final VarHandle BUSY = handle("busy", boolean.class);
  private static final VarHandle ENDED = handle("ended", int.class);

  private final VisibleCursor cursor;
  private final PinnedView view;
  private final OpenIterators open;
  private final BufferSlice keySlice = new BufferSlice();
  private final BufferSlice valueSlice = new BufferSlice();
  private boolean lent;
  private boolean placed;

  @SuppressWarnings("UnusedVariable") // through BUSY
  private volatile boolean busy;

  private volatile int ended;

  // Guarded by the stripe of `open`.
  @Nullable UserIterator previousOpen;
  @Nullable UserIterator nextOpen;

  /**
   * Adopts {@code view}, which the cursor reads, and becomes a member of {@code open} by its
   * caller.
   */
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
    checkOpen();
    return valid;
  }

  @Override
  public boolean isPlaced() {
    checkOpen();
    return placed;
  }

  @Override
  public void seekToFirst() {
    beginSeek();
    try {
      cursor.seekToFirst();
    } catch (RuntimeException | Error e) {
      throw failedMove(e);
    } finally {
      endMove();
    }
  }

  @Override
  public void seekToLast() {
    beginSeek();
    try {
      cursor.seekToLast();
    } catch (RuntimeException | Error e) {
      throw failedMove(e);
    } finally {
      endMove();
    }
  }

  @Override
  public void seek(byte[] key) {
    beginSeek();
    try {
      cursor.seek(key);
    } catch (RuntimeException | Error e) {
      throw failedMove(e);
    } finally {
      endMove();
    }
  }

  @Override
  public void seek(ByteBuffer key) {
    beginSeek();
    try {
      cursor.seek(key);
    } catch (RuntimeException | Error e) {
      throw failedMove(e);
    } finally {
      endMove();
    }
  }

  @Override
  public void seekForPrev(byte[] key) {
    beginSeek();
    try {
      cursor.seekForPrev(key);
    } catch (RuntimeException | Error e) {
      throw failedMove(e);
    } finally {
      endMove();
    }
  }

  @Override
  public void seekForPrev(ByteBuffer key) {
    beginSeek();
    try {
      cursor.seekForPrev(key);
    } catch (RuntimeException | Error e) {
      throw failedMove(e);
    } finally {
      endMove();
    }
  }

  @Override
  public void next() {
    beginMove();
    try {
      checkValid();
      cursor.next();
    } catch (RuntimeException | Error e) {
      throw failedMove(e);
    } finally {
      endMove();
    }
  }

  @Override
  public void prev() {
    beginMove();
    try {
      checkValid();
      cursor.prev();
    } catch (RuntimeException | Error e) {
      throw failedMove(e);
    } finally {
      endMove();
    }
  }

  @Override
  public byte[] key() {
    checkOpen();
    checkValid();
    return copy(cursor.keyBuffer(), cursor.keyOffset(), cursor.keyLength());
  }

  @Override
  public byte[] value() {
    checkOpen();
    checkValid();
    return copy(cursor.valueBuffer(), cursor.valueOffset(), cursor.valueLength());
  }

  private byte[] copy(ByteBuffer buffer, int offset, int length) {
    try {
      byte[] copy = new byte[length];
      buffer.get(offset, copy);
      return copy;
    } finally {
      checkOpen();
    }
  }

  @Override
  public Slice keySlice() {
    checkOpen();
    checkValid();
    lent = true;
    keySlice.point(cursor.keyBuffer(), cursor.keyOffset(), cursor.keyLength());
    checkOpenAfterLending();
    return keySlice;
  }

  @Override
  public Slice valueSlice() {
    checkOpen();
    checkValid();
    lent = true;
    valueSlice.point(cursor.valueBuffer(), cursor.valueOffset(), cursor.valueLength());
    checkOpenAfterLending();
    return valueSlice;
  }

  @Override
  public void close() {
    if (end(CLOSED)) {
      open.remove(this);
    }
  }

  /** Ends the cursor because the database closes. Any thread. */
  void revoke() {
    end(REVOKED);
  }

  /** Returns true for the one call that ended the cursor. */
  private boolean end(int how) {
    if (!ENDED.compareAndSet(this, OPEN, how)) {
      return false;
    }
    cursor.stop();
    awaitMove();
    revokeSlices();
    view.close();
    return true;
  }

  private void awaitMove() {
    long start = System.nanoTime();
    for (int i = 0; !BUSY.compareAndSet(this, false, true); i++) {
      if (i < SPINS) {
        Thread.onSpinWait();
      } else if (System.nanoTime() - start > MOVE_TIMEOUT_NANOS) {
        return; // what is released under the move is safe to read, if not right
      } else {
        LockSupport.parkNanos(this, POLL_NANOS);
      }
    }
  }

  private void beginMove() {
    if (!BUSY.compareAndSet(this, false, true)) {
      checkOpen();
      throw new IllegalStateException("the iterator is used by two threads at once");
    }
    if (ended != OPEN) {
      endMove();
      checkOpen();
    }
    if (lent) {
      revokeSlices();
    }
  }

  private void beginSeek() {
    beginMove();
    placed = true;
  }

  private void endMove() {
    BUSY.setRelease(this, false);
  }

  private void revokeSlices() {
    lent = false;
    keySlice.revoke();
    valueSlice.revoke();
  }

  /** Leaves the cursor invalid, and returns what is to be thrown. */
  private RuntimeException failedMove(Throwable cause) {
    cursor.invalidate();
    if (ended == REVOKED) {
      return new DBClosedException("the database was closed during a move of the iterator", cause);
    }
    if (cause instanceof Error error) {
      throw error;
    }
    return (RuntimeException) cause;
  }

  private void checkValid() {
    if (!cursor.isValid()) {
      throw new IllegalStateException("the iterator stands on no entry: seek, and ask isValid()");
    }
  }

  /** Throws if the cursor has ended; what was read before this call is good otherwise. */
  private void checkOpen() {
    int now = ended;
    if (now == REVOKED) {
      throw new DBClosedException("the iterator's database is closed");
    }
    if (now == CLOSED) {
      throw new IllegalStateException("the iterator is closed");
    }
  }

  private void checkOpenAfterLending() {
    if (ended != OPEN) {
      revokeSlices();
      checkOpen();
    }
  }

  private static VarHandle handle(String field, Class<?> type) {
    try {
      return MethodHandles.lookup().findVarHandle(UserIterator.class, field, type);
    } catch (ReflectiveOperationException e) {
      throw new ExceptionInInitializerError(e);
    }
  }
}
