package dev.kv.errors;

import dev.kv.change.ChangePosition;

/**
 * Thrown to a reader of changes if the changes after its position are not complete any more: the
 * retention has deleted the log, another program wrote to the database or deleted its logs, writes
 * that the reader has seen were lost, the database was repaired or restored, or a kept log is
 * damaged. The database itself works on. The reader starts again with a copy of the database, such
 * as a {@linkplain dev.kv.admin.DBInspector#checkpoint checkpoint}, and the position of the copy.
 */
public final class ChangesLostException extends DBException {
  private static final long serialVersionUID = 1L;

  private final long incarnation;
  private final long sequence;

  /**
   * Creates the exception.
   *
   * @param message what is wrong, where, and what to do
   * @param position the position after which changes are missing
   */
  public ChangesLostException(String message, ChangePosition position) {
    super(message, null);
    incarnation = position.incarnation();
    sequence = position.sequence();
  }

  /**
   * Returns the position after which changes are missing.
   *
   * @return the position
   */
  public ChangePosition position() {
    return new ChangePosition(incarnation, sequence);
  }
}
