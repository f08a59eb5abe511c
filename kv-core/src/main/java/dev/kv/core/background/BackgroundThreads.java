package dev.kv.core.background;

import dev.kv.core.read.SeekListener;
import dev.kv.core.shared.SharedResourcesImpl;
import dev.kv.core.shared.WorkerThreads;
import dev.kv.core.shared.WriteBuffers;
import dev.kv.core.state.DatabaseContext;
import dev.kv.core.write.ErrorHandler;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import org.jspecify.annotations.Nullable;

/**
 * Owns and wakes the background work of one open database: one {@link BackgroundWorker} for
 * flushes, one or more for compactions, one for maintenance. They run on the threads of the {@link
 * SharedResourcesImpl}. Thread-safe.
 */
public final class BackgroundThreads implements SeekListener {
  private static final long PAUSE_AFTER_OPEN_NANOS = TimeUnit.MILLISECONDS.toNanos(100);

  /** How long failed work waits until it is tried again the first time. */
  private static final long FIRST_RETRY_NANOS = TimeUnit.SECONDS.toNanos(5);

  private final DatabaseContext context;
  private final ErrorHandler errors;
  private final AtomicBoolean versionFreed = new AtomicBoolean();
  private volatile @Nullable BackgroundWorker flush;
  private volatile @Nullable BackgroundWorker maintenance;
  private volatile WriteBuffers.@Nullable Buffer buffer;
  private volatile List<BackgroundWorker> compactions = List.of();

  /** Creates the object without work. */
  public BackgroundThreads(DatabaseContext context, ErrorHandler errors) {
    this.context = context;
    this.errors = errors;
  }

  /**
   * Sets the work. Called once, before any of it is woken.
   *
   * @param memTables are flushed early if other databases want their memory
   */
  public void begin(
      Flusher flusher,
      Compactor compactor,
      MaintenanceTask maintenanceTask,
      WriteBuffers.Buffer memTables) {
    SharedResourcesImpl shared = context.shared();
    flush = worker(shared.flushThread(), "kv-flush", flusher);
    maintenance = worker(shared.maintenanceThread(), "kv-maintenance", maintenanceTask);
    List<BackgroundWorker> workers = new ArrayList<>();
    for (int i = 1; i <= context.options().compaction().maxBackground(); i++) {
      workers.add(worker(shared.compactionThreads(), "kv-compact-" + i, compactor));
    }
    compactions = List.copyOf(workers);
    shared.writeBuffers().add(memTables);
    buffer = memTables;
  }

  private BackgroundWorker worker(WorkerThreads threads, String name, BackgroundWorker.Work work) {
    return new BackgroundWorker(
        threads,
        context.env(),
        name,
        work,
        errors,
        new BackgroundWorker.Retries(
            context.budget()::used, context::reclaimMemory, FIRST_RETRY_NANOS));
  }

  private List<BackgroundWorker> all() {
    List<BackgroundWorker> all = new ArrayList<>(compactions);
    if (flush != null) {
      all.add(flush);
    }
    if (maintenance != null) {
      all.add(maintenance);
    }
    return all;
  }

  /**
   * Tries all failed work again, and returns when each has been tried. Work that runs meanwhile is
   * not waited for; if it fails, it is tried again before writes are refused.
   *
   * @throws dev.kv.errors.DBClosedException if the close has begun
   * @throws dev.kv.errors.DBReadOnlyException if writes are still refused, or a failure is
   *     permanent
   */
  public void resume() {
    errors.checkResumable();
    List<BackgroundWorker> all = all();
    all.forEach(BackgroundWorker::resumed);
    for (BackgroundWorker worker : all) {
      if (errors.hasFailed(worker.name())) {
        worker.tryAgain();
      }
    }
    errors.check();
  }

  /** Stops all work after its current piece, and waits until that has ended. */
  public void stop() {
    if (buffer != null) {
      context.shared().writeBuffers().remove(buffer);
    }
    List<BackgroundWorker> all = all();
    all.forEach(BackgroundWorker::stop);
    all.forEach(BackgroundWorker::join);
  }

  /** Wakes the flush work: there is an immutable memtable to flush. */
  public void flushWanted() {
    wake(flush);
    wake(maintenance);
  }

  /**
   * Wakes the maintenance work: the log needs room reserved, or the next log should be prepared.
   */
  public void maintenanceWanted() {
    wake(maintenance);
  }

  @Override
  public void seekCompactionWanted() {
    compactionWanted();
  }

  /** Makes all compaction workers look for work. */
  public void compactionWanted() {
    List<BackgroundWorker> workers = compactions;
    for (int i = 0; i < workers.size(); i++) {
      workers.get(i).wake();
    }
  }

  /**
   * Makes all compaction workers look for work after a short pause. Used for the compactions that
   * the open found due, so that a program that opens a database for a moment starts no compaction
   * that its close would abandon.
   */
  public void compactionWantedLater() {
    for (BackgroundWorker worker : compactions) {
      worker.wakeIn(PAUSE_AFTER_OPEN_NANOS);
    }
  }

  /** Notes that files may have become obsolete. Any thread may call this, with any lock held. */
  public void versionFreed() {
    versionFreed.set(true);
    wake(maintenance);
  }

  /** Returns true if files may have become obsolete since the last call. */
  public boolean takeVersionFreed() {
    return versionFreed.getAndSet(false);
  }

  private static void wake(@Nullable BackgroundWorker worker) {
    if (worker != null) {
      worker.wake();
    }
  }
}
