package dev.kv.event;

/**
 * Something that happened in a database. Immutable. Times are in microseconds, sizes in bytes.
 *
 * <p>Later versions may add events and record components: a {@code switch} over events needs a
 * default branch. Programs do not implement this interface.
 */
public interface DBEvent {
  /**
   * Returns the directory of the database.
   *
   * @return the directory, as it was given to the open
   */
  String database();
}
