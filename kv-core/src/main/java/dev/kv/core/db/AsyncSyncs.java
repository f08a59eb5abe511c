package dev.kv.core.db;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import dev.kv.core.env.Uninterrupted;
import dev.kv.env.Env;
import dev.kv.errors.DBClosedException;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;

/**
 * Syncs of the log that nobody waits for: one thread syncs as long as there are requests, and each
 * sync serves all requests that were made before it began. Thread-safe.
 *
 * <p>The thread exists from the first request on. Stages are completed in the common pool, so that
 * what the program does then delays no sync, and can close the database.
 */
final class AsyncSyncs {
  private final Env env;
  private final Runnable sync;
  private final ReentrantLock lock = new ReentrantLock();
  private final Condition changed = lock.newCondition();

  @GuardedBy("lock")
  private List<CompletableFuture<Void>> requests = new ArrayList<>();

  @GuardedBy("lock")
  private @Nullable Thread thread;

  @GuardedBy("lock")
  private boolean closed;

  /**
   * Creates the object without a thread.
   *
   * @param sync makes all writes so far durable, or throws
   */
  AsyncSyncs(Env env, Runnable sync) {
    this.env = env;
    this.sync = sync;
  }

  /** Returns a stage that is completed after a sync that begins after this call. */
  CompletionStage<Void> request() {
    CompletableFuture<Void> request = new CompletableFuture<>();
    lock.lock();
    try {
      if (closed) {
        return CompletableFuture.failedStage(
            new DBClosedException("the database was closed before it could sync"));
      }
      if (thread == null) {
        thread = env.startThread("kv-sync", this::serve);
      }
      requests.add(request);
      changed.signal();
    } finally {
      lock.unlock();
    }
    return request.minimalCompletionStage();
  }

  private void serve() {
    List<CompletableFuture<Void>> served = take();
    while (!served.isEmpty()) {
      Throwable failure = null;
      try {
        sync.run();
      } catch (Throwable e) {
        failure = e;
      }
      for (CompletableFuture<Void> each : served) {
        complete(each, failure);
      }
      served = take();
    }
  }

  private static void complete(CompletableFuture<Void> request, @Nullable Throwable failure) {
    request
        .defaultExecutor()
        .execute(
            () -> {
              if (failure == null) {
                request.complete(null);
              } else {
                request.completeExceptionally(failure);
              }
            });
  }

  /** Waits for requests and returns them; returns an empty list if there will be none. */
  private List<CompletableFuture<Void>> take() {
    lock.lock();
    try {
      while (requests.isEmpty() && !closed) {
        changed.awaitUninterruptibly();
      }
      List<CompletableFuture<Void>> taken = requests;
      requests = new ArrayList<>();
      return taken;
    } finally {
      lock.unlock();
    }
  }

  /**
   * Serves the requests that there are, refuses later ones, and waits for the end of the thread.
   */
  void close() {
    Thread ending;
    lock.lock();
    try {
      closed = true;
      ending = thread;
      changed.signal();
    } finally {
      lock.unlock();
    }
    if (ending != null) {
      Uninterrupted.await(ending::join);
    }
  }
}
