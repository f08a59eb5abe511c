package dev.kv.event;

/**
 * Something that happened in a database. Immutable. Times are in microseconds, sizes in bytes.
 *
 * <p>Later versions may add types and record components.
 */
public sealed interface DBEvent
    permits OpenEvent,
        CloseEvent,
        FlushEvent,
        CompactionEvent,
        StallEvent,
        SyncEvent,
        DamageEvent,
        TableDeletedEvent,
        FailureEvent {
  /**
   * Returns the directory of the database.
   *
   * @return the directory, as it was given to the open
   */
  String database();
}
