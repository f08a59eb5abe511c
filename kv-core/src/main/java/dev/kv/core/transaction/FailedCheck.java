package dev.kv.core.transaction;

import dev.kv.errors.DBIOException;
import java.util.function.BooleanSupplier;

/** Says of a check that could not read a table that the write was not done. */
final class FailedCheck {
  private FailedCheck() {}

  /** Runs the part of a check that may read tables. */
  static boolean run(BooleanSupplier check) {
    try {
      return check.getAsBoolean();
    } catch (DBIOException e) {
      throw new DBIOException(
          "the condition of the write cannot be checked: the write was not done and may be tried"
              + " again: "
              + e.getMessage(),
          e);
    }
  }
}
