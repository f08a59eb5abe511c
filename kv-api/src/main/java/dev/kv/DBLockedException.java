package dev.kv;

import org.jspecify.annotations.Nullable;

/**
 * Thrown by an open, a repair or a destroy when the directory's LOCK is held by this or another
 * process.
 */
public final class DBLockedException extends DBException {
  private static final long serialVersionUID = 1L;

  /** Creates the exception; {@code message} says what, where and what to do. */
  public DBLockedException(String message) {
    this(message, null);
  }

  /** Creates the exception with the failure that led to it. */
  public DBLockedException(String message, @Nullable Throwable cause) {
    super(message, cause);
  }
}
