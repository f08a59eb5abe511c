package dev.kv.core.write;

import dev.kv.DBClosedException;
import dev.kv.DBReadOnlyException;
import dev.kv.core.logging.EngineLogger;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;

/**
 * The one place that says whether a database takes writes: it is open, failed, closing, or both of
 * the latter. Created before all other parts of an open database; every part that can fail reports
 * to it, and every part that may have to stop asks it. Thread-safe.
 *
 * <p>Invariants: 1. a state never goes back; 2. the first failure is kept; 3. a caller of {@link
 * #fail} that hears of the failure, or any thread that a listener wakes, finds the gate shut.
 */
public final class WriteGate {
  private static final Logger LOG = EngineLogger.of(WriteGate.class);
  private static final State OPEN = new State(false, null);

  private final String database;
  private final List<Runnable> listeners = new CopyOnWriteArrayList<>();

  /** Written under this object's monitor, read by anyone. */
  private volatile State state = OPEN;

  /** The state, replaced as a whole. */
  private record State(boolean closing, @Nullable Throwable failure) {
    boolean isOpen() {
      return !closing && failure == null;
    }
  }

  /**
   * Creates an open gate.
   *
   * @param database the database's directory, for messages
   */
  public WriteGate(String database) {
    this.database = database;
  }

  /**
   * Adds a listener that is called after each change, by the thread that made it: it must be quick,
   * must not throw, and wakes those who wait and have to check the gate again.
   */
  public void onChange(Runnable listener) {
    listeners.add(listener);
  }

  /** Returns true if writes are let through. */
  public boolean isOpen() {
    return state.isOpen();
  }

  /** Returns true once the close has begun. */
  public boolean isClosing() {
    return state.closing();
  }

  /** Returns true once something has failed. */
  public boolean isFailed() {
    return state.failure() != null;
  }

  /** Returns the first failure, or null. */
  public @Nullable Throwable failure() {
    return state.failure();
  }

  /**
   * Checks that work may begin or go on.
   *
   * @throws DBClosedException if the close has begun
   * @throws DBReadOnlyException if something has failed, with the first failure as its cause
   */
  public void check() {
    State now = state;
    if (!now.isOpen()) {
      throw now.closing()
          ? new DBClosedException("the database was closed")
          : readOnly(now.failure(), "");
    }
  }

  /**
   * Checks that the close has not begun.
   *
   * @throws DBClosedException if it has
   */
  public void checkNotClosing() {
    if (isClosing()) {
      throw new DBClosedException("the database was closed");
    }
  }

  /** As {@link #check}, for a write that has not been logged yet. */
  void checkWrite() {
    State now = state;
    if (!now.isOpen()) {
      throw now.closing()
          ? new DBClosedException("the database is closed: the write was not done")
          : readOnly(now.failure(), ": the write was not done");
    }
  }

  private DBReadOnlyException readOnly(@Nullable Throwable failure, String outcome) {
    return new DBReadOnlyException(
        "the database in "
            + database
            + " has been read-only since an earlier failure, given as the cause"
            + outcome
            + "; close it and open it again",
        failure);
  }

  /**
   * Shuts the gate because of a failure after which nobody knows what is on disk. Writes and waits
   * throw from now on, until the database is opened again; reads go on.
   *
   * @param during what failed, for the log
   */
  public void fail(String during, Throwable cause) {
    boolean first;
    synchronized (this) {
      first = state.failure() == null;
      if (first) {
        state = new State(state.closing(), cause);
      }
    }
    listeners.forEach(Runnable::run);
    if (first) {
      LOG.error("{}: {} failed, the database is read-only from now on", database, during, cause);
    } else {
      LOG.warn("{}: {} failed too: {}", database, during, cause.toString());
    }
  }

  /**
   * Shuts the gate for the close.
   *
   * @return true for the first call
   */
  public boolean beginClose() {
    boolean first;
    synchronized (this) {
      first = !state.closing();
      state = new State(true, state.failure());
    }
    listeners.forEach(Runnable::run);
    return first;
  }
}
