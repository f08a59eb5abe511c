package dev.kv.errors;

import org.jspecify.annotations.Nullable;

/**
 * Thrown by an open, a repair or a destroy if this or another process holds the LOCK of the
 * directory, and by methods of {@link dev.kv.backup.Backups} that change backups if another one
 * works on the directory of the backups.
 */
public final class DBLockedException extends DBException {
  private static final long serialVersionUID = 1L;

  /**
   * Creates the exception.
   *
   * @param message what is wrong, where, and what to do
   */
  public DBLockedException(String message) {
    this(message, null);
  }

  /**
   * Creates the exception with the failure that led to it.
   *
   * @param message what is wrong, where, and what to do
   * @param cause the failure, or null if there is none
   */
  public DBLockedException(String message, @Nullable Throwable cause) {
    super(message, cause);
  }
}
