package dev.kv.errors;

import org.jspecify.annotations.Nullable;

/**
 * Thrown by a write, and by a call that waits for writes or for work in the background, such as
 * {@link dev.kv.change.Changes#poll}, {@link dev.kv.admin.DBInspector#checkpoint} or {@link
 * dev.kv.admin.DBAdmin#waitForCompactions}, if an earlier failure has made the database read-only.
 * That failure is the cause. Reads still work. If {@link #isResumable} returns true, {@link
 * dev.kv.admin.DBAdmin#resume} can end this state; otherwise only a new open can.
 */
public final class DBReadOnlyException extends DBException {
  private static final long serialVersionUID = 1L;

  private final boolean resumable;

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
    this(message, cause, false);
  }

  /**
   * Creates the exception with the failure that led to it.
   *
   * @param message what is wrong, where, and what to do
   * @param cause the failure, or null if there is none
   * @param resumable true if {@link dev.kv.admin.DBAdmin#resume} can make the database writable
   *     again
   */
  public DBReadOnlyException(String message, @Nullable Throwable cause, boolean resumable) {
    super(message, cause);
    this.resumable = resumable;
  }

  /**
   * Returns true if {@link dev.kv.admin.DBAdmin#resume} can make the database writable again.
   *
   * @return false if the database must be opened again
   */
  public boolean isResumable() {
    return resumable;
  }
}
