package dev.kv.change;

/**
 * Writes that a database committed together: one batch, or several writes of different threads that
 * were committed as one. A batch is never divided over two groups. Immutable and thread-safe; it
 * stays valid after the close of the {@link Changes} and of the database. Programs do not implement
 * this interface: later versions may add methods.
 */
public interface ChangeGroup {
  /**
   * Returns the position after this group.
   *
   * @return the position at which a follower that has applied this group continues
   */
  ChangePosition position();

  /**
   * Returns the number of operations.
   *
   * @return the number of puts and deletes, at least 1
   */
  int count();

  /**
   * Returns the size of the group in the log.
   *
   * @return the size in bytes
   */
  long size();

  /**
   * Passes every operation to a handler, in the order of the writes.
   *
   * @param handler receives the operations; an exception that it throws is passed on to the caller
   */
  void iterate(OperationHandler handler);
}
