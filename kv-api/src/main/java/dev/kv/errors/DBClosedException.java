package dev.kv.errors;

import org.jspecify.annotations.Nullable;

/**
 * Thrown by a call on a database, or on an iterator or a snapshot of it, after the database has
 * been closed.
 */
public final class DBClosedException extends DBException {
  private static final long serialVersionUID = 1L;

  /**
   * Creates the exception.
   *
   * @param message what is wrong, where, and what to do
   */
  public DBClosedException(String message) {
    this(message, null);
  }

  /**
   * Creates the exception with the failure that led to it.
   *
   * @param message what is wrong, where, and what to do
   * @param cause the failure, or null if there is none
   */
  public DBClosedException(String message, @Nullable Throwable cause) {
    super(message, cause);
  }
}
