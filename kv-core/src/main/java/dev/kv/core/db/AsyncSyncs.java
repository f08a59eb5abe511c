package dev.kv.core.db;

import dev.kv.core.shared.WorkerThreads;
import dev.kv.env.Env;
import dev.kv.errors.DBClosedException;
import dev.kv.errors.DBException;
import dev.kv.errors.OutcomeUnknownException;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.Executor;
import org.jspecify.annotations.Nullable;

/**
 * Syncs of the log that nobody waits for: one thread syncs as long as there are requests, and each
 * sync serves all requests that were made before it began. Thread-safe.
 *
 * <p>The thread exists from the first request on. Stages are completed in the common pool, so that
 * what the program does then delays no sync, and can close the database.
 */
final class AsyncSyncs extends WorkerThreads.Task implements AutoCloseable {
  private final Env env;
  private final Runnable sync;
  private final Runnable lastSync;
  private final @Nullable Executor stages;
  private final WorkerThreads threads = new WorkerThreads("kv-sync", 1);

  /** The requests that are not answered, in their order. */
  private final Queue<CompletableFuture<@Nullable Void>> requests = new ConcurrentLinkedQueue<>();

  private volatile boolean closed;

  /**
   * Creates the object without a thread.
   *
   * @param sync makes all writes so far durable, or throws; DBClosedException if the close has
   *     begun
   * @param lastSync makes all writes durable, after the last one, or throws
   * @param stages completes the stages; if it throws, the thread of this object does; null for the
   *     executor of CompletableFuture
   */
  AsyncSyncs(Env env, Runnable sync, Runnable lastSync, @Nullable Executor stages) {
    this.env = env;
    this.sync = sync;
    this.lastSync = lastSync;
    this.stages = stages;
  }

  /** Returns a stage that is completed after a sync that begins after this call. */
  CompletionStage<@Nullable Void> request() {
    CompletableFuture<@Nullable Void> request = new CompletableFuture<>();
    requests.add(request);
    threads.submit(this);
    // The close sets the flag before it serves the last requests, so no request is left behind.
    if (closed && requests.remove(request)) {
      request.completeExceptionally(
          unsynced(
              "the database was closed before it could sync",
              new DBClosedException("the database was closed")));
    }
    return request.minimalCompletionStage();
  }

  @Override
  protected long runPiece() {
    serve(sync, false);
    return WorkerThreads.IDLE;
  }

  /** Serves the requests with a sync. Those that find the database closed are left to the close. */
  private void serve(Runnable how, boolean last) {
    List<CompletableFuture<@Nullable Void>> served = List.copyOf(requests);
    if (served.isEmpty()) {
      return;
    }
    Throwable failure = null;
    try {
      how.run();
    } catch (Throwable e) {
      failure = e;
    }
    if (last || !(failure instanceof DBClosedException)) {
      complete(
          served,
          failure instanceof DBException e && !(e instanceof OutcomeUnknownException)
              ? unsynced("the log cannot be synced", e)
              : failure);
    }
  }

  /** Returns the failure of a request that no sync has served: the writes are done, and visible. */
  private static OutcomeUnknownException unsynced(String why, Throwable cause) {
    return new OutcomeUnknownException(
        why + ": it is unknown whether the last writes survive a loss of power", cause);
  }

  private void complete(
      List<CompletableFuture<@Nullable Void>> served, @Nullable Throwable failure) {
    for (CompletableFuture<@Nullable Void> request : served) {
      try {
        Executor executor = stages == null ? request.defaultExecutor() : stages;
        executor.execute(() -> complete(request, failure));
      } catch (Throwable e) { // it has no thread
        complete(request, failure);
      }
      requests.remove(request);
    }
  }

  private static void complete(
      CompletableFuture<@Nullable Void> request, @Nullable Throwable failure) {
    if (failure == null) {
      request.complete(null);
    } else {
      request.completeExceptionally(failure);
    }
  }

  @Override
  protected Thread startThread(String name, Runnable body) {
    return env.startThread(name, body);
  }

  @Override
  protected boolean noThread(Throwable cause) {
    complete(List.copyOf(requests), unsynced("there is no thread for the sync", cause));
    return false;
  }

  /**
   * Throws IllegalStateException in a stage that this object's own thread runs, because the system
   * has no other one: it would wait for itself.
   */
  void requireNotInStage() {
    if (threads.includeThisThread()) {
      throw new IllegalStateException(
          "the database cannot be closed by a stage of writeAsync or syncAsync that runs on the"
              + " database's own thread, because the system has no thread for it");
    }
  }

  /** Serves the requests made so far, and ends the thread. */
  @Override
  public void close() {
    closed = true;
    threads.end(this);
    threads.awaitEnd(this);
    try {
      serve(lastSync, true);
    } finally {
      threads.close();
    }
  }
}
