package dev.kv.core.shared;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import dev.kv.core.env.UnfailingLock;
import dev.kv.core.env.Uninterrupted;
import dev.kv.core.logging.EngineLogger;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;

/**
 * A fixed number of threads that run the tasks of one or more databases. Thread-safe.
 *
 * <p>Tasks take turns: the one that has waited longest runs next, does one piece of work, and waits
 * until the others had their turn if it has more. So a database with much work delays another by
 * one piece at most for each of its tasks. A task never runs on two threads at once. Each thread is
 * started when the first task finds no idle one, and waits while there is no work.
 *
 * <p>The lock is held for moments only, never while a task runs or a thread is started. In the lock
 * order it is last: {@link #submit} may be called with any lock held.
 */
public final class WorkerThreads implements AutoCloseable {
  /**
   * What {@link Task#runPiece} returns if the task has nothing more to do until it is submitted.
   */
  public static final long IDLE = Long.MAX_VALUE;

  /** When a task is called again that threw, as it may if the heap is exhausted. */
  private static final long AFTER_FAILURE_NANOS = TimeUnit.SECONDS.toNanos(1);

  private static final EngineLogger LOG = EngineLogger.of(WorkerThreads.class);

  /** Background work of one database, of one kind. */
  public abstract static class Task {
    /** Guarded by the lock of the threads, as are the other fields. */
    private State state = State.IDLE;

    private boolean submittedWhileRunning;
    private long dueNanos;

    /** Creates a task. */
    protected Task() {}

    /**
     * Does one piece of work. It should not throw; if it does, it is called again soon. Calls
     * happen one after another, each on any of the threads; a call sees the effects of all earlier
     * ones.
     *
     * @return 0 to be called again when the other tasks have had their turn, {@link #IDLE} to be
     *     called when the task is submitted, or after how many nanoseconds to be called unless it
     *     is submitted earlier
     */
    protected abstract long runPiece();

    /** Starts a daemon thread; may throw. */
    protected abstract Thread startThread(String name, Runnable body);

    /**
     * Notes that no thread runs the task, because none could be started. Each later submission
     * tries to start one again, and so does one during the call, after it. Called without a lock by
     * the thread that tried, never while the task runs.
     *
     * @return true to try once more
     */
    protected abstract boolean noThread(Throwable cause);
  }

  private enum State {
    /** Waits to be submitted. */
    IDLE,
    /** Waits for its time, or to be submitted. */
    DELAYED,
    /** Waits for a thread. */
    READY,
    RUNNING,
    /** Is told that it has no thread. */
    UNABLE,
    /** Runs for the last time. */
    ENDING,
    ENDED
  }

  private final String name;
  private final int count;
  private final ReentrantLock lock = new UnfailingLock();

  /** Signalled if an idle thread has to look for work again. */
  private final Condition work = lock.newCondition();

  /** Signalled if a task has ended, or a thread was started or failed to. */
  private final Condition ended = lock.newCondition();

  /**
   * The tasks that run or wait for a thread or their time; those that wait for a thread in the
   * order of their turns. Only the submission of an idle task may need memory, and throws then:
   * until the task is idle again it has its place, and to move it allocates nothing.
   */
  @GuardedBy("lock")
  private final List<Task> active = new ArrayList<>();

  @GuardedBy("lock")
  private final List<Thread> threads;

  /** The threads that run, which may do so before their starter adds them to the others. */
  private final Set<Thread> inRun = ConcurrentHashMap.newKeySet();

  /** The threads that are being started. */
  @GuardedBy("lock")
  private int starting;

  /** The number of names given to threads. */
  private final AtomicInteger names = new AtomicInteger();

  @GuardedBy("lock")
  private int idle;

  @GuardedBy("lock")
  private boolean closed;

  /**
   * Creates the object without threads.
   *
   * @param name the name of the only thread, or the beginning of the names
   * @param count the maximum number of threads
   */
  public WorkerThreads(String name, int count) {
    this.name = name;
    this.count = count;
    threads = new ArrayList<>(count); // to note a thread that was started needs no memory
  }

  /** Makes a task run as soon as it is its turn. Cheap if it waits for its turn already. */
  public void submit(Task task) {
    boolean start = false;
    lock.lock();
    try {
      switch (task.state) {
        case IDLE, DELAYED -> start = enqueue(task);
        case RUNNING, UNABLE -> task.submittedWhileRunning = true;
        case READY, ENDING, ENDED -> {}
      }
    } finally {
      lock.unlock();
    }
    if (start) {
      startThread(task);
    }
  }

