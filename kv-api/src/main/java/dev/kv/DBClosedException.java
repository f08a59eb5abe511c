package dev.kv;

import org.jspecify.annotations.Nullable;

/** Thrown by every call on a database, iterator or snapshot whose database has been closed. */
public final class DBClosedException extends DBException {
  private static final long serialVersionUID = 1L;

  /** Creates the exception; {@code message} says what, where and what to do. */
  public DBClosedException(String message) {
    this(message, null);
  }

  /** Creates the exception with the failure that led to it. */
  public DBClosedException(String message, @Nullable Throwable cause) {
    super(message, cause);
  }
}
