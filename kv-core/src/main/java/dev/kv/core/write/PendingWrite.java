package dev.kv.core.write;

import dev.kv.core.batch.EncodedBatch;
import dev.kv.core.memory.FieldHandles;
import dev.kv.file.PendingFault;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.nio.ByteBuffer;
import java.util.concurrent.locks.LockSupport;
import org.jspecify.annotations.Nullable;

/**
 * A write in the queue, and its waiting thread. The thread waits until a leader has done the write,
 * or until it becomes the leader itself. Reusable.
 *
 * <p>The thread owns the fields until it enqueues the write; the leader owns them from then on
 * until {@link #complete}. {@link CommitQueue} passes them from the thread to the leader, and
 * {@code state} passes them back.
 */
abstract sealed class PendingWrite {
  /** The thread spins and has not been woken. Other states are the ordinal of the outcome. */
  private static final int WAITING = -1;

  /** The thread is parked, or about to park, and has not been woken. */
  private static final int PARKED = -2;

  private static final WriteOutcome[] OUTCOMES = WriteOutcome.values();

  /**
   * About three microseconds: longer than a group without a sync takes, and much shorter than a
   * park and an unpark.
   */
  private static final int SPINS = Runtime.getRuntime().availableProcessors() > 1 ? 100 : 0;

  private static final VarHandle STATE =
      FieldHandles.of(MethodHandles.lookup(), "state", int.class);

  private volatile int state;
  private @Nullable Thread thread;
  private @Nullable Throwable failure;
  private boolean sync;
  private int count;
  private long bytes;

  /**
   * In the stack, the write that arrived before this one; in the leader's list, the one that
   * follows it.
   */
  @Nullable PendingWrite next;

  /** The outcome if the group of the write succeeds: the result of the write's condition. */
  WriteOutcome checked = WriteOutcome.DONE;

  /** Prepares the base for a write of the calling thread. */
  final void begin(int operations, long maxBytes, boolean durable) {
    count = operations;
    bytes = maxBytes;
    sync = durable;
    thread = Thread.currentThread();
    STATE.setRelease(this, WAITING);
  }

  /** Clears the write, so that the pool does not keep its objects reachable. */
  void clear() {
    failure = null;
    next = null;
    thread = null;
    checked = WriteOutcome.DONE;
  }

  /** Adds the operations of the write to the end of {@code group}. */
  abstract void encodeInto(WriteGroup group);

  /**
   * Checks the condition of the write, if there is one, against all writes up to {@code
   * lastSequence} and those in {@code group}. Called by the leader.
   */
  WriteOutcome check(long lastSequence, WriteGroup group) {
    return WriteOutcome.DONE;
  }

  /**
   * Replaces key and value with copies after a leader could not read them, if a copy may help.
   * Called by the thread of the write, which may be the only one that can read them.
   *
   * @return false if the write is refused
   */
  boolean copyForLeader() {
    return false;
  }

  /** Returns the number of keys and ranges that {@link #check} looks at. */
  int conditionSize() {
    return 0;
  }

  /** Returns true if a leader may add the write to its group. */
  boolean mayFollow() {
    return true;
  }

  /** Returns the number of operations. */
  final int count() {
    return count;
  }

  /** Returns an upper bound of the bytes that the write adds to a group. */
  final long bytes() {
    return bytes;
  }

  final boolean isSync() {
    return sync;
  }

  /** Returns why the write failed, or null. */
  final @Nullable Throwable failure() {
    return failure;
  }

  /**
   * Waits for {@link #complete} and returns its outcome. An interrupt does not end the wait, and
   * the thread's interrupt flag is restored. No timeout is needed, because a leader always ends and
   * hands leadership over.
   */
  final WriteOutcome await() {
    for (int i = SPINS; i > 0; i--) {
      if (state != WAITING) {
        return OUTCOMES[state];
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
    return OUTCOMES[state];
  }

  /**
   * Ends the wait. The thread owns the write again: the caller must not access it afterwards.
   *
   * @param why the reason of a failure, or null
   */
  final void complete(WriteOutcome outcome, @Nullable Throwable why) {
    Thread waiting = thread;
    failure = why;
    if ((int) STATE.getAndSet(this, outcome.ordinal()) == PARKED) {
      LockSupport.unpark(waiting);
    }
  }

  /**
   * A put or a deletion of one key. A deletion has no value.
   *
   * @param <B> how key and value are given: as arrays, or as the remaining bytes of buffers
   */
  static sealed class OfKey<B> extends PendingWrite {
    private final Encoder<B> encoder;
    private @Nullable B key;
    private @Nullable B value;

    /** Adds one operation to a group. */
    interface Encoder<B> {
      void encode(WriteGroup group, B key, @Nullable B value);
    }

    OfKey(Encoder<B> encoder) {
      this.encoder = encoder;
    }

    OfKey<B> set(B newKey, @Nullable B newValue, long bytes, boolean sync) {
      key = newKey;
      value = newValue;
      begin(1, bytes, sync);
      return this;
    }

    @Override
    void encodeInto(WriteGroup group) {
      encoder.encode(group, given(key), value);
    }

    @Override
    void clear() {
      super.clear();
      key = null;
      value = null;
    }
  }

  /** The same with buffers, which may be those of a confined arena. */
  static final class OfBuffers extends OfKey<ByteBuffer> {
    private final PendingFault pendingFault = new PendingFault();

    OfBuffers() {
      super(WriteGroup::putOrDelete);
    }

    @Override
    boolean copyForLeader() {
      ByteBuffer key = copy(given(super.key));
      ByteBuffer value = super.value == null ? null : copy(super.value);
      int valueLength = value == null ? 0 : value.capacity();
      if ((long) key.capacity() + valueLength + WriteGroup.OPERATION_OVERHEAD != bytes()) {
        return false; // another thread has changed a buffer
      }
      set(key, value, bytes(), isSync());
      return true;
    }

    private ByteBuffer copy(ByteBuffer buffer) {
      ByteBuffer copy = ByteBuffer.allocate(buffer.remaining());
      pendingFault.copyKeyOrValue(buffer, copy, 0);
      return copy;
    }
  }

  /** A batch, which may have a condition. */
  static final class OfBatch extends PendingWrite {
    private @Nullable EncodedBatch batch;
    private @Nullable CommitCondition condition;

    OfBatch set(EncodedBatch newBatch, boolean sync, @Nullable CommitCondition newCondition) {
      batch = newBatch;
      condition = newCondition;
      begin(newBatch.count(), newBatch.length(), sync);
      return this;
    }

    @Override
    void encodeInto(WriteGroup group) {
      group.batch(given(batch), (int) bytes(), count());
    }

    @Override
    WriteOutcome check(long lastSequence, WriteGroup group) {
      CommitCondition check = condition;
      return check == null ? WriteOutcome.DONE : check.check(lastSequence, group.operations());
    }

    @Override
    int conditionSize() {
      CommitCondition check = condition;
      return check == null ? 0 : check.size();
    }

    @Override
    void clear() {
      super.clear();
      batch = null;
      condition = null;
    }
  }

  /** Writes nothing: its thread waits to be the leader. No leader adds it to a group. */
  static final class Turn extends PendingWrite {
    /** Prepares the turn of the calling thread. */
    Turn begin() {
      begin(0, 0, false);
      return this;
    }

    @Override
    void encodeInto(WriteGroup group) {
      throw new AssertionError("a turn has no operations");
    }

    @Override
    boolean mayFollow() {
      return false;
    }
  }

  private static <T> T given(@Nullable T field) {
    if (field == null) {
      throw new AssertionError("a write without its key or batch");
    }
    return field;
  }
}
