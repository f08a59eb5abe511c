package dev.kv.core.write;

import dev.kv.DBClosedException;
import dev.kv.DBReadOnlyException;
import java.util.concurrent.atomic.AtomicReference;
import org.jspecify.annotations.Nullable;

/**
 * Whether writes are let through. It shuts once, for a failure or for the close, and stays shut;
 * every leader and every wait asks it.
 */
final class WriteGate {
  private final AtomicReference<@Nullable Throwable> failure = new AtomicReference<>();
  private volatile boolean closed;

  /** Throws where the gate is shut. */
  void check() {
    if (closed) {
      throw new DBClosedException("the database is closed: the write was not done");
    }
    Throwable cause = failure.get();
    if (cause != null) {
      throw new DBReadOnlyException(
          "the database has been read-only since an earlier failure, given as the cause: the write was"
              + " not done; close the database and open it again",
          cause);
    }
  }

  /** Shuts for a failure; the first one is kept. */
  void fail(Throwable cause) {
    failure.compareAndSet(null, cause);
  }

  /** Shuts for the close. */
  void close() {
    closed = true;
  }

  boolean isOpen() {
    return !closed && failure.get() == null;
  }

  @Nullable Throwable failure() {
    return failure.get();
  }
}
