package dev.kv.core.background;

import dev.kv.CorruptionException;
import dev.kv.core.compaction.Compaction;
import dev.kv.core.compaction.CompactionPicker;
import dev.kv.core.compaction.CompactionResult;
import dev.kv.core.compaction.RunningJobs;
import dev.kv.core.manifest.VersionChange;
import dev.kv.core.manifest.VersionSet;
import dev.kv.core.state.Monitor;
import dev.kv.core.state.WriteState;
import dev.kv.core.version.FileMetadata;
import dev.kv.core.version.Levels;
import dev.kv.core.version.Version;
import dev.kv.core.version.VersionEdit;
import dev.kv.core.write.WriteGate;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Picks, runs and installs compactions, on as many threads as may run at once; what users asked for
 * goes first. A compaction is picked with the monitor held, runs without it, and is installed as a
 * step of the version set.
 */
public final class Compactor implements BackgroundWorker.Work {
  private static final Logger LOG = LoggerFactory.getLogger(Compactor.class);

  private final Monitor monitor;
  private final WriteGate gate;
  private final VersionSet versions;
  private final WriteState writeState;
  private final Jobs jobs;
  private final CompactionPicker picker;
  private final ManualCompactions manual;
  private final String directory;

  // Guarded by the monitor.
  private final RunningJobs running;
  private int suspensions;

  /** Creates the work of the compaction threads. */
  public Compactor(
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
    this.picker = jobs.picker();
    this.manual = new ManualCompactions(monitor, picker);
    this.directory = jobs.directory();
  }

  /** A compaction to run, and the step of a request that it is, if any. Its version is held. */
  private record Picked(Compaction compaction, ManualCompactions.@Nullable Step step) {}

  @Override
  public boolean runOne() {
    Picked picked = pickAndStart();
    if (picked == null) {
      return false;
    }
    boolean installed = false;
    try {
      installed = run(picked);
    } finally {
      end(picked, installed);
      picked.compaction().version().release();
    }
    jobs.installed();
    return true;
  }

  /** Returns whether there is a compaction to run. */
  public boolean isDue() {
    monitor.lock();
    try {
      return picker.isDue(versions.current(), running);
    } finally {
      monitor.unlock();
    }
  }

  private @Nullable Picked pickAndStart() {
    monitor.lock();
    try {
      if (!gate.isOpen() || suspensions > 0) {
        return null;
      }
      Version version = versions.acquireCurrent();
      Picked picked = null;
      try {
        picked = pick(version);
        if (picked != null) {
          running.start(picked.compaction());
        } else {
          freeWritersIfStuck(version);
        }
      } finally {
        if (picked == null) {
          version.release();
        }
      }
      return picked;
    } finally {
      monitor.unlock();
    }
  }

  private @Nullable Picked pick(Version version) {
    ManualCompactions.Step step = manual.next(version, running);
    if (step != null) {
      if (step.pick().blocked()) {
        return null;
      }
      manual.start(step);
      return new Picked(ManualCompactions.compaction(step), step);
    }
    Compaction due = picker.pick(version, running, versions.compactPointers());
    return due == null ? null : new Picked(due, null);
  }

  /** Runs and installs a compaction; returns false where it was given up. */
  private boolean run(Picked picked) {
    Compaction compaction = picked.compaction();
    if (compaction.isTrivialMove()) {
      versions.logAndApply(new Install(compaction.trivialMoveEdit()));
      LOG.info(
          "{}: moved {} from level {} to {}",
          directory,
          compaction.inputs().get(0),
          compaction.level(),
          compaction.outputLevel());
      return true;
    }
    CompactionResult result =
        jobs.compact(
            compaction,
            edit -> versions.logAndApply(new Install(edit)),
            (tables, e) -> setAside(picked, tables, e));
    if (result == null) {
      return false;
    }
    LOG.info(
        "{}: compacted {} tables of level {} and {} of level {} into {}, {} bytes into {} in {} ms ({})",
        directory,
        compaction.inputs().size(),
        compaction.level(),
        compaction.nextLevelInputs().size(),
        compaction.outputLevel(),
        result.outputs().size(),
        result.stats().bytesRead(),
        result.stats().bytesWritten(),
        result.stats().micros() / 1000,
        compaction.reason());
    return true;
  }

  /**
   * Leaves damaged tables where they are. To drop what cannot be read would show what it hides; so
   * reads of it throw, everything else goes on, and who asked for the compaction is told.
   */
  private void setAside(Picked picked, List<FileMetadata> tables, CorruptionException damage) {
    LOG.error(
        "{}: a compaction was given up, and {} is not compacted until the database is opened again: {};"
            + " a repair saves what can be read",
        directory,
        tables,
        damage.getMessage());
    monitor.lock();
    try {
      running.setAside(tables);
      ManualCompactions.Step step = picked.step();
      if (step != null) {
        manual.fail(step, damage);
      }
    } finally {
      monitor.unlock();
    }
  }

  /** Where level 0 cannot shrink any more, writers would wait for ever. Requires the monitor. */
  private void freeWritersIfStuck(Version version) {
    if (running.hasSetAside()
        && running.compactions() == 0
        && version.fileCount(0) >= Levels.LEVEL_0_COMPACTION_TRIGGER) {
      writeState.waiveStalls();
      jobs.wakeWriters();
    }
  }

  /** The step that replaces a compaction's inputs by its outputs. */
  private final class Install implements VersionChange {
    private final VersionEdit edit;

    Install(VersionEdit edit) {
      this.edit = edit;
    }

    @Override
    public VersionEdit prepare(Version current) {
      return edit;
    }

    @Override
    public void install(Version next) {
      monitor.lock();
      try {
        writeState.publish();
      } finally {
        monitor.unlock();
      }
    }
  }

  private void end(Picked picked, boolean installed) {
    monitor.lock();
    try {
      running.end(picked.compaction());
      ManualCompactions.Step step = picked.step();
      if (step != null) {
        manual.end(step, installed);
      }
      monitor.signalAll();
    } finally {
      monitor.unlock();
    }
  }

  /** Has a request run, and returns when it is done. */
  public void runToEnd(ManualCompactions.Request request, Runnable wake) {
    monitor.lock();
    try {
      gate.check();
      manual.add(request);
      wake.run();
      try {
        while (!request.isDone()) {
          monitor.awaitChange();
        }
      } finally {
        manual.remove(request);
      }
      request.check();
    } finally {
      monitor.unlock();
    }
  }

  /** Lets no compaction begin, and waits for those that run. */
  public void suspend() {
    monitor.lock();
    try {
      gate.checkNotClosing();
      suspensions++;
      writeState.suspendStalls(true);
      while (running.compactions() > 0) {
        monitor.awaitChange();
      }
    } finally {
      monitor.unlock();
    }
  }

  /** Undoes one {@link #suspend}. */
  public void resume() {
    monitor.lock();
    try {
      gate.checkNotClosing();
      if (suspensions == 0) {
        throw new IllegalStateException("compactions are not suspended");
      }
      suspensions--;
      writeState.suspendStalls(suspensions > 0);
    } finally {
      monitor.unlock();
    }
  }
}
