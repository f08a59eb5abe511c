package dev.kv.core.iterator;

import com.google.errorprone.annotations.CanIgnoreReturnValue;
import dev.kv.core.env.CloseAll;
import dev.kv.core.memory.FieldHandles;
import dev.kv.errors.DBClosedException;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import org.jspecify.annotations.Nullable;

/**
 * Protects the moves of a program's cursor against a concurrent close, and releases the pins of the
 * cursor once, never during a move.
 *
 * <p>Two threads meet here: the one that uses the cursor, and another one that closes the database
 * (or, against the rules, uses or closes the same cursor). Neither waits for the other.
 *
 * <pre>
 *  1. A move sets `busy` from false to true when it begins, by a compare-and-set, and writes false
 *     when it ends.
 *  2. An end writes `ended`, and then claims: it sets `busy` from false to true. The thread that
 *     succeeds releases the pins, and leaves `busy` true. So the pins are released once, and no
 *     move runs then or later.
 *  3. If a move is running, the claim fails. The move writes false to `busy`, then reads `ended`,
 *     and claims in turn.
 *  4. The write of 3 is a release write, which other threads may see after the read that follows
 *     it. A full fence would prevent that, and every step of a cursor would pay for it. So it can
 *     happen that the end finds `busy` true, and that the move reads `ended` as not set. Then the
 *     pins are released later: every later call on the cursor reads `ended` and claims; so does the
 *     second pass over the cursors of a database that closes; and if the cursor is never used
 *     again, so does the close that follows its garbage collection.
 * </pre>
 *
 * <p>Reads of the entry do not hold {@code busy}. They copy, and then call {@link
 * #checkOpenAfterCopy}, which throws if the copy may be stale. Stale memory is safe to read: it is
 * recycled, never unmapped.
 */
public abstract class CursorGuard {
  private static final int OPEN = 0;
  private static final int CLOSED = 1;
  private static final int REVOKED = 2;

  private static final VarHandle BUSY =
      FieldHandles.of(MethodHandles.lookup(), "busy", boolean.class);
  private static final VarHandle ENDED =
      FieldHandles.of(MethodHandles.lookup(), "ended", int.class);

  @SuppressWarnings("UnusedVariable") // through BUSY
  private volatile boolean busy;

  private volatile int ended;

  /** Creates the guard of an open cursor. */
  protected CursorGuard() {}

  /** Makes a running move end soon. Called by any thread, before {@link #release}. */
  protected void stop() {}

  /** Releases what the cursor pins. Called once, by any thread, while no move runs. */
  protected abstract void release();

  /**
   * Begins a move.
   *
   * @throws DBClosedException if the database is closed
   * @throws IllegalStateException if the cursor is closed, or if another thread moves it
   */
  public final void beginMove() {
    if (!BUSY.compareAndSet(this, false, true)) {
      checkOpen();
      throw new IllegalStateException("the iterator is used by two threads at once");
    }
  }

  /**
   * Ends a move that succeeded.
   *
   * @throws DBClosedException if the database was closed during the move
   * @throws IllegalStateException if the cursor was closed during the move
   */
  public final void endMove() {
    BUSY.setRelease(this, false);
    int now = ended;
    if (now != OPEN) {
      claim();
      throw now == REVOKED ? closedDuringMove(null) : closed();
    }
  }

  /** Ends a move that is not completed. Throws nothing if the cursor was closed meanwhile. */
  public final void abandonMove() {
    BUSY.setRelease(this, false);
    if (ended != OPEN) {
      claim();
    }
  }

  /**
   * Ends a move that threw an exception.
   *
   * @param cause what the move threw; code of the program that it called may throw anything, even
   *     checked exceptions if it is written in another language
   * @return the exception to throw: {@code cause}, or a {@link DBClosedException} if the database
   *     was closed during the move
   */
  public final RuntimeException failedMove(Throwable cause) {
    BUSY.setRelease(this, false);
    int now = ended;
    if (now != OPEN) {
      claim();
      if (now == REVOKED) {
        return closedDuringMove(cause);
      }
    }
    return CloseAll.unchecked(cause);
  }

  /**
   * Checks that the cursor has not ended. What was read before this call is valid if it returns.
   *
   * @throws DBClosedException if the database is closed
   * @throws IllegalStateException if the cursor is closed
   */
  public final void checkOpen() {
    int now = ended;
    if (now != OPEN) {
      claim();
      throw now == REVOKED ? new DBClosedException("the iterator's database is closed") : closed();
    }
  }

  /**
   * Checks that the cursor had not ended when bytes of its entry were copied. They are loaded
   * before this check, also by a processor that changes the order of loads.
   *
   * @throws DBClosedException if the database is closed
   * @throws IllegalStateException if the cursor is closed
   */
  public final void checkOpenAfterCopy() {
    VarHandle.acquireFence();
    checkOpen();
  }

  /** Returns true if the cursor has not ended. */
  public final boolean isOpen() {
    return ended == OPEN;
  }

  /**
   * Ends the cursor for its user. The pins are released by this call, or by the move under way when
   * it ends.
   *
   * @return true for the call that ended the cursor
   */
  @CanIgnoreReturnValue
  public final boolean close() {
    return end(CLOSED);
  }

  /** Ends the cursor because the database closes, in the way that {@link #close} does. */
  public final void revoke() {
    end(REVOKED);
  }

  private boolean end(int how) {
    boolean first = ENDED.compareAndSet(this, OPEN, how);
    if (first) {
      stop();
    }
    claim();
    return first;
  }

  /** Releases the pins unless a move is under way or they are released already. */
  private void claim() {
    if (BUSY.compareAndSet(this, false, true)) {
      release();
    }
  }

  private static DBClosedException closedDuringMove(@Nullable Throwable cause) {
    return new DBClosedException("the database was closed during a move of the iterator", cause);
  }

  private static IllegalStateException closed() {
    return new IllegalStateException("the iterator is closed");
  }
}
