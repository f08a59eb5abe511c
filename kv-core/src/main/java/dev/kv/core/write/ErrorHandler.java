package dev.kv.core.write;

import dev.kv.core.env.CloseAll;
import dev.kv.core.event.Events;
import dev.kv.core.logging.EngineLogger;
import dev.kv.core.memory.MemoryShortage;
import dev.kv.errors.DBClosedException;
import dev.kv.errors.DBReadOnlyException;
import dev.kv.errors.OffHeapExhaustedException;
import dev.kv.event.FailureEvent;
import java.util.Arrays;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.function.UnaryOperator;
import org.jspecify.annotations.Nullable;

/**
 * Holds the errors of a database, and with them whether it accepts writes. Created before all other
 * parts of an open database. Every part that can fail reports to it, and every part that may have
 * to stop asks it. Thread-safe.
 *
 * <pre>
 * what has failed                                     writes               until
 * a write or sync of a log, the MANIFEST, CURRENT     refused: permanent   the next open
 * a job that logged no edit                           refused: resumable   the job succeeds
 * the same, because memory is short                   accepted: shortage   the job succeeds
 * </pre>
 *
 * During a shortage, only calls that have waited for a flush or compaction too long throw.
 *
 * <p>Invariants: 1. a close and a permanent failure are final; 2. the first permanent failure is
 * kept; 3. after {@link #fail} has returned, and in every thread that a listener wakes, writes are
 * refused; 4. the failure of {@link #fail} is kept even if there is no heap memory.
 */
public final class ErrorHandler {
  private static final EngineLogger LOG = EngineLogger.of(ErrorHandler.class);
  private static final State NO_FAILURE = new State(0, Map.of(), Map.of());

  /** How long a flush or compaction may want memory before those who wait for it throw. */
  public static final long MAX_SHORTAGE_WAIT_NANOS = TimeUnit.SECONDS.toNanos(1);

  private final String database;
  private final Events events;

  /** Replaced as a whole: a loop over an array allocates nothing. */
  private volatile Runnable[] listeners = {};

  /** Written under this object's monitor, read by any thread. */
  private volatile State state = NO_FAILURE;

  /** True once the close has begun; not a part of the state, because a new state needs memory. */
  private volatile boolean closing;

  /**
   * The first failure after which nobody knows what is on disk, or null. Written once, under this
   * object's monitor; not a part of the state, for the same reason.
   */
  private volatile @Nullable Throwable permanent;

  /** A shortage for which the state had no memory, or null. */
  private volatile @Nullable Throwable unnotedShortage;

  /**
   * The failures that are not permanent, replaced as a whole.
   *
   * @param resumes the number of resumes that have begun
   * @param resumable the last failure of each job that failed and may be tried again, the oldest
   *     first; immutable
   * @param shortages the same of each job that waits for memory
   */
  private record State(
      int resumes, Map<String, Throwable> resumable, Map<String, Throwable> shortages) {
    boolean hasFailed(String job) {
      return resumable.containsKey(job) || shortages.containsKey(job);
    }

    State resume() {
      return new State(resumes + 1, resumable, shortages);
    }

    State failResumably(String job, Throwable cause) {
      return new State(resumes, with(resumable, job, cause), with(shortages, job, null));
    }

    State runShort(String job, Throwable cause) {
      return new State(resumes, with(resumable, job, null), with(shortages, job, cause));
    }

    State succeed(String job) {
      return new State(resumes, with(resumable, job, null), with(shortages, job, null));
    }

    private static Map<String, Throwable> with(
        Map<String, Throwable> map, String job, @Nullable Throwable cause) {
      Map<String, Throwable> changed = new LinkedHashMap<>(map);
      changed.remove(job);
      if (cause != null) {
        changed.put(job, cause);
      }
      return Collections.unmodifiableMap(changed);
    }

    static @Nullable Throwable first(Map<String, Throwable> failures) {
      return failures.isEmpty() ? null : failures.values().iterator().next();
    }
  }

