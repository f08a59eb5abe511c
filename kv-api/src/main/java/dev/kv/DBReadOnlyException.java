package dev.kv;

import org.jspecify.annotations.Nullable;

/**
 * Thrown by a write if the database was opened read-only, or if an earlier failure has made it
 * read-only. That failure is the cause, and the database stays read-only until it is opened again.
 * Reads still work.
 */
public final class DBReadOnlyException extends DBException {
  private static final long serialVersionUID = 1L;

  /**
   * Creates the exception.
   *
   * @param message what is wrong, where, and what to do
   */
  public DBReadOnlyException(String message) {
    this(message, null);
  }

  /**
   * Creates the exception with the failure that led to it.
   *
   * @param message what is wrong, where, and what to do
   * @param cause the failure, or null if there is none
   */
  public DBReadOnlyException(String message, @Nullable Throwable cause) {
    super(message, cause);
  }
}
