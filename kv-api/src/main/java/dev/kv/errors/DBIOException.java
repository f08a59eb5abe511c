package dev.kv.errors;

import org.jspecify.annotations.Nullable;

/**
 * Thrown if the operating system refuses an operation or an operation fails. The message contains
 * the operation and the file. A write that throws this was not done, unless the exception is an
 * {@link OutcomeUnknownException}.
 */
public class DBIOException extends DBException {
  private static final long serialVersionUID = 1L;

  /**
   * Creates the exception.
   *
   * @param message what is wrong, where, and what to do
   */
  public DBIOException(String message) {
    this(message, null);
  }

  /**
   * Creates the exception with the failure that led to it.
   *
   * @param message what is wrong, where, and what to do
   * @param cause the failure, or null if there is none
   */
  public DBIOException(String message, @Nullable Throwable cause) {
    super(message, cause);
  }
}
