package dev.kv;

import org.jspecify.annotations.Nullable;

/**
 * Thrown when the operating system refused or failed an operation: the message names it and the
 * file.
 */
public final class DBIOException extends DBException {
  private static final long serialVersionUID = 1L;

  /** Creates the exception; {@code message} says what, where and what to do. */
  public DBIOException(String message) {
    this(message, null);
  }

  /** Creates the exception with the failure that led to it. */
  public DBIOException(String message, @Nullable Throwable cause) {
    super(message, cause);
  }
}
