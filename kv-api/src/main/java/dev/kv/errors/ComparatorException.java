package dev.kv.errors;

import dev.kv.bytes.DBComparator;

/**
 * Thrown by an operation during which the program's {@link DBComparator} threw; what it threw is
 * the cause.
 *
 * <p>A read may be tried again. A write is already complete in the log then, and is synced if that
 * was asked for. But it is not in the memtable, whose order depends on the comparator. No read sees
 * any part of it, and the database is read-only until it is opened again. The open applies all of
 * the write. If the comparator throws again, the open throws this exception and changes nothing.
 */
public final class ComparatorException extends DBException {
  private static final long serialVersionUID = 1L;

  /**
   * Creates the exception.
   *
   * @param message what failed
   * @param cause what the comparator threw
   */
  public ComparatorException(String message, Throwable cause) {
    super(message, cause);
  }
}
