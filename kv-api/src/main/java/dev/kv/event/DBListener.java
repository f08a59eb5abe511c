package dev.kv.event;

/**
 * Receives the events of databases. Set by {@link dev.kv.Options.Monitoring#listener()}.
 *
 * <p>The database calls the listener on one of its own threads, shortly after the event, with none
 * of its locks held. For one database the calls do not overlap, and are in the order of the events.
 * The events of the open are delivered before the open returns, those of the close before the close
 * returns, both in the calling thread. A read-only database has no threads of its own: all its
 * events are delivered by the call that they happen in. A listener of several databases is called
 * for each of them independently, so it must be thread-safe.
 *
 * <p>An exception that the listener throws is logged as a warning, and has no other effect. A
 * listener should return quickly: while it runs, the maintenance of the database waits, and that of
 * all databases with the same shared resources, but no write, flush or compaction, and no read of a
 * database that is open for writes. At most {@value #MAX_WAITING} events wait for it; later ones
 * are dropped, and a warning in the log tells how many. The listener may read and write the
 * database. It must not close it, and must not call {@link System#exit} if a shutdown hook closes
 * it: the exit waits for the hook, and the close for the listener. Exit from another thread.
 */
@FunctionalInterface
public interface DBListener {
  /** The maximum number of events that wait for a listener. */
  int MAX_WAITING = 1024;

  /**
   * Receives an event.
   *
   * @param event the event, immutable. Later versions may have events of other types: ignore those
   *     that you do not know
   */
  void onEvent(DBEvent event);
}
