package dev.kv.core.load;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import dev.kv.core.env.CloseAll;
import dev.kv.core.env.Uninterrupted;
import dev.kv.core.memory.Undo;
import dev.kv.env.Env;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.List;
import java.util.Set;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * Does the work of one producer in a thread of its own, in order, so that the producer goes on
 * meanwhile. The first failure ends the work: the producer gets it at its next call, and items that
 * were not done are discarded. The thread is started for the first item, unless that is the last
 * one too. An interrupt of the producer does not end its waits.
 *
 * @param <T> the items
 */
final class LoadStage<T> implements AutoCloseable {
  private final Env env;
  private final String name;
  private final int capacity;
  private final Consumer<T> work;
  private final Consumer<T> discard;
  private final Set<Thread> threads;
  private final ReentrantLock lock = new ReentrantLock();

  /** Signalled if anything changes: the items, the failure, the end. */
  private final Condition changed = lock.newCondition();

  @GuardedBy("lock")
  private final Deque<T> items = new ArrayDeque<>();

  @GuardedBy("lock")
  private @Nullable Throwable failure;

  /** True while the thread works on an item that is not in the queue. */
  @GuardedBy("lock")
  private boolean isBusy;

  @GuardedBy("lock")
  private boolean isClosed;

  /** Used by the producer alone. */
  private @Nullable Thread thread;

  /**
   * Creates the stage without a thread.
   *
   * @param name the name of the thread
   * @param capacity the number of items that may wait, besides the one that is worked on
   * @param work takes ownership of an item; may throw
   * @param discard takes ownership of an item that is not done; does not throw
   * @param threads contains the thread while it runs; thread-safe
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
    this.capacity = capacity;
    this.work = work;
    this.discard = discard;
    this.threads = threads;
  }

  /** Passes an item to the thread; waits for room. Throws the failure of an earlier item. */
  void submit(T item) {
    try (Undo undo = new Undo(() -> discard.accept(item))) {
      if (thread == null) {
        thread = env.startThread(name, this::run);
      }
      enqueue(item);
      undo.cancel();
    }
  }

  private void enqueue(T item) {
    lock.lock();
    try {
      while (failure == null && items.size() >= capacity) {
        changed.awaitUninterruptibly();
      }
      checkFailure();
      items.addLast(item);
      changed.signalAll();
    } finally {
      lock.unlock();
    }
  }

  /** Does the last item, in the caller's thread if it is the only one; waits until all are done. */
  void finish(@Nullable T last) {
    if (last != null && thread == null) {
      work.accept(last);
      return;
    }
    if (last != null) {
      submit(last);
    }
    lock.lock();
    try {
      while (failure == null && (isBusy || !items.isEmpty())) {
        changed.awaitUninterruptibly();
      }
      checkFailure();
    } finally {
      lock.unlock();
    }
  }

  @GuardedBy("lock")
  private void checkFailure() {
    if (failure != null) {
      throw CloseAll.unchecked(failure);
    }
  }

  /** The body of the thread. Whatever ends it before the close is a failure for the producer. */
  private void run() {
    try {
      threads.add(Thread.currentThread());
      for (T item = next(); item != null; item = next()) {
        work.accept(item);
      }
    } catch (Throwable e) {
      lock.lock();
      try {
        failure = e;
        changed.signalAll();
      } finally {
        lock.unlock();
      }
    } finally {
      threads.remove(Thread.currentThread());
    }
  }

  /** Ends the item before, and waits for the next one; returns null if there will be none. */
  private @Nullable T next() {
    lock.lock();
    try {
      isBusy = false;
      changed.signalAll();
      while (items.isEmpty() && !isClosed && failure == null) {
        changed.awaitUninterruptibly();
      }
      if (isClosed || failure != null) {
        return null;
      }
      isBusy = true;
      T item = items.poll();
      changed.signalAll();
      return item;
    } finally {
      lock.unlock();
    }
  }

  /** Ends the thread after its current item, and discards the others. Closing twice is harmless. */
  @Override
  public void close() {
    lock.lock();
    try {
      isClosed = true;
      changed.signalAll();
    } finally {
      lock.unlock();
    }
    if (thread != null) {
      Uninterrupted.await(thread::join);
    }
    rest().forEach(discard);
  }

  private List<T> rest() {
    lock.lock();
    try {
      List<T> rest = List.copyOf(items);
      items.clear();
      return rest;
    } finally {
      lock.unlock();
    }
  }
}
