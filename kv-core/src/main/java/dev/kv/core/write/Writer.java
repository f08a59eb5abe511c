package dev.kv.core.write;

import dev.kv.core.batch.EncodedBatch;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.nio.ByteBuffer;
import java.util.concurrent.locks.LockSupport;
import org.jspecify.annotations.Nullable;

/**
 * A write that waits in the queue, and the thread that waits with it: until a leader has done the
 * write, or until it is the leader itself. Reusable.
 *
 * <p>The thread owns the fields until it enqueues the writer, the leader from then on until {@link
 * #wake}.
 */
final class Writer {
  /** Spinning; nothing has happened yet. */
  private static final int WAITING = 0;

  /** Parked, or about to be; nothing has happened yet. */
  private static final int PARKED = 1;

  /** The thread is the leader now, and its write is still to be done. */
  static final int LEADS = 2;

  /** The write is done. */
  static final int DONE = 3;

  /** The group failed in the log: {@link #failure} says how, the outcome is unknown. */
  static final int FAILED = 4;

  /** The write could not be encoded: {@link #failure} is to be thrown, nothing was logged. */
  static final int REFUSED = 5;

  /** The log had no room for the group: {@link #failure} says why, nothing was logged. */
  static final int NOT_LOGGED = 6;

  /**
   * About three microseconds: longer than a group without a sync takes, much less than a park and
   * its end.
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
   * The writer that came before, while in the stack; the one that follows, once in the leader's
   * list.
   */
  @Nullable Writer next;

  @Nullable Throwable failure;

  private @Nullable Object key;
  private @Nullable Object value;
  private boolean sync;
  private boolean exclusive;
  private int count;
  private long bytes;

  /**
   * Sets one put or deletion up: arrays, or buffers whose remaining bytes count. A deletion has no
   * value.
   */
  Writer single(Object key, @Nullable Object value, long bytes, boolean sync) {
    this.key = key;
    this.value = value;
    return begin(1, bytes, sync);
  }

  /** Sets a batch up. */
  Writer batch(EncodedBatch batch, boolean sync) {
    key = batch;
    return begin(batch.count(), batch.length(), sync);
  }

  /** Sets up nothing to write, for a thread that only wants to lead. */
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

  /** Forgets the write, so that the pool does not keep it alive. */
  void clear() {
    key = null;
    value = null;
    failure = null;
    next = null;
    thread = null;
    exclusive = false;
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
   * Waits for {@link #wake} and returns what it was given. An interrupt does not end the wait, and
   * the thread's flag is as it was. Needs no timeout: a leader always ends, and hands over when it
   * does.
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
   * Ends the wait with {@code outcome}. The writer is its thread's again: the caller must not touch
   * it afterwards.
   */
  void wake(int outcome) {
    Thread waiting = thread;
    if ((int) STATE.getAndSet(this, outcome) == PARKED) {
      LockSupport.unpark(waiting);
    }
  }
}
