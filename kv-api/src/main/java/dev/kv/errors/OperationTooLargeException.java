package dev.kv.errors;

/**
 * Thrown by an operation that would exceed a limit of bytes: one of a {@link dev.kv.Transaction}
 * that would make it larger than {@link dev.kv.TransactionOptions#maxBytes}, and a range delete
 * whose tombstones do not fit into one batch, in a database with log retention. The operation has
 * no effect. Commit or delete less at once, or raise the limit of the transaction.
 */
public final class OperationTooLargeException extends DBException {
  private static final long serialVersionUID = 1L;

  /**
   * Creates the exception.
   *
   * @param message what is wrong, where, and what to do
   */
  public OperationTooLargeException(String message) {
    super(message, null);
  }
}
