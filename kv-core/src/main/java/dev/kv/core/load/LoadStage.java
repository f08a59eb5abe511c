package dev.kv.core.load;

import dev.kv.core.env.CloseAll;
import dev.kv.core.env.Uninterrupted;
import dev.kv.core.memory.Undo;
import dev.kv.env.Env;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ArrayBlockingQueue;
import java.util.concurrent.BlockingQueue;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * Does the work of one producer in a thread of its own, in order, so that the producer goes on
 * meanwhile. The first failure ends the work: the producer gets it at its next call, and items that
 * were not done are discarded. The thread is started for the first item, unless that is the last
 * one too. An interrupt does not end the waits of the producer or of the thread.
 *
 * @param <T> the items
 */
final class LoadStage<T> implements AutoCloseable {
  private final Env env;
  private final String name;
  private final Consumer<T> work;
  private final Consumer<T> discard;
  private final Set<Thread> threads;

  /** The items that wait. An empty one ends the thread. */
  private final BlockingQueue<Optional<T>> items;

  /** Set by the thread alone. */
  private volatile @Nullable Throwable failure;

  private volatile boolean isClosed;

  /** The item that was taken last. Used by the thread alone. */
  private Optional<T> current = Optional.empty();

  /** Used by the producer alone. */
  private @Nullable Thread thread;

  /**
   * Creates the stage without a thread.
   *
   * @param name the name of the thread
   * @param capacity the number of items that may wait, besides the one that is worked on
   * @param work takes ownership of an item; may throw
   * @param discard takes ownership of an item that is not done; does not throw; thread-safe
   * @param threads contains the thread while it works; thread-safe
   */
  LoadStage(
      Env env,
      String name,
      int capacity,
      Consumer<T> work,
      Consumer<T> discard,
      Set<Thread> threads) {
    this.env = env;
    this.name = name;
    this.items = new ArrayBlockingQueue<>(capacity);
    this.work = work;
    this.discard = discard;
    this.threads = threads;
  }

  /**
   * Passes an item to the thread; waits for room. Throws the failure of an earlier item, and an
   * AssertionError after the close: no one would end the thread.
   */
  void submit(T item) {
    try (Undo undo = new Undo(() -> discard.accept(item))) {
      checkFailure();
      if (isClosed) {
        throw new AssertionError("a closed stage was given an item");
      }
      if (thread == null) {
        Thread started = env.startThread(name, this::run);
        thread = started;
        threads.add(started);
      }
      put(Optional.of(item));
      undo.cancel();
    }
  }

  private void put(Optional<T> item) {
    Uninterrupted.await(() -> items.put(item));
  }

  /** Does the last item, in the caller's thread if it is the only one; waits until all are done. */
  void finish(@Nullable T last) {
    if (last != null && thread == null && failure == null && !isClosed) {
      work.accept(last);
      return;
    }
    if (last != null) {
      submit(last);
    }
    endThread();
    checkFailure();
  }

  private void endThread() {
    Thread running = thread;
    if (running != null) {
      put(Optional.empty());
      Uninterrupted.await(running::join);
      threads.remove(running);
      thread = null;
    }
  }

  private void checkFailure() {
    Throwable cause = failure;
    if (cause != null) {
      throw CloseAll.unchecked(cause);
    }
  }

  /** The body of the thread. After a failure it goes on, as the producer may wait for room. */
  private void run() {
    boolean isEnded = false;
    while (!isEnded) {
      try {
        isEnded = takeOne();
      } catch (Throwable e) {
        failure = failure == null ? e : failure;
      }
    }
  }

  /** Works on the next item, or discards it; returns true if the thread shall end instead. */
  private boolean takeOne() {
    Uninterrupted.await(() -> current = items.take());
    current.ifPresent(isClosed || failure != null ? discard : work);
    return current.isEmpty();
  }

  /** Ends the thread after its current item, and discards the others. Closing twice is harmless. */
  @Override
  public void close() {
    isClosed = true;
    endThread();
  }
}
