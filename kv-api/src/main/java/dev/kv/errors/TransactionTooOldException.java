package dev.kv.errors;

/**
 * Thrown by an operation of a {@link dev.kv.Transaction} that is older than {@link
 * dev.kv.TransactionOptions#maxAge}. The transaction has ended, and nothing was written. Do less in
 * one transaction, or raise the limit.
 */
public final class TransactionTooOldException extends DBException {
  private static final long serialVersionUID = 1L;

  /**
   * Creates the exception.
   *
   * @param message what is wrong, where, and what to do
   */
  public TransactionTooOldException(String message) {
    super(message, null);
  }
}
