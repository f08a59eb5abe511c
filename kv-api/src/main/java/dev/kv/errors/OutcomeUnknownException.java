package dev.kv.errors;

import org.jspecify.annotations.Nullable;

/**
 * Thrown by a write, a range delete, a bulk load, an ingest or a sync if it is unknown whether the
 * write is there, or durable, when the database is opened again. That open finds all of the write
 * or nothing of it. The cause is what failed.
 *
 * <p>Until then, no read sees a write that threw this, and the database takes no more writes. If
 * only the sync failed, after {@link dev.kv.DBWriter#writeAsync} or in {@link
 * dev.kv.DBWriter#syncAsync}, the writes are visible.
 *
 * <p>To repeat such a write, open the database again, and compare what is there.
 */
public final class OutcomeUnknownException extends DBIOException {
  private static final long serialVersionUID = 1L;

  /**
   * Creates the exception with the failure that led to it.
   *
   * @param message what failed, and what is unknown
   * @param cause the failure, or null if there is none
   */
  public OutcomeUnknownException(String message, @Nullable Throwable cause) {
    super(message, cause);
  }
}
