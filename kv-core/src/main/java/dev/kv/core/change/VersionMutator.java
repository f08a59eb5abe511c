package dev.kv.core.change;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import dev.kv.core.background.JobContext;
import dev.kv.core.compaction.RunningJobs;
import dev.kv.core.key.KeyBounds;
import dev.kv.core.logging.EngineLogger;
import dev.kv.core.manifest.VersionInstall;
import dev.kv.core.manifest.VersionSet;
import dev.kv.core.read.ReadStates;
import dev.kv.core.state.MemTables;
import dev.kv.core.state.Monitor;
import dev.kv.core.state.TableOutputs;
import dev.kv.core.version.Version;
import dev.kv.core.version.VersionEdit;
import dev.kv.core.write.ExclusiveWriter;
import dev.kv.errors.DBIOException;
import dev.kv.errors.OffHeapExhaustedException;
import dev.kv.errors.OutcomeUnknownException;

/**
 * Makes changes of the tree that do not pass the log. When {@link #make} returns, the change is
 * durable and visible to every later read; if it throws, nothing has changed, except after an
 * {@link OutcomeUnknownException}. Thread-safe; changes wait for each other only from step 3 on,
 * also if their ranges overlap.
 *
 * <pre>
 * 1. reserve      the range, in all levels: no new compaction enters it, no flush places its table
 *                 there except in level 0; wait for the jobs that are in it
 * 2. flush        if a memtable holds keys of the range; other threads go on writing
 * 3. exclusive    from here on no other thread writes, up to 9
 * 4. flush        what was written to the range since 2
 * 5. sequence     take D, log it, sync all logs
 * 6. prepare      write the tables
 * 7. log          one edit, synced, with the whole change and a last sequence of at least D
 * 8. confirm      log D again, synced: proof that the MANIFEST had the edit
 * 9. install      each open snapshot keeps the read state from before; then D becomes visible, then
 *                 the next read state
 * </pre>
 *
 * <p>Why: 1. A compaction of a table that is removed and one that stays would bring entries back,
 * and the edit would name tables that no longer exist. 3 to 9. A write in between would get a
 * number after D, and a reader would see it without the change. 4. An older entry of the range,
 * flushed later, would lie above the tables of the change. 5. The writes before D must be durable
 * before the change is, or loss of power would leave the change without them; and the next write
 * continues at D+1, which recovery takes for lost records unless the log says otherwise. 7. A kill
 * leaves all of the change or nothing. 8. The change is in no log. If the MANIFEST loses its end,
 * an open without the edit would undo the change and delete its tables, and a damaged end looks
 * like an edit that a kill interrupted. The proof is in the log that is current from 5 to 9. That
 * log is deleted only after a later edit is durable, and a MANIFEST that has lost this edit and the
 * later one names a log that is missing. 9. A snapshot is a number, and a number cannot show tables
 * that were deleted.
 *
 * <p>While a range is reserved, level 0 does not stall writers: its compaction may be what waits
 * for this change, and this change waits for its exclusive access.
 */
public final class VersionMutator {
  private static final EngineLogger LOG = EngineLogger.of(VersionMutator.class);

  private final JobContext jobs;
  private final ReadStates readStates;
  private final Monitor monitor;
  private final VersionSet versions;
  private final MemTables memTables;

  @GuardedBy("monitor")
  private final RunningJobs running;

  /** Creates the object for one open database. */
  public VersionMutator(JobContext jobs, ReadStates readStates) {
    this.jobs = jobs;
    this.readStates = readStates;
    this.monitor = jobs.monitor();
    this.versions = jobs.versions();
    this.memTables = jobs.memTables();
    this.running = jobs.running();
  }

  /**
   * Makes a change.
   *
   * @return true if there was something to change
   * @throws dev.kv.errors.DBClosedException if the database is closed, or closed meanwhile
   * @throws dev.kv.errors.DBReadOnlyException if it has failed, or a job that the change waits for
   *     fails
   * @throws DBIOException if the log, a table or the MANIFEST cannot be written
   */
  public boolean make(VersionMutation change) {
    KeyBounds range = change.range();
    reserve(range);
    try {
      jobs.commits().progress();
      awaitVacated(range);
      if (memTablesHold(range)) {
        jobs.flush();
      }
      try (ExclusiveWriter writer = jobs.commits().exclusive()) {
        return makeExclusively(change, writer);
      }
    } finally {
      release(range);
    }
  }