  /** Returns true if the calling thread is one of these, and so must not wait for a task. */
  public boolean includeThisThread() {
    return inRun.contains(Thread.currentThread());
  }

  /** Makes an idle task run after {@code nanos}, or earlier if it is submitted. */
  public void submitIn(Task task, long nanos) {
    boolean start = false;
    lock.lock();
    try {
      if (task.state == State.IDLE) {
        work.signal();
        active.add(task);
        delay(task, nanos);
        start = idle + starting == 0 && takeStart(); // the other threads may be busy for long
      }
    } finally {
      lock.unlock();
    }
    if (start) {
      startThread(task);
    }
  }

  /** Makes a task end after its current piece of work. It never runs again. Does not wait. */
  public void end(Task task) {
    lock.lock();
    try {
      switch (task.state) {
        case IDLE -> task.state = State.ENDED;
        case DELAYED, READY, UNABLE -> leave(task, State.ENDED);
        case RUNNING -> task.state = State.ENDING;
        case ENDING, ENDED -> {}
      }
    } finally {
      lock.unlock();
    }
  }

  /** Waits for the last piece of a task that was ended. An interrupt does not end the wait. */
  public void awaitEnd(Task task) {
    lock.lock();
    try {
      while (task.state == State.ENDING) {
        ended.awaitUninterruptibly();
      }
    } finally {
      lock.unlock();
    }
  }

  /**
   * Ends the threads, and waits for it; an interrupt stays set and does not end the wait. All tasks
   * have ended before.
   */
  @Override
  public void close() {
    List<Thread> all;
    lock.lock();
    try {
      closed = true;
      while (starting > 0) {
        ended.awaitUninterruptibly();
      }
      work.signalAll();
      all = List.copyOf(threads);
    } finally {
      lock.unlock();
    }
    for (Thread thread : all) {
      Uninterrupted.await(thread::join);
    }
  }

  /** Puts a task at the end of the queue; returns true if the caller has to start a thread. */
  @GuardedBy("lock")
  private boolean enqueue(Task task) {
    work.signal();
    makeReady(task);
    int ready = 0;
    for (int i = 0; i < active.size(); i++) {
      ready += active.get(i).state == State.READY ? 1 : 0;
    }
    return idle < ready && takeStart();
  }

  /** Makes a task the last of those that wait for a thread. Throws only if it was idle. */
  @GuardedBy("lock")
  private void makeReady(Task task) {
    active.remove(task);
    active.add(task);
    task.state = State.READY;
  }

  @GuardedBy("lock")
  private void leave(Task task, State next) {
    active.remove(task);
    task.state = next;
  }

  @GuardedBy("lock")
  private void delay(Task task, long nanos) {
    task.state = State.DELAYED;
    task.dueNanos = System.nanoTime() + nanos;
  }

  @GuardedBy("lock")
  private boolean takeStart() {
    if (closed || threads.size() + starting >= count) {
      return false;
    }
    starting++;
    return true;
  }

  /** Starts the thread that {@link #takeStart} counted, with the environment of a task. */
  private void startThread(Task first) {
    Task task = first;
    while (task != null) {
      Thread thread = null;
      Throwable failure = null;
      try {
        thread =
            Objects.requireNonNull(
                task.startThread(newName(), this::run), "startThread of the Env");
      } catch (Throwable e) {
        failure = e;
      }
      boolean isStuck;
      lock.lock();
      try {
        starting--;
        if (thread != null) {
          threads.add(thread);
        }
        boolean waits = task.state == State.READY || task.state == State.DELAYED;
        isStuck = waits && threads.isEmpty() && starting == 0;
        if (isStuck) {
          task.state = State.UNABLE;
        }
        ended.signalAll();
      } finally {
        lock.unlock();
      }
      if (isStuck && failure != null) {
        long again = IDLE;
        try {
          again = task.noThread(failure) ? 0 : IDLE;
        } catch (Throwable e) {
          LOG.error("{}: a task threw when it had no thread", name, e);
        } finally {
          settle(task, again);
        }
      }
      task = nextToStart();
    }
  }

