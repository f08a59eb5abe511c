package dev.kv.core.write;

import dev.kv.core.batch.EncodedBatch;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.nio.ByteBuffer;
import java.util.concurrent.locks.LockSupport;
import org.jspecify.annotations.Nullable;

/**
 * A write in the queue, and its waiting thread. The thread waits until a leader has done the write,
 * or until it becomes the leader itself. Reusable.
 *
 * <p>The thread owns the fields until it enqueues the writer; the leader owns them from then on
 * until {@link #wake}.
 */
final class Writer {
  /** The thread spins and has not been woken. */
  private static final int WAITING = 0;

  /** The thread is parked, or about to park, and has not been woken. */
  private static final int PARKED = 1;

  /** The thread is the leader now, and must do its write itself. */
  static final int LEADS = 2;

  /** The write is done. */
  static final int DONE = 3;

  /** Writing the group failed with {@link #failure}; the outcome is unknown. */
  static final int FAILED = 4;

  /** The write could not be encoded: {@link #failure} must be thrown, and nothing was logged. */
  static final int REFUSED = 5;

  /** The log had no room for the group: {@link #failure} says why, nothing was logged. */
  static final int NOT_LOGGED = 6;

  /** The condition of the write does not hold: it was not done. */
  static final int CONFLICT = 7;

  /** The condition of the write could not be checked: the owner must start again. */
  static final int STALE = 8;

  /**
   * About three microseconds: longer than a group without a sync takes, and much shorter than a
   * park and an unpark.
   */
  private static final int SPINS = Runtime.getRuntime().availableProcessors() > 1 ? 100 : 0;

  private static final VarHandle STATE;

  static {
    try {
      STATE = MethodHandles.lookup().findVarHandle(Writer.class, "state", int.class);
    } catch (ReflectiveOperationException e) {
      throw new ExceptionInInitializerError(e);
    }
  }

  private volatile int state;
  private @Nullable Thread thread;

  /**
   * In the stack, the writer that arrived before this one; in the leader's list, the one that
   * follows it.
   */
  @Nullable Writer next;

  @Nullable Throwable failure;

  /** What the leader found out about the condition of a follower. */
  CommitCondition.Verdict verdict = CommitCondition.Verdict.HOLDS;

  private @Nullable Object key;
  private @Nullable Object value;
  private @Nullable CommitCondition condition;
  private boolean sync;
  private boolean exclusive;
  private int count;
  private long bytes;

  /**
   * Prepares one put or deletion. Key and value are arrays, or buffers whose remaining bytes are
   * used. A deletion has no value.
   */
  Writer single(Object key, @Nullable Object value, long bytes, boolean sync) {
    this.key = key;
    this.value = value;
    return begin(1, bytes, sync);
  }

  /** Prepares a batch, with a condition unless that is null. */
  Writer batch(EncodedBatch batch, boolean sync, @Nullable CommitCondition condition) {
    key = batch;
    this.condition = condition;
    return begin(batch.count(), batch.length(), sync);
  }

  /** Prepares an empty write, for a thread that only needs to be the leader. */
  Writer nothing() {
    exclusive = true;
    return begin(0, 0, false);
  }

  private Writer begin(int count, long bytes, boolean sync) {
    this.count = count;
    this.bytes = bytes;
    this.sync = sync;
    thread = Thread.currentThread();
    STATE.setRelease(this, WAITING);
    return this;
  }

  /** Clears the write, so that the pool does not keep its objects reachable. */
  void clear() {
    key = null;
    value = null;
    failure = null;
    next = null;
    thread = null;
    exclusive = false;
    condition = null;
    verdict = CommitCondition.Verdict.HOLDS;
  }

  /** Adds the write's operations to the end of {@code group}. */
  void encodeInto(WriteGroup group) {
    Object first = key;
    Object second = value;
    if (first instanceof EncodedBatch batch) {
      group.batch(batch, (int) bytes, count);
    } else if (first instanceof byte[] array) {
      if (second instanceof byte[] with) {
        group.put(array, with);
      } else {
        group.delete(array);
      }
    } else if (first instanceof ByteBuffer buffer) {
      if (second instanceof ByteBuffer with) {
        group.put(buffer, with);
      } else {
        group.delete(buffer);
      }
    }
  }

  /**
   * Checks the condition of the write, if there is one, against all writes up to {@code
   * lastSequence} and those in {@code group}. Called by the leader.
   */
  CommitCondition.Verdict verdictAfter(long lastSequence, WriteGroup group) {
    CommitCondition check = condition;
    return check == null
        ? CommitCondition.Verdict.HOLDS
        : check.check(lastSequence, group.operations(), group.count());
  }

  /** Returns the outcome of a write whose group is done. */
  static int outcomeOf(CommitCondition.Verdict verdict) {
    return switch (verdict) {
      case HOLDS -> DONE;
      case FAILS -> CONFLICT;
      case STALE -> STALE;
    };
  }

  /** Returns the condition of the write, or null. */
  @Nullable CommitCondition condition() {
    return condition;
  }

  int count() {
    return count;
  }

  /** Returns an upper bound of the bytes that the write adds to a group. */
  long bytes() {
    return bytes;
  }

  /** Returns true if no leader may add the writer to its group. */
  boolean isExclusive() {
    return exclusive;
  }

  boolean isSync() {
    return sync;
  }

  /**
   * Waits for {@link #wake} and returns its outcome. An interrupt does not end the wait, and the
   * thread's interrupt flag is restored. No timeout is needed, because a leader always ends and
   * hands leadership over.
   */
  int await() {
    for (int i = SPINS; i > 0; i--) {
      if (state != WAITING) {
        return state;
      }
      Thread.onSpinWait();
    }
    if (STATE.compareAndSet(this, WAITING, PARKED)) {
      boolean interrupted = false;
      while (state == PARKED) {
        LockSupport.park(this);
        interrupted |= Thread.interrupted();
      }
      if (interrupted) {
        Thread.currentThread().interrupt();
      }
    }
    return state;
  }

  /**
   * Ends the wait with {@code outcome}. The thread owns the writer again: the caller must not
   * access it afterwards.
   */
  void wake(int outcome) {
    Thread waiting = thread;
    if ((int) STATE.getAndSet(this, outcome) == PARKED) {
      LockSupport.unpark(waiting);
    }
  }
}
