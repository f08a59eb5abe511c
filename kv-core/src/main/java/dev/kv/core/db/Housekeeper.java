package dev.kv.core.db;

/**
 * Small work that keeps others from waiting for the disk: room ahead in the log, the next log, the
 * closing of logs that are done with, and the deletion of files that a reader was the last to hold.
 */
final class Housekeeper implements BackgroundWorker.Work {
  private final Background background;
  private final WriteState writeState;
  private final LogFiles logs;
  private final ObsoleteFiles obsolete;

  Housekeeper(Background background, WriteState writeState, LogFiles logs, ObsoleteFiles obsolete) {
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
