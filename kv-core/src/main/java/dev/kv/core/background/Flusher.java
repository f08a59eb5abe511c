package dev.kv.core.background;

import dev.kv.core.compaction.FlushResult;
import dev.kv.core.compaction.RunningJobs;
import dev.kv.core.manifest.VersionChange;
import dev.kv.core.manifest.VersionSet;
import dev.kv.core.state.Monitor;
import dev.kv.core.state.WriteState;
import dev.kv.core.version.FileMetadata;
import dev.kv.core.version.OccupiedRange;
import dev.kv.core.version.Version;
import dev.kv.core.version.VersionEdit;
import dev.kv.core.write.WriteGate;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Writes immutable memtables to tables, the oldest first, and installs them. */
public final class Flusher implements BackgroundWorker.Work {
  private static final Logger LOG = LoggerFactory.getLogger(Flusher.class);

  private final Monitor monitor;
  private final WriteGate gate;
  private final VersionSet versions;
  private final WriteState writeState;
  private final RunningJobs running;
  private final Jobs jobs;

  /** Creates the work of the flush thread. */
  public Flusher(
      Monitor monitor,
      WriteGate gate,
      VersionSet versions,
      WriteState writeState,
      RunningJobs running,
      Jobs jobs) {
    this.monitor = monitor;
    this.gate = gate;
    this.versions = versions;
    this.writeState = writeState;
    this.running = running;
    this.jobs = jobs;
  }

  @Override
  public boolean runOne() {
    WriteState.Immutable oldest = writeState.oldestImmutable();
    if (oldest == null || !gate.isOpen()) {
      return false;
    }
    jobs.flush(oldest.memtable(), result -> install(oldest, result));
    writeState.retireLog(oldest);
    jobs.installed();
    return true;
  }

  private void install(WriteState.Immutable flushed, FlushResult result) {
    Install step = new Install(flushed, result);
    boolean done = false;
    try {
      versions.logAndApply(step);
      done = true;
    } finally {
      if (!done) {
        step.vacate();
      }
    }
    FileMetadata table = result.table();
    LOG.info(
        "{}: flushed {} entries into {} at level {} in {} ms",
        jobs.directory(),
        result.stats().entriesWritten(),
        table,
        step.level,
        result.stats().micros() / 1000);
    monitor.signalAll();
  }

  /** The step that puts the table into its level and lets go of the memtable. */
  private final class Install implements VersionChange {
    private final WriteState.Immutable flushed;
    private final FlushResult result;
    private @Nullable OccupiedRange occupied;
    private int level;

    Install(WriteState.Immutable flushed, FlushResult result) {
      this.flushed = flushed;
      this.result = result;
    }

    @Override
    public VersionEdit prepare(Version current) {
      versions.setLastSequence(Math.max(versions.lastSequence(), result.lastSequence()));
      VersionEdit.Builder edit = VersionEdit.builder();
      monitor.lock();
      try {
        edit.logNumber(writeState.oldestLogWithout(flushed)).previousLogNumber(0);
        FileMetadata table = result.table();
        if (table != null) {
          level = result.pickLevel(current, running, jobs.maxFileSize());
          if (level > 0) {
            occupied = running.occupy(level, result.keys());
          }
          edit.addFile(level, table);
        }
        return edit.build();
      } finally {
        monitor.unlock();
      }
    }

    @Override
    public void install(Version next) {
      monitor.lock();
      try {
        vacate();
        jobs.spent(level, result.stats());
        writeState.removeFlushed(flushed);
      } finally {
        monitor.unlock();
      }
    }

    void vacate() {
      monitor.lock();
      try {
        OccupiedRange range = occupied;
        occupied = null;
        if (range != null) {
          running.vacate(range);
        }
      } finally {
        monitor.unlock();
      }
    }
  }
}
