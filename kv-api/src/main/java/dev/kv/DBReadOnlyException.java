package dev.kv;

import org.jspecify.annotations.Nullable;

/**
 * Thrown by a write to a database that was opened read-only, or that an earlier failure, given as
 * the cause, has made read-only until it is opened again. Reads go on.
 */
public final class DBReadOnlyException extends DBException {
  private static final long serialVersionUID = 1L;

  /** Creates the exception; {@code message} says what, where and what to do. */
  public DBReadOnlyException(String message) {
    this(message, null);
  }

  /** Creates the exception with the failure that led to it. */
  public DBReadOnlyException(String message, @Nullable Throwable cause) {
    super(message, cause);
  }
}
