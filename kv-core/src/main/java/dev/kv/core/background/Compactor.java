package dev.kv.core.background;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import dev.kv.Options;
import dev.kv.core.compaction.Compaction;
import dev.kv.core.compaction.CompactionJob;
import dev.kv.core.compaction.CompactionPicker;
import dev.kv.core.compaction.CompactionResult;
import dev.kv.core.compaction.FilterResult;
import dev.kv.core.compaction.JobStats;
import dev.kv.core.compaction.RunningJobs;
import dev.kv.core.event.Events;
import dev.kv.core.logging.EngineLogger;
import dev.kv.core.manifest.VersionInstall;
import dev.kv.core.manifest.VersionSet;
import dev.kv.core.read.SnapshotList;
import dev.kv.core.shared.RateLimiter;
import dev.kv.core.state.DatabaseContext;
import dev.kv.core.state.Monitor;
import dev.kv.core.state.TableOutputs;
import dev.kv.core.version.FileMetadata;
import dev.kv.core.version.Levels;
import dev.kv.core.version.Version;
import dev.kv.core.write.ErrorHandler;
import dev.kv.env.Env;
import dev.kv.errors.CorruptionException;
import dev.kv.event.CompactionEvent;
import dev.kv.event.DamageEvent;
import dev.kv.options.RecoveryMode;
import java.util.List;
import java.util.Locale;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * Picks, runs and installs compactions. Manual compactions go first. A compaction is picked with
 * the monitor held, runs without a lock, and is installed by the version set. Used by all
 * compaction threads at once.
 */
public final class Compactor implements BackgroundWorker.Work {
  private static final EngineLogger LOG = EngineLogger.of(Compactor.class);

  private final JobContext jobs;
  private final DatabaseContext context;
  private final Monitor monitor;
  private final ErrorHandler errors;
  private final VersionSet versions;
  private final CompactionPicker picker;
  private final ManualCompactions manual;

  /** Creates the tables of compactions, no faster than the rate limit. */
  private final Env files;

  @GuardedBy("monitor")
  private final RunningJobs running;

  /** Those that have returned, and those that still wait for the compactions that run. */
  @GuardedBy("monitor")
  private int suspensions;

  @GuardedBy("monitor")
  private int waitingSuspensions;

  /** Creates the work of the compaction threads. */
  public Compactor(JobContext jobs) {
    this.jobs = jobs;
    this.context = jobs.context();
    this.monitor = jobs.monitor();
    this.errors = jobs.errors();
    this.versions = jobs.versions();
    this.running = jobs.running();
    Options options = context.options();
    this.picker = new CompactionPicker(options.maxFileSize(), options.compaction().seekTriggered());
    this.manual = new ManualCompactions(monitor, picker);
    RateLimiter limiter = context.shared().compactionRate();
    this.files =
        limiter.isLimited()
            ? new PacedFiles(context.env(), limiter, this::isUrgent)
            : context.env();
  }

  /**
   * A compaction to run, and the step of the manual request that it belongs to, if any. Holds a
   * reference to its version. What it needs to begin is created before it begins.
   */
  private final class Picked implements BackgroundWorker.Job, Supplier<JobOutcome> {
    private final Compaction compaction;
    private final ManualCompactions.@Nullable Step step;
    private final TableOutputs outputs = jobs.newOutputs();

    Picked(Compaction compaction, ManualCompactions.@Nullable Step step) {
      this.compaction = compaction;
      this.step = step;
    }

    @Override
    public JobOutcome run() {
      try {
        return jobs.run(outputs, this);
      } finally {
        compaction.version().release(); // those who wait for the end delete its inputs
      }
    }

    @Override
    public JobOutcome get() {
      return runAndInstall(this);
    }

    @Override
    public void end(@Nullable JobOutcome outcome) {
      monitor.lock();
      try {
        boolean done = outcome == JobOutcome.Ended.DONE;
        running.end(compaction, done);
        monitor.signalAll();
        if (step != null) {
          manual.end(step, done);
        }
      } finally {
        monitor.unlock();
      }
      if (outcome instanceof JobOutcome.Ended) {
        jobs.installed();
      }
    }
  }

  private boolean isUrgent() {
    return !errors.allowsJobs()
        || jobs.memTables().stallInputs().areCompactionsUrgent()
        || context.shared().writeBuffers().isAnySlowedByLevel0();
  }

  /** Returns true if a level is too large, which an open may find. */
  public boolean isDue() {
    monitor.lock();
    try {
      return running.scores(versions.current()).isCompactionDue();
    } finally {
      monitor.unlock();
    }
  }