  /** Returns the task to start a thread with if there is none; null if there is no such task. */
  private @Nullable Task nextToStart() {
    lock.lock();
    try {
      work.signal(); // for a task that was submitted while it was told
      Task next = threads.isEmpty() && starting == 0 ? firstWaiting() : null;
      return next != null && takeStart() ? next : null;
    } finally {
      lock.unlock();
    }
  }

  /** Returns the next task that waits for a thread, else one that waits for its time, or null. */
  @GuardedBy("lock")
  private @Nullable Task firstWaiting() {
    Task ready = first(State.READY);
    return ready == null ? first(State.DELAYED) : ready;
  }

  @GuardedBy("lock")
  private @Nullable Task first(State state) {
    for (int i = 0; i < active.size(); i++) {
      if (active.get(i).state == state) {
        return active.get(i);
      }
    }
    return null;
  }

  private String newName() {
    return count == 1 ? name : name + "-" + names.incrementAndGet();
  }

  /** The body of a thread, which outlives what fails between two pieces: the tasks need it. */
  private void run() {
    boolean ended = false;
    while (!ended) {
      try {
        inRun.add(Thread.currentThread());
        runTasks();
        ended = true;
      } catch (Throwable e) {
        continue; // without a message, for which there may be no memory
      }
    }
    inRun.remove(Thread.currentThread());
  }

  private void runTasks() {
    for (Task task = next(); task != null; task = next()) {
      long again = AFTER_FAILURE_NANOS;
      try {
        again = task.runPiece();
      } catch (Throwable e) {
        LOG.error("{}: a task threw; it is called again", name, e);
      } finally {
        settle(task, again);
      }
    }
  }

  /** Waits for the next task; returns null if the thread has to end. */
  private @Nullable Task next() {
    Task task;
    Task unattended;
    lock.lock();
    try {
      task = poll();
      while (task == null && !closed) {
        awaitWork(untilDue());
        task = poll();
      }
      unattended = task == null ? null : leaveRestToAnother();
    } finally {
      lock.unlock();
    }
    if (unattended != null) {
      startThread(unattended);
    }
    return task;
  }

  /** Makes the delayed tasks ready whose time has come, and takes the first ready one. */
  @GuardedBy("lock")
  private @Nullable Task poll() {
    long now = System.nanoTime();
    int i = 0;
    for (int left = active.size(); left > 0; left--) {
      Task each = active.get(i);
      if (each.state == State.DELAYED && each.dueNanos - now <= 0) {
        makeReady(each);
      } else {
        i++;
      }
    }
    Task task = first(State.READY);
    if (task != null) {
      task.state = State.RUNNING;
    }
    return task;
  }

  /** Returns the time until a delayed task is due. */
  @GuardedBy("lock")
  private long untilDue() {
    long now = System.nanoTime();
    long least = Long.MAX_VALUE;
    for (int i = 0; i < active.size(); i++) {
      Task task = active.get(i);
      if (task.state == State.DELAYED) {
        least = Math.min(least, Math.max(0, task.dueNanos - now));
      }
    }
    return least;
  }

  /**
   * Makes an idle thread wait for the other tasks. If there is none and another thread may be
   * started, returns a task that starts it.
   */
  @GuardedBy("lock")
  private @Nullable Task leaveRestToAnother() {
    Task rest = firstWaiting();
    if (rest != null && idle > 0) {
      work.signal();
    } else if (rest != null && takeStart()) {
      return rest;
    }
    return null;
  }

  @GuardedBy("lock")
  @SuppressWarnings("WaitNotInLoop") // the caller loops
  private void awaitWork(long nanos) {
    idle++;
    try {
      work.await(nanos, TimeUnit.NANOSECONDS);
    } catch (InterruptedException e) {
      // Nobody ends these threads by an interrupt.
    } finally {
      idle--;
    }
  }

  private void settle(Task task, long again) {
    lock.lock();
    try {
      if (task.state == State.ENDING) {
        leave(task, State.ENDED);
        ended.signalAll();
      } else if (task.state == State.ENDED) {
        return;
      } else if (again == 0 || task.submittedWhileRunning) {
        makeReady(task);
      } else if (again == IDLE) {
        leave(task, State.IDLE);
      } else {
        delay(task, again);
      }
      task.submittedWhileRunning = false;
    } finally {
      lock.unlock();
    }
  }
}
