package dev.kv.core.background;

import dev.kv.core.logging.EngineLogger;
import dev.kv.core.memory.MemoryShortage;
import dev.kv.core.read.DatabaseReader;
import dev.kv.core.state.WriteAheadLog;
import dev.kv.core.transaction.Transactions;
import dev.kv.core.write.ExclusiveWriter;
import dev.kv.errors.DBClosedException;
import dev.kv.errors.DBIOException;
import dev.kv.errors.DBReadOnlyException;

/**
 * Does small disk work in the background so that other threads do not wait for it: makes a memtable
 * immutable that is to be flushed before it is full, reserves room in the current log, prepares the
 * next log, releases what lost iterators pin, ends lost and old transactions, deletes tables whose
 * last user was a reader, and delivers events.
 */
public final class MaintenanceTask implements BackgroundWorker.Work {
  private static final EngineLogger LOG = EngineLogger.of(MaintenanceTask.class);

  private final JobContext jobs;
  private final WriteAheadLog logs;
  private final DatabaseReader reader;
  private final Transactions transactions;

  /** Creates the work of the maintenance thread. */
  public MaintenanceTask(JobContext jobs, DatabaseReader reader, Transactions transactions) {
    this.jobs = jobs;
    this.logs = jobs.files().logs();
    this.reader = reader;
    this.transactions = transactions;
  }

  @Override
  public BackgroundWorker.Job next() {
    return this::run;
  }

  private JobOutcome run() {
    try {
      maintain();
      return JobOutcome.Ended.NOTHING_TO_DO;
    } catch (RuntimeException | OutOfMemoryError e) {
      if (!MemoryShortage.ofAnyKindIsCauseOf(e)
          || jobs.versions().isFailed()
          || jobs.errors().isFailedPermanently()) {
        throw e;
      }
      return tryAgain(e);
    }
  }

  private JobOutcome tryAgain(Throwable shortage) {
    try {
      jobs.files().wakeups().versionFreed(); // the files may not have been collected
      return new JobOutcome.NothingLogged(shortage);
    } catch (OutOfMemoryError again) {
      return JobOutcome.OUT_OF_MEMORY;
    }
  }

  private void maintain() {
    switchMemTable();
    if (logs.reserveAhead() && jobs.memTables().isHalfFull()) {
      logs.newLogs().prepareNext();
    }
    reader.releaseCollectedIterators();
    transactions.endLostAndOld();
    if (jobs.files().wakeups().takeVersionFreed()) {
      jobs.obsolete().collect();
    }
    jobs.context().events().deliver();
  }

  private void switchMemTable() {
    if (!jobs.memTables().stallInputs().isSwitchWanted()) {
      return;
    }
    try (ExclusiveWriter writer = jobs.commits().tryExclusive()) {
      if (writer != null) {
        writer.switchMemTableIfPossible();
      }
    } catch (DBClosedException e) {
      LOG.debug("{}: closed, and the memtable stays in the log", jobs.directory());
    } catch (DBIOException | DBReadOnlyException e) {
      LOG.warn("{}: a memtable is not flushed early: {}", jobs.directory(), e.getMessage());
    }
  }
}