  /**
   * Creates a handler that knows of no error.
   *
   * @param events receives the failures, and names the database in messages
   */
  public ErrorHandler(Events events) {
    this.events = events;
    database = events.database();
  }

  /**
   * Adds a listener. The thread that changes the state calls it after each change; it must be quick
   * and must not throw. Its purpose is to wake threads that must check the state again.
   */
  public synchronized void onChange(Runnable listener) {
    Runnable[] more = Arrays.copyOf(listeners, listeners.length + 1);
    more[listeners.length] = listener;
    listeners = more;
  }

  /** Returns true if writes are accepted. */
  public boolean isOpen() {
    return isOpen(state);
  }

  private boolean isOpen(State now) {
    return permanent == null && !closing && now.resumable().isEmpty();
  }

  /** Returns true if the close has begun. */
  public boolean isClosing() {
    return closing;
  }

  /** Returns true after a failure that only a new open ends. */
  public boolean isFailedPermanently() {
    return permanent != null;
  }

  /**
   * Returns true unless the close has begun or a permanent failure forbids every change on disk.
   */
  public boolean allowsJobs() {
    return permanent == null && !closing;
  }

  /** Returns the failure that keeps writes refused, or null. */
  public @Nullable Throwable failure() {
    return failure(state);
  }

  private @Nullable Throwable failure(State now) {
    Throwable first = permanent;
    return first == null ? State.first(now.resumable()) : first;
  }

  /** Returns true while a job waits for memory. */
  public boolean isShortOfMemory() {
    return unnotedShortage != null || !state.shortages().isEmpty();
  }

  /**
   * Checks that work may begin or continue.
   *
   * @throws DBClosedException if the close has begun
   * @throws DBReadOnlyException if something has failed, with the first failure as its cause
   */
  public void check() {
    State now = state;
    if (!isOpen(now)) {
      throw closing ? new DBClosedException("the database was closed") : readOnly(now, "");
    }
  }

  /**
   * Checks that failed jobs, if there are any, may be tried again. The logs may be synced then.
   *
   * @throws DBClosedException if the close has begun
   * @throws DBReadOnlyException after a permanent failure
   */
  public void checkResumable() {
    if (!allowsJobs()) {
      check();
    }
  }

  /**
   * Checks that no job waits for memory. Called by those who have waited for a job for {@link
   * #MAX_SHORTAGE_WAIT_NANOS}.
   *
   * @param outcome what that means for them, for the message
   * @throws OffHeapExhaustedException if one does
   */
  public void checkMemory(String outcome) {
    Throwable shortage = State.first(state.shortages());
    if (shortage == null) {
      shortage = unnotedShortage;
    }
    if (shortage != null) {
      throw new OffHeapExhaustedException(
          "a flush or compaction of the database in "
              + database
              + " waits for "
              + kind(shortage)
              + " memory; "
              + outcome
              + ": "
              + shortage.getMessage(),
          shortage);
    }
  }

  /**
   * Checks that the close has not begun.
   *
   * @throws DBClosedException if it has
   */
  public void checkNotClosing() {
    if (isClosing()) {
      throw new DBClosedException("the database was closed");
    }
  }

  /** Does the same as {@link #check} for a write that has not been logged yet. */
  void checkWrite() {
    State now = state;
    if (!isOpen(now)) {
      throw closing
          ? new DBClosedException("the database is closed: the write was not done")
          : readOnly(now, ": the write was not done");
    }
  }

  private DBReadOnlyException readOnly(State now, String outcome) {
    boolean resumable = permanent == null;
    return new DBReadOnlyException(
        "the database in "
            + database
            + " has been read-only since an earlier failure, given as the cause"
            + outcome
            + (resumable
                ? "; db.admin().resume() tries the failed work again"
                : "; close it and open it again"),
        failure(now),
        resumable);
  }

  /**
   * Refuses writes because of a failure after which the state on disk is unknown. Writes and waits
   * throw from now on, until the database is opened again; reads continue.
   *
   * @param during the operation that failed, for the log message
   */
  public void fail(String during, Throwable cause) {
    boolean first = setPermanent(cause);
    notifyListeners();
    if (first) {
      events.post(new FailureEvent(database, during, cause, false));
    } else {
      LOG.warn("{}: {} failed too: {}", database, during, cause.toString());
    }
  }

