package dev.kv.change;

/**
 * The changes of a {@link dev.kv.DB} in the order of their commits; see {@link dev.kv.DB#changes}.
 * Thread-safe. The database keeps its logs for it as long as {@link dev.kv.Options#logRetention}
 * says. Programs do not implement this interface: later versions may add methods.
 */
public interface ChangeFeed {
  /**
   * Reads the durable changes after a position. See {@link #open(ChangeOptions, ChangePosition)}.
   *
   * @param after the position, which was read from this database earlier
   * @return a reader, which the caller closes
   */
  default Changes open(ChangePosition after) {
    return open(ChangeOptions.DEFAULT, after);
  }

  /**
   * Reads the changes after a position: every group of writes that was committed since, in order,
   * and then new ones. The logs of the database are read, as far as {@link
   * dev.kv.Options#logRetention} keeps them.
   *
   * @param options which groups are delivered
   * @param after the position, which was read from this database earlier, also before it was opened
   *     this time
   * @return a reader, which the caller closes
   * @throws dev.kv.errors.ChangesLostException if the changes after the position are not complete
   *     any more
   * @throws IllegalStateException if the database was opened without {@link
   *     dev.kv.Options#logRetention}
   * @throws IllegalArgumentException if the position lies after the last write. If it lies inside a
   *     group, the first call that reads a group throws this exception
   */
  Changes open(ChangeOptions options, ChangePosition after);

  /**
   * Returns the position after the last durable write. A copy of the database that is read after
   * this call contains all changes before the position, and perhaps later ones, which can be
   * applied again.
   *
   * @return the position
   * @throws IllegalStateException if the database was opened without {@link
   *     dev.kv.Options#logRetention}
   */
  ChangePosition position();

  /**
   * Returns the position before the oldest change that can still be read. A flush after this call,
   * or one that ends at the same time, can delete that change, if the retention asks for it: {@link
   * #open} then throws {@link dev.kv.errors.ChangesLostException}, and the caller asks for the
   * oldest position again.
   *
   * @return the position
   * @throws IllegalStateException if the database was opened without {@link
   *     dev.kv.Options#logRetention}
   */
  ChangePosition oldestPosition();
}