  /** Picks a compaction and marks it as running; returns null if there is none to run now. */
  @Override
  public BackgroundWorker.@Nullable Job next() {
    monitor.lock();
    try {
      if (!errors.allowsJobs() || areSuspended()) {
        return null;
      }
      Version version = versions.acquireCurrent();
      Picked picked = null;
      try {
        Picked found = pick(version);
        if (found != null) {
          start(found);
          picked = found;
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

  @GuardedBy("monitor")
  private void start(Picked picked) {
    running.start(picked.compaction);
    if (picked.step != null) {
      manual.start(picked.step);
    }
  }

  @GuardedBy("monitor")
  private @Nullable Picked pick(Version version) {
    ManualCompactions.Step step = manual.next(version, running);
    if (step != null) {
      Compaction next = step.pick().compaction(); // null if it has to wait for a running job
      return next == null ? null : new Picked(next, step);
    }
    Compaction due = picker.pick(version, running, versions.compactPointers());
    return due == null ? null : new Picked(due, null);
  }

  private JobOutcome runAndInstall(Picked picked) {
    Compaction compaction = picked.compaction;
    Object begun = jobs.events().begin(Events.Kind.COMPACTION);
    if (compaction.isTrivialMove()) {
      versions.logAndApply(
          VersionInstall.of(compaction.trivialMoveEdit(), jobs.memTables()::publish));
      post(compaction, 1, new JobStats(0, 0, 0, 0, 0), begun);
      return JobOutcome.Ended.DONE;
    }
    long[] snapshots = jobs.snapshots().sequences();
    CompactionResult result = run(picked, snapshots);
    if (result == null) {
      picked.outputs.abandon();
      return JobOutcome.Ended.ABANDONED;
    }
    install(compaction, result, snapshots, begun);
    picked.outputs.settle();
    return JobOutcome.Ended.DONE;
  }

  /**
   * Runs a compaction without a lock; returns null if it was abandoned, because the database is
   * being closed or because an input is damaged.
   */
  private @Nullable CompactionResult run(Picked picked, long[] snapshots) {
    CompactionJob job =
        new CompactionJob(
            picked.compaction,
            snapshots,
            context.tables()::mergeIterator,
            picked
                .outputs
                .context(files)
                .replacing(context.tables(), picked.compaction.allInputs()),
            context.tables().succession(),
            context.options().compaction().filter(),
            errors::isClosing);
    try {
      return job.run();
    } catch (CorruptionException e) {
      jobs.events().damage(DamageEvent.During.COMPACTION, e);
      if (context.options().recoveryMode() == RecoveryMode.PARANOID
          || job.damagedInputs().isEmpty()) {
        throw e;
      }
      setAside(picked, job.damagedInputs(), e);
      return null;
    }
  }

  private void install(
      Compaction compaction, CompactionResult result, long[] snapshots, @Nullable Object begun) {
    FilterResult filtered = result.filtered();
    List<FileMetadata> marked = jobs.withManyTombstones(result.outputs());
    versions.logAndApply(
        VersionInstall.of(
            result.edit(),
            filtered.hasChanges() ? () -> publishFiltered(snapshots) : jobs.memTables()::publish));
    jobs.stats().add(filtered);
    warnOfFailure(filtered.failure());
    jobs.markTombstones(marked);
    jobs.stats().add(compaction.outputLevel(), result.stats());
    post(compaction, result.outputs().size(), result.stats(), begun);
  }

  /** Makes sure that snapshots taken since the beginning of the compaction do not change. */
  private void publishFiltered(long[] snapshots) {
    long newest = snapshots.length == 0 ? SnapshotList.NONE : snapshots[snapshots.length - 1];
    jobs.memTables().publishFiltered(jobs.snapshots(), newest);
  }

  private void warnOfFailure(@Nullable Throwable failure) {
    if (failure != null) {
      LOG.warn(
          "{}: the compaction filter failed, and the compaction kept the rest of its entries",
          jobs.directory(),
          failure);
    }
  }

  private void post(Compaction compaction, int outputs, JobStats stats, @Nullable Object begun) {
    jobs.events()
        .post(
            new CompactionEvent(
                jobs.events().database(),
                compaction.reason().name().toLowerCase(Locale.ROOT),
                compaction.level(),
                compaction.outputLevel(),
                compaction.inputs().size(),
                compaction.nextLevelInputs().size(),
                outputs,
                stats.bytesRead(),
                stats.bytesWritten(),
                stats.entriesRead(),
                stats.entriesWritten(),
                stats.micros()),
            begun);
  }

  /**
   * Excludes damaged tables from compactions and keeps them: without their unreadable entries,
   * older entries that they hide would become visible. Reads of the damaged blocks throw,
   * everything else continues, and the manual request for the compaction, if any, fails.
   */
  private void setAside(Picked picked, List<FileMetadata> tables, CorruptionException damage) {
    monitor.lock();
    try {
      running.setAside(tables);
      ManualCompactions.Step step = picked.step;
      if (step != null) {
        manual.fail(step, damage);
      }
    } finally {
      monitor.unlock();
    }
  }

  /** Lets stalled writers continue if level 0 cannot shrink: otherwise they would wait forever. */
  @GuardedBy("monitor")
  private void freeWritersIfStuck(Version version) {
    if (running.hasSetAside()
        && running.isIdle()
        && version.fileCount(0) >= Levels.LEVEL_0_COMPACTION_TRIGGER) {
      jobs.memTables().stallInputs().waive();
      jobs.commits().progress();
    }
  }

  /**
   * Waits until no flush is waiting and no compaction runs or can run. While compactions are
   * suspended, waits for flushes only.
   */
  public void awaitIdle() {
    monitor.lock();
    try {
      errors.check();
      jobs.files().wakeups().workWanted();
      while (!isIdle()) {
        monitor.awaitChange();
      }
    } finally {
      monitor.unlock();
    }
  }

  @GuardedBy("monitor")
  private boolean isIdle() {
    return jobs.memTables().isFlushed()
        && running.compactions() == 0
        && (areSuspended()
            || (!manual.isWaiting()
                && picker.pick(versions.current(), running, versions.compactPointers()) == null));
  }

  /**
   * Waits until the compactions that are running now have ended. They began with the snapshots of
   * that time, and keep what later ones would drop.
   */
  public void awaitRunning() {
    monitor.lock();
    try {
      List<Compaction> now = running.running();
      while (running.isAnyRunning(now)) {
        monitor.awaitChange();
      }
    } finally {
      monitor.unlock();
    }
  }

  /** Runs a manual request, and returns when it has ended. */
  public void runToEnd(ManualCompactions.Request request) {
    run(request, false);
    request.check();
  }

  /**
   * Runs a manual request that nothing depends on. Returns when it has ended, if a damaged table
   * keeps it from ending, or while compactions are suspended.
   */
  public void runIfPossible(ManualCompactions.Request request) {
    run(request, true);
  }

  private void run(ManualCompactions.Request request, boolean untilSuspended) {
    monitor.lock();
    try {
      errors.check();
      manual.add(request);
      jobs.files().wakeups().compactionWanted();
      try {
        while (!request.isDone() && !(untilSuspended && areSuspended() && !request.isInStep())) {
          monitor.awaitChange();
        }
      } finally {
        manual.remove(request);
      }
    } finally {
      monitor.unlock();
    }
  }

  /**
   * Prevents new compactions, and waits until those that run have ended. If the wait throws,
   * compactions are not suspended.
   */
  public void suspend() {
    monitor.lock();
    try {
      errors.checkNotClosing();
      waitingSuspensions++;
      jobs.memTables().stallInputs().suspend();
      jobs.commits().progress(); // writes that level 0 has stopped go on
      monitor.signalAll(); // who waits for a compaction that is due need not wait for it any more
      try {
        while (running.compactions() > 0) {
          monitor.awaitChange();
        }
        suspensions++;
      } catch (Throwable e) {
        jobs.memTables().stallInputs().resume();
        jobs.files().wakeups().compactionWanted();
        throw e;
      } finally {
        waitingSuspensions--;
      }
    } finally {
      monitor.unlock();
    }
  }

  /** Returns true if compactions are suspended now. */
  public boolean isSuspended() {
    monitor.lock();
    try {
      return areSuspended();
    } finally {
      monitor.unlock();
    }
  }

  /** Throws IllegalStateException if compactions are suspended: a manual request would not end. */
  public void requireNotSuspended() {
    monitor.lock();
    try {
      errors.checkNotClosing();
      if (areSuspended()) {
        throw new IllegalStateException(
            "compactions are suspended: call resumeCompactions() first");
      }
    } finally {
      monitor.unlock();
    }
  }

  /** Undoes one {@link #suspend} that has returned. */
  public void resume() {
    monitor.lock();
    try {
      errors.checkNotClosing();
      if (suspensions == 0) {
        throw new IllegalStateException("compactions are not suspended");
      }
      suspensions--;
      jobs.memTables().stallInputs().resume();
    } finally {
      monitor.unlock();
    }
  }

  @GuardedBy("monitor")
  private boolean areSuspended() {
    return suspensions + waitingSuspensions > 0;
  }
}
