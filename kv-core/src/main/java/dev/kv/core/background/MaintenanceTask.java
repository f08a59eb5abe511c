package dev.kv.core.background;

import dev.kv.core.state.LogFiles;
import dev.kv.core.state.ObsoleteFiles;
import dev.kv.core.state.WriteState;

/**
 * Small work that keeps other threads from waiting for the disk: reserves room ahead in the log,
 * prepares the next log, closes obsolete logs, and deletes files that a reader was the last to use.
 */
public final class MaintenanceTask implements BackgroundWorker.Work {
  private final BackgroundThreads background;
  private final WriteState writeState;
  private final LogFiles logs;
  private final ObsoleteFiles obsolete;

  /** Creates the work of the maintenance thread. */
  public MaintenanceTask(
      BackgroundThreads background, WriteState writeState, LogFiles logs, ObsoleteFiles obsolete) {
    this.background = background;
    this.writeState = writeState;
    this.logs = logs;
    this.obsolete = obsolete;
  }

  @Override
  public boolean runOne() {
    writeState.doLogWork();
    logs.closeRetired();
    if (background.takeVersionFreed()) {
      obsolete.collect();
    }
    return false;
  }
}
