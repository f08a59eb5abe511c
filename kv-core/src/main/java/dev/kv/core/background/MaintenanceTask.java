package dev.kv.core.background;

import dev.kv.core.event.Events;
import dev.kv.core.memory.MemoryShortage;
import dev.kv.core.read.DatabaseReader;
import dev.kv.core.state.Logs;
import dev.kv.core.state.MemTables;
import dev.kv.core.state.ObsoleteFiles;

/**
 * Does small disk work in the background so that other threads do not wait for it: reserves room in
 * the current log, prepares the next log, closes obsolete logs, releases what lost iterators pin,
 * deletes tables whose last user was a reader, and delivers events.
 */
public final class MaintenanceTask implements BackgroundWorker.Work {
  private final BackgroundThreads background;
  private final MemTables memTables;
  private final Logs logs;
  private final ObsoleteFiles obsolete;
  private final DatabaseReader reader;
  private final Events events;

  /** Creates the work of the maintenance thread. */
  public MaintenanceTask(
      BackgroundThreads background,
      MemTables memTables,
      Logs logs,
      ObsoleteFiles obsolete,
      DatabaseReader reader,
      Events events) {
    this.background = background;
    this.memTables = memTables;
    this.logs = logs;
    this.obsolete = obsolete;
    this.reader = reader;
    this.events = events;
  }

  @Override
  public boolean runOne() {
    try {
      maintain();
    } catch (RuntimeException | OutOfMemoryError e) {
      if (MemoryShortage.isCauseOf(e)) {
        throw new NothingLoggedException(e);
      }
      throw e;
    }
    return false;
  }

  private void maintain() {
    if (logs.reserveAhead() && memTables.isHalfFull()) {
      logs.prepareNext();
    }
    logs.closeRetired();
    reader.releaseCollectedIterators();
    if (background.takeVersionFreed()) {
      obsolete.collect();
    }
    events.deliver();
  }
}
