package dev.kv.core.background;

import dev.kv.core.memory.Undo;
import dev.kv.core.shared.SharedResourcesImpl;
import dev.kv.core.shared.WorkerThreads;
import dev.kv.core.shared.WriteBuffers;
import dev.kv.core.state.DatabaseContext;
import dev.kv.core.state.DatabaseFiles;
import dev.kv.core.write.ErrorHandler;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;

/**
 * Owns the background work of one open database: one {@link BackgroundWorker} for flushes, one or
 * more for compactions, one for maintenance. They run on the threads of the {@link
 * SharedResourcesImpl}. Thread-safe.
 */
public final class BackgroundThreads implements AutoCloseable {
  private static final long PAUSE_AFTER_OPEN_NANOS = TimeUnit.MILLISECONDS.toNanos(100);

  /** How long failed work waits until it is tried again the first time. */
  private static final long FIRST_RETRY_NANOS = TimeUnit.SECONDS.toNanos(5);

  private final DatabaseContext context;
  private final ErrorHandler errors;
  private final List<BackgroundWorker> compactions;

  /** An array: a loop over it allocates nothing. */
  private final BackgroundWorker[] all;

  private final WriteBuffers.Buffer buffer;

  /**
   * Creates the work, which begins when it is woken.
   *
   * @param memTables are flushed early, from {@link #start} on, if other databases want their
   *     memory
   */
  public BackgroundThreads(
      DatabaseFiles files,
      Flusher flusher,
      Compactor compactor,
      MaintenanceTask maintenanceTask,
      WriteBuffers.Buffer memTables) {
    context = files.context();
    errors = files.errors();
    SharedResourcesImpl shared = context.shared();
    BackgroundWorker flush = worker(shared.flushThread(), "kv-flush", flusher);
    BackgroundWorker maintenance =
        worker(shared.maintenanceThread(), "kv-maintenance", maintenanceTask);
    List<BackgroundWorker> workers = new ArrayList<>();
    for (int i = 1; i <= context.options().compaction().maxBackground(); i++) {
      workers.add(worker(shared.compactionThreads(), "kv-compact-" + i, compactor));
    }
    compactions = List.copyOf(workers);
    workers.add(flush);
    workers.add(maintenance);
    all = workers.toArray(new BackgroundWorker[0]);
    buffer = memTables;
    files.wakeups().onFlush(flush::wake);
    files.wakeups().onMaintenance(maintenance::wake);
    for (BackgroundWorker worker : compactions) {
      files.wakeups().onCompaction(worker::wake);
    }
  }

  /**
   * Begins, as the last step of the open. If this throws, all work has ended. Compactions begin
   * after a short pause, so that a program that opens a database for a moment starts none that its
   * close would abandon.
   *
   * @param compactionIsDue true if the open found a compaction to run
   */
  public void start(boolean compactionIsDue) {
    try (Undo undo = new Undo(this::close)) {
      context.shared().writeBuffers().add(buffer);
      if (compactionIsDue) {
        for (BackgroundWorker worker : compactions) {
          worker.wakeIn(PAUSE_AFTER_OPEN_NANOS);
        }
      }
      undo.cancel();
    }
  }

  private BackgroundWorker worker(WorkerThreads threads, String name, BackgroundWorker.Work work) {
    return new BackgroundWorker(
        threads,
        context.env(),
        name,
        work,
        errors,
        new BackgroundWorker.Retries(
            context.budget()::used, context.budget()::reclaim, FIRST_RETRY_NANOS));
  }

  /**
   * Tries all failed work again, and returns when each has been tried. Work that runs meanwhile, or
   * that needs the calling thread, is not waited for; if it fails, it is tried again before writes
   * are refused.
   *
   * @throws dev.kv.errors.DBClosedException if the close has begun
   * @throws dev.kv.errors.DBReadOnlyException if writes are still refused, or a failure is
   *     permanent
   */
  public void resume() {
    errors.checkResumable();
    errors.beginResume();
    for (BackgroundWorker worker : all) {
      if (errors.hasFailed(worker.name())) {
        worker.tryAgain();
      }
    }
    errors.check();
  }

  /** Throws if the calling thread runs work of this database: the close would wait for it. */
  public void requireNotInCallback() {
    for (BackgroundWorker worker : all) {
      if (worker.isRunByThisThread()) {
        throw new IllegalStateException(
            "a comparator, a filter policy or a compaction filter must not close the database that"
                + " calls it");
      }
    }
  }

  /**
   * Stops all work after its current piece, and waits until that has ended, before it does what may
   * find no memory.
   */
  @Override
  public void close() {
    for (BackgroundWorker worker : all) {
      worker.stop();
    }
    for (BackgroundWorker worker : all) {
      worker.join();
    }
    context.shared().writeBuffers().remove(buffer);
  }
}