  /** Returns true for the first failure. Allocates nothing. */
  private synchronized boolean setPermanent(Throwable cause) {
    boolean first = permanent == null;
    if (first) {
      permanent = cause;
    }
    return first;
  }

  /**
   * Refuses writes because a job failed that has changed nothing that an open reads. Writes and
   * waits throw until {@link #succeed} is called for the job.
   *
   * @param job the job's name; one that failed before has one failure all the same
   * @param resumesBefore {@link #resumes} when the job began
   * @return false if a resume has begun since: nothing has changed, and the job must be tried again
   */
  public boolean failResumably(String job, Throwable cause, int resumesBefore) {
    State before = note(job, cause, resumesBefore, now -> now.failResumably(job, cause));
    if (before == null) {
      return false;
    }
    notifyListeners();
    if (failure(before) == null) {
      events.post(new FailureEvent(database, job, cause, true));
    } else {
      LOG.warn("{}: {} failed again: {}", database, job, cause.toString());
    }
    return true;
  }

  /**
   * Notes that a job waits for memory. Writes stay accepted, and {@link #checkMemory} throws, until
   * {@link #succeed} is called for the job. The rest is as for {@link #failResumably}.
   */
  public boolean runShort(String job, Throwable cause, int resumesBefore) {
    State before = note(job, cause, resumesBefore, now -> now.runShort(job, cause));
    if (before == null) {
      return false;
    }
    if (!before.shortages().containsKey(job)) {
      notifyListeners();
      LOG.warn("{}: {} waits for {} memory: {}", database, job, kind(cause), cause.toString());
    }
    return true;
  }

  /** Returns the state before the change, or null without a change if a resume has begun since. */
  private @Nullable State note(
      String job, Throwable cause, int resumesBefore, UnaryOperator<State> change) {
    synchronized (this) {
      if (state.resumes() == resumesBefore) {
        return update(change);
      }
    }
    LOG.warn(
        "{}: {} failed after a resume that it began before, and is tried again: {}",
        database,
        job,
        cause.toString());
    return null;
  }

  /** Notes that a resume of the database begins, before failed jobs are tried again. */
  public void beginResume() {
    update(State::resume);
  }

  /** Returns the number of resumes that have begun. */
  public int resumes() {
    return state.resumes();
  }

  /**
   * Notes, without memory, that a job waits for memory. Wakes nobody: those who wait look again.
   */
  public void runShortUnnoted(Throwable cause) {
    unnotedShortage = cause;
  }

  /** Returns which memory is short. */
  private static String kind(Throwable shortage) {
    return MemoryShortage.isCauseOf(shortage) ? "off-heap" : "heap";
  }

  /** Returns the state before the change. */
  private synchronized State update(UnaryOperator<State> change) {
    State before = state;
    state = change.apply(before);
    return before;
  }

  /** Calls all listeners, and then throws what the first one threw that failed. */
  private void notifyListeners() {
    Throwable first = null;
    for (Runnable listener : listeners) {
      try {
        listener.run();
      } catch (Throwable e) {
        first = first == null ? e : first;
      }
    }
    if (first != null) {
      throw CloseAll.unchecked(first);
    }
  }

  /** Forgets the failure of a job, which has succeeded now or has nothing to do any more. */
  public void succeed(String job) {
    State before = update(now -> now.succeed(job));
    unnotedShortage = null; // last: without memory for the update it is noted at the next success
    if (before.hasFailed(job)) {
      notifyListeners();
      LOG.info("{}: {} succeeded after its failure", database, job);
    }
  }

  /** Returns true if the last run of a job failed and it may be tried again. */
  public boolean hasFailed(String job) {
    return unnotedShortage != null || state.hasFailed(job);
  }

  /** Refuses writes for the close. Allocates nothing: the close must not run beside writes. */
  public void beginClose() {
    closing = true;
    notifyListeners();
  }
}