  private void reserve(KeyBounds range) {
    monitor.lock();
    try {
      jobs.errors().check();
      running.reserve(range);
      memTables.stallInputs().suspend();
    } finally {
      monitor.unlock();
    }
  }

  private void awaitVacated(KeyBounds reserved) {
    monitor.lock();
    try {
      while (!running.isVacated(reserved)) {
        monitor.awaitChange();
      }
    } finally {
      monitor.unlock();
    }
  }

  private void release(KeyBounds reserved) {
    monitor.lock();
    try {
      running.release(reserved);
      memTables.stallInputs().resume();
    } finally {
      monitor.unlock();
    }
    jobs.files().wakeups().compactionWanted();
  }

  /** Returns true if a memtable holds an entry of a user key of {@code range}. */
  public boolean memTablesHold(KeyBounds range) {
    return readStates.memTablesHold(range);
  }

  /** Steps 4 to 9. */
  private boolean makeExclusively(VersionMutation change, ExclusiveWriter writer) {
    if (memTablesHold(change.range())) {
      writer.switchMemTable();
      memTables.awaitFlushes();
    }
    return versions.withCurrent(version -> writeIfNeeded(change, version, writer));
  }

  private boolean writeIfNeeded(VersionMutation change, Version version, ExclusiveWriter writer) {
    boolean needed = change.isNeeded(version);
    if (needed) {
      write(change, version, writer);
    }
    return needed;
  }

  /** Steps 5 to 9. The tables are deleted if the edit is certainly not logged. */
  private void write(VersionMutation change, Version version, ExclusiveWriter writer) {
    long sequence = writer.takeSequence();
    TableOutputs outputs = jobs.newOutputs();
    Runnable rest =
        () -> {
          outputs.settle();
          change.installed();
        };
    boolean failedBefore = versions.isFailed();
    try {
      VersionEdit edit = change.prepare(version, sequence, outputs.context());
      versions.logAndApply(install(edit, sequence, writer));
    } catch (Throwable e) {
      if (!versions.isFailed()) {
        jobs.abandon(outputs);
        throwIfKnown(change, e);
        jobs.events().readFailed(e);
        throw e;
      }
      jobs.errors().fail(change.name(), e);
      if (failedBefore) {
        throw e;
      }
      throw new OutcomeUnknownException(
          change.name()
              + " failed after it was handed to the MANIFEST: whether it is there after the"
              + " database is opened again is unknown; until then the database is read-only",
          e);
    }
    finish(change.name(), rest);
  }

  /**
   * Does what follows an install. The change is made, so a failure is only logged: a shortage of
   * memory, or an exception of the program's environment. The next collection does the rest.
   *
   * @param rest created before the install, because that needs memory
   */
  public void finish(String name, Runnable rest) {
    try {
      rest.run();
    } catch (Exception | OutOfMemoryError e) {
      LOG.warn("{}: {} is done, but not all that follows it: {}", jobs.directory(), name, e);
    }
  }

  /** Says that nothing is on disk of a change, if the cause is a shortage or the file system. */
  private static void throwIfKnown(VersionMutation change, Throwable cause) {
    String message = change.name() + " was not done and may be tried again: " + cause.getMessage();
    if (cause instanceof DBIOException) {
      throw new DBIOException(message, cause);
    } else if (cause instanceof OffHeapExhaustedException) {
      throw new OffHeapExhaustedException(message, cause);
    }
  }

  /** Returns the version install of a change. */
  private VersionInstall install(VersionEdit edit, long sequence, ExclusiveWriter writer) {
    return new VersionInstall() {
      @Override
      public VersionEdit prepare(Version current) {
        return edit.toBuilder().lastSequence(sequence).build();
      }

      @Override
      public void logged() {
        writer.confirm();
      }

      @Override
      public void install(Version next) {
        monitor.lock();
        try {
          jobs.snapshots().keepViews(readStates, writer::publish, memTables::publish);
        } finally {
          monitor.unlock();
        }
      }
    };
  }
}
