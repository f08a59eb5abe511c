package dev.kv.change;

import java.time.Duration;
import org.jspecify.annotations.Nullable;

/**
 * Reads the changes of a database in the order of its writes: first those in kept logs, then new
 * ones as they are written. No group is left out or delivered twice; if that is not possible, a
 * call throws {@link dev.kv.errors.ChangesLostException}.
 *
 * <p>One thread reads. {@link #close} may be called by another thread, and ends a call that waits.
 * Several readers are independent of each other, and none of them delays writes. Programs do not
 * implement this interface: later versions may add methods.
 *
 * <pre>{@code
 * try (Changes changes = db.changes().open(position)) {
 *   while (true) {
 *     ChangeGroup group = changes.take();
 *     WriteBatch batch = WriteBatch.create();
 *     batch.append(group);
 *     copy.write(batch.put(POSITION_KEY, group.position().toByteArray()));
 *   }
 * }
 * }</pre>
 *
 * @see ChangeFeed#open(ChangePosition)
 */
public interface Changes extends AutoCloseable {
  /**
   * Returns the next group if there is one, without waiting for one.
   *
   * @return the next group, or null if there is none yet
   * @throws dev.kv.errors.ChangesLostException if the next group is not in the logs any more
   * @throws dev.kv.errors.DBClosedException if the database is closed
   * @throws dev.kv.errors.DBReadOnlyException if there is no further group, and the database has
   *     failed so that there will be none until it is opened again
   * @throws IllegalArgumentException if the position at which reading began is inside a group
   * @throws IllegalStateException if this object is closed
   */
  @Nullable ChangeGroup poll();

  /**
   * Returns the next group, and waits for it for a limited time.
   *
   * @param timeout how long to wait at most
   * @return the next group, or null if there is none within that time
   * @throws InterruptedException if the thread is interrupted while it waits; nothing is lost
   * @throws dev.kv.errors.ChangesLostException if the next group is not in the logs any more
   * @throws dev.kv.errors.DBClosedException if the database is closed, also while this waits
   * @throws dev.kv.errors.DBReadOnlyException if there is no further group, and the database has
   *     failed
   * @throws IllegalArgumentException if the position at which reading began is inside a group
   * @throws IllegalStateException if this object is closed, also while this waits
   */
  @Nullable ChangeGroup poll(Duration timeout) throws InterruptedException;

  /**
   * Returns the next group, and waits for it as long as necessary.
   *
   * @return the next group
   * @throws InterruptedException if the thread is interrupted while it waits; nothing is lost
   * @throws dev.kv.errors.ChangesLostException if the next group is not in the logs any more
   * @throws dev.kv.errors.DBClosedException if the database is closed, also while this waits
   * @throws dev.kv.errors.DBReadOnlyException if there is no further group, and the database has
   *     failed
   * @throws IllegalArgumentException if the position at which reading began is inside a group
   * @throws IllegalStateException if this object is closed, also while this waits
   */
  ChangeGroup take() throws InterruptedException;

  /**
   * Returns the position after the group that was returned last.
   *
   * @return the position; at first the one at which reading began
   */
  ChangePosition position();

  /** Closes the reader. Closing it twice does nothing. */
  @Override
  void close();
}
