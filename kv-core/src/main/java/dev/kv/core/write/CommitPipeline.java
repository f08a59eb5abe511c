package dev.kv.core.write;

import dev.kv.admin.DBStats;
import dev.kv.core.batch.EncodedBatch;
import dev.kv.core.env.CloseAll;
import dev.kv.core.event.Events;
import dev.kv.core.iterator.TombstoneSkipIndex;
import dev.kv.core.key.InternalKey;
import dev.kv.core.key.UserKeyComparator;
import dev.kv.core.log.NoRoomInLogException;
import dev.kv.core.memory.FieldHandles;
import dev.kv.core.memory.MemoryShortage;
import dev.kv.core.memory.ObjectPool;
import dev.kv.core.memory.OffHeapBudget;
import dev.kv.core.memtable.MemTable;
import dev.kv.errors.ComparatorException;
import dev.kv.errors.DBException;
import dev.kv.errors.DBIOException;
import dev.kv.errors.DBReadOnlyException;
import dev.kv.errors.OffHeapExhaustedException;
import dev.kv.errors.OutcomeUnknownException;
import java.io.IOException;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.nio.ByteBuffer;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * Commits the writes of all threads in one order and in groups: appends a group to the log, inserts
 * it into the memtable, and then makes it visible to readers.
 *
 * <pre>
 * 1. queue      The thread of a write becomes the leader, or waits until a leader has done the
 *               write or hands leadership over. All other steps are those of the leader.
 * 2. check      The error handler: if the database is closed or has failed, nothing was done.
 * 3. room       The memtable gets room for the leader's write; this may wait for a flush. Nothing
 *               is logged yet. Then the condition of the write is checked, if there is one.
 * 4. followers  Waiting writes are added to the group, up to a size. A write with sync never joins
 *               a leader without sync; a leader with sync waits briefly for the writers of the last
 *               group. A follower whose condition does not hold adds nothing, and is told at the
 *               end of the group, because a write of the group may be why it does not hold. One
 *               for which there is no memory leads the next group.
 * 5. log        The group is appended as one record. If the log has no room, nothing was done. Any
 *               other failure from here on is permanent, and the outcome is unknown.
 * 6. sync       If the leader asked for it: all older logs, then this one.
 * 7. insert     The operations are inserted into the memtable, and the ranges of tombstones are
 *               told of them. Then lastSequence is stored: readers see the whole group at once. If
 *               a comparator throws here, writing ends: the group is in the log, and readers see
 *               nothing of it.
 * 8. hand over  The first waiting thread becomes the leader. Then the followers are woken.
 * </pre>
 *
 * <p>Invariants: 1. the sequence numbers in the log have no gap and no repetition; 2. {@link
 * #lastSequence} never passes an operation that is not in the memtable; 3. every acknowledged write
 * is in the log.
 *
 * <p>What each thread sees:
 *
 * <ul>
 *   <li>A leader sees everything that the leaders before it did. The one before it ended with a
 *       volatile write: to the state of the {@link PendingWrite} that it woke, which that thread
 *       then read, or to the top of the {@link CommitQueue}, on which the next leader's
 *       compare-and-set succeeded. So the fields that are owned by the leader are plain.
 *   <li>A leader sees the payload of a follower: the follower enqueued itself with a
 *       compare-and-set after it had stored the payload, and the leader took the queue with an
 *       atomic exchange. A follower sees its outcome and its failure, which were stored before its
 *       state was.
 *   <li>A reader that reads {@code lastSequence} in acquire mode sees every entry with a sequence
 *       number up to it, because the leader stored it in release mode after the insertion.
 * </ul>
 *
 * <p>A put or a delete without concurrent writers allocates nothing on the heap and makes no system
 * call (unless the log does). An interrupt does not fail a write, and the thread's interrupt flag
 * stays set. Nothing here is synchronized, so a virtual thread that waits frees its carrier.
 */
public final class CommitPipeline implements AutoCloseable {
  /** The target is told of groups that are at least this large. */
  private static final int LARGE_GROUP_BYTES = 64 << 10;

  private static final VarHandle LAST_SEQUENCE =
      FieldHandles.of(MethodHandles.lookup(), "lastSequence", long.class);
  private static final VarHandle OPERATIONS =
      FieldHandles.of(MethodHandles.lookup(), "operations", long.class);
  private static final VarHandle LOGGED_BYTES =
      FieldHandles.of(MethodHandles.lookup(), "loggedBytes", long.class);

  private final CommitTarget target;
  private final ErrorHandler errors;
  private final WriteController controller;
  private final CommitQueue queue = new CommitQueue();
  private final ObjectPool<PendingWrite.OfKey<byte[]>> arrays =
      pool(() -> new PendingWrite.OfKey<>(WriteGroup::putOrDelete));
  private final ObjectPool<PendingWrite.OfKey<ByteBuffer>> buffers =
      pool(PendingWrite.OfBuffers::new);
  private final ObjectPool<PendingWrite.OfBatch> batches = pool(PendingWrite.OfBatch::new);

  private final TombstoneSkipIndex skips;

  /** The turn of {@link #close}, which must end writing even if there is no memory for one then. */
  private final PendingWrite.Turn closeTurn = new PendingWrite.Turn();

  /** Written by the leader, in release mode; read by any thread. */
  private long lastSequence;

  // Written by the leader, in opaque mode; statistics may read them late.
  private long operations;
  private long loggedBytes;

  // Owned by the leader.
  private final WriteGroup group;
  private final Followers followers;

  /**
   * Creates a pipeline.
   *
   * @param target the memtables and logs that receive the writes
   * @param stallInputs the inputs for write stalls; {@link #progress} is called after a change
   * @param errors refuses writes once the database has failed or is being closed
   * @param lastSequence the sequence number of the last write before this pipeline
   * @param order the order of the user keys
   * @param budget counts the memory of the commit buffer, as a write buffer
   * @param events receives the stalls
   */
  public CommitPipeline(
      CommitTarget target,
      StallInputs stallInputs,
      ErrorHandler errors,
      long lastSequence,
      UserKeyComparator order,
      OffHeapBudget budget,
      Events events) {
    this.target = target;
    this.errors = errors;
    this.lastSequence = lastSequence;
    this.controller = new WriteController(target, stallInputs, errors, events);
    errors.onChange(controller::progress);
    this.skips = new TombstoneSkipIndex(order, this::beginWatches);
    this.group = new WriteGroup(budget);
    this.followers = new Followers(queue, group);
  }

  private static <T extends PendingWrite> ObjectPool<T> pool(Supplier<T> factory) {
    return new ObjectPool<>(1, factory, write -> {});
  }

  /** Sets the value of {@code key}. */
  public void put(byte[] key, byte[] value, boolean sync) {
    long bytes = operationBytes(key.length, value.length);
    if (!queue.tryLead()) {
      waitAndWrite(arrays.acquire().set(key, value, bytes, sync), arrays);
      return;
    }
    try {
      prepare(bytes, 1);
      group.put(key, value);
    } catch (Throwable e) {
      queue.handOver();
      throw e;
    }
    commit(sync);
  }

  /**
   * Sets the value of {@code key}. Uses the buffers' remaining bytes; does not change their
   * positions.
   */
  public void put(ByteBuffer key, ByteBuffer value, boolean sync) {
    long bytes = operationBytes(key.remaining(), value.remaining());
    if (!queue.tryLead()) {
      waitAndWrite(buffers.acquire().set(key, value, bytes, sync), buffers);
      return;
    }
    try {
      prepare(bytes, 1);
      group.put(key, value);
    } catch (Throwable e) {
      queue.handOver();
      throw e;
    }
    commit(sync);
  }

  /** Removes {@code key}. */
  public void delete(byte[] key, boolean sync) {
    long bytes = operationBytes(key.length, 0);
    waitAndWrite(arrays.acquire().set(key, null, bytes, sync), arrays);
  }

  /** Removes {@code key}. Uses the buffer's remaining bytes; does not change its position. */
  public void delete(ByteBuffer key, boolean sync) {
    long bytes = operationBytes(key.remaining(), 0);
    waitAndWrite(buffers.acquire().set(key, null, bytes, sync), buffers);
  }

  /**
   * Applies {@code batch} atomically. An empty batch writes nothing; with {@code sync} it still
   * makes all earlier writes durable.
   */
  public void write(EncodedBatch batch, boolean sync) {
    if (batch.count() == 0 && !sync) {
      errors.checkWrite();
      return;
    }
    waitAndWrite(batches.acquire().set(batch, sync, null), batches);
  }

  /**
   * Applies {@code batch}, which may be empty, atomically if {@code condition} holds at that
   * moment.
   *
   * @return {@link WriteOutcome#DONE}, or what the check of the condition returned
   */
  public WriteOutcome write(EncodedBatch batch, boolean sync, CommitCondition condition) {
    return waitAndWrite(batches.acquire().set(batch, sync, condition), batches);
  }

  /** Throws if a write would be refused now, which it need not read tables to find out. */
  public void checkWrites() {
    errors.checkWrite();
  }

  /**
   * Waits until no other thread writes, and keeps all others from writing until the result is
   * closed by this thread.
   *
   * @throws dev.kv.errors.DBClosedException if the database is closed
   * @throws DBReadOnlyException if it has failed
   */
  public ExclusiveWriter exclusive() {
    return exclusive(false);
  }

  /**
   * Does the same for a sync of the logs. A failure that may be tried again does not refuse it,
   * because the logs are as they were.
   */
  public ExclusiveWriter exclusiveForSync() {
    return exclusive(true);
  }

  private ExclusiveWriter exclusive(boolean forSync) {
    becomeLeader(new PendingWrite.Turn());
    try {
      if (forSync) {
        errors.checkResumable();
      } else {
        errors.checkWrite();
      }
      return new ExclusiveWriter(this, target, errors, controller, group);
    } catch (Throwable e) {
      queue.handOver();
      throw e;
    }
  }

  /**
   * Does the same without waiting: returns null if a thread writes at this moment, or if the
   * database takes no writes.
   */
  public @Nullable ExclusiveWriter tryExclusive() {
    if (!queue.tryLead()) {
      return null;
    }
    ExclusiveWriter writer = null;
    try {
      if (errors.isOpen()) {
        writer = new ExclusiveWriter(this, target, errors, controller, group);
      }
    } finally {
      if (writer == null) {
        queue.handOver();
      }
    }
    return writer;
  }

  /** Ends the exclusive access. */
  void endExclusive() {
    queue.handOver();
  }

  /** Begins the watches between two groups, unless a thread writes: then its group begins them. */
  private void beginWatches(TombstoneSkipIndex offered) {
    try (ExclusiveWriter writer = tryExclusive()) {
      if (writer != null) {
        offered.beginWatches(writer.lastSequence() + 1);
      }
    }
  }

  /** Returns the ranges of tombstones that seeks skip. Each commit keeps them correct. */
  public TombstoneSkipIndex skips() {
    return skips;
  }

  /** Lets readers see a sequence number whose content has not passed the log. Leader only. */
  void publish(long sequence) {
    LAST_SEQUENCE.setRelease(this, sequence);
  }

  /** Returns the sequence number of the last write that readers see. */
  public long lastSequence() {
    return (long) LAST_SEQUENCE.getAcquire(this);
  }

  /**
   * Makes a waiting writer check again whether it must wait. Must be called after a flush or
   * compaction was installed, and after {@link StallInputs} has changed so that it may go on.
   */
  public void progress() {
    controller.progress();
  }

  /**
   * Ends writing: every later write, and every write that waits, throws {@link
   * dev.kv.errors.DBClosedException}. When it returns, no write is running and nothing calls the
   * target any more. Must be called once.
   */
  @Override
  public void close() {
    errors.beginClose();
    becomeLeader(closeTurn);
    try {
      group.close();
    } finally {
      queue.handOver();
    }
  }

  /** Returns the number of puts and deletes that this pipeline has done. */
  public long operations() {
    return (long) OPERATIONS.getOpaque(this);
  }

  /** Returns the number of bytes of all batches that this pipeline has logged. */
  public long loggedBytes() {
    return (long) LOGGED_BYTES.getOpaque(this);
  }

  /** Returns the statistics of write stalls. */
  public DBStats.WriteStalls stalls() {
    return controller.stalls();
  }

  private static long operationBytes(int keyLength, int valueLength) {
    InternalKey.requireWritable(keyLength);
    long bytes = (long) keyLength + valueLength + WriteGroup.OPERATION_OVERHEAD;
    if (bytes > WriteGroup.MAX_BYTES) {
      throw new IllegalArgumentException(
          "key and value of " + keyLength + " and " + valueLength + " bytes: 2 GiB is too much");
    }
    return bytes;
  }

  /**
   * Waits until another thread has done the write, or does it as the leader, and returns it to its
   * pool. Returns {@link WriteOutcome#DONE}, or for a write with a condition what its check
   * returned.
   */
  private <W extends PendingWrite> WriteOutcome waitAndWrite(W write, ObjectPool<W> pool) {
    Throwable failure;
    WriteOutcome outcome = leadOrAwait(write);
    try {
      if (outcome == WriteOutcome.REFUSED && write.copyForLeader()) {
        outcome = leadOrAwait(write);
      }
      if (outcome == WriteOutcome.LEADS) {
        outcome = writeAsLeader(write);
      }
      failure = write.failure();
    } finally {
      write.clear();
      pool.release(write);
    }
    return switch (outcome) {
      case DONE, CONFLICT, STALE -> outcome;
      case REFUSED -> throw refused(failure);
      case NOT_LOGGED -> throw notLogged(failure);
      case FAILED -> throw failureOf(failure);
      case LEADS -> throw new AssertionError(outcome);
    };
  }

  private WriteOutcome leadOrAwait(PendingWrite write) {
    return queue.leadOrEnqueue(write) ? WriteOutcome.LEADS : write.await();
  }

  private WriteOutcome writeAsLeader(PendingWrite write) {
    WriteOutcome checked;
    try {
      prepare(write.bytes(), write.count());
      checked = write.check(lastSequence, group);
      if (checked == WriteOutcome.DONE) {
        write.encodeInto(group);
      }
    } catch (Throwable e) {
      queue.handOver();
      throw e;
    }
    if (checked == WriteOutcome.DONE) {
      commit(write.isSync());
    } else {
      queue.handOver();
    }
    return checked;
  }

  /** Waits until the calling thread is the leader, with nothing of its own to write. */
  private void becomeLeader(PendingWrite.Turn turn) {
    turn.begin();
    if (!queue.leadOrEnqueue(turn) && turn.await() != WriteOutcome.LEADS) {
      throw new AssertionError("a thread that waits for its turn was made a follower");
    }
  }

  /** Steps 2 and 3, for the leader's own operations. */
  void prepare(long bytes, int count) {
    errors.checkWrite();
    requireSequences(count);
    controller.makeRoom(bytes, count);
    try {
      group.begin(bytes);
    } catch (OffHeapExhaustedException e) {
      awaitBuffer(bytes, count);
    }
  }

  /** The flush of this memtable may be what releases memory: it must not wait for the write. */
  private void awaitBuffer(long bytes, int count) {
    group.trim();
    controller.forceSwitch();
    controller.makeRoom(bytes, count);
    target.awaitMemory(WriteGroup.bufferBytes(bytes), () -> group.begin(bytes));
  }

  void requireSequences(int count) {
    if (InternalKey.MAX_SEQUENCE - lastSequence < count) {
      throw new DBReadOnlyException(
          "the database has used up its sequence numbers: copy it into a new one");
    }
  }

  /** Steps 4 to 8. The leader's own operations are in the group. */
  private void commit(boolean sync) {
    Throwable failure = null;
    WriteOutcome outcome = WriteOutcome.DONE;
    boolean flushEarly = false;
    try {
      MemTable memtable = target.memtable();
      followers.gather(memtable, sync, lastSequence);
      logAndApply(memtable, sync);
      flushEarly = wantsFlush(memtable);
      if (sync) {
        followers.noteSyncedGroup();
      }
    } catch (NoRoomInLogException e) {
      failure = e;
      outcome = WriteOutcome.NOT_LOGGED;
    } catch (Throwable e) {
      failure = e;
      outcome = WriteOutcome.FAILED;
      failed(e);
    } finally {
      PendingWrite others = followers.removeAll();
      queue.handOver();
      Followers.complete(others, outcome, failure);
    }
    if (outcome == WriteOutcome.NOT_LOGGED) {
      throw notLogged(failure);
    } else if (failure != null) {
      throw failureOf(failure);
    }
    if (flushEarly) {
      target.flushEarly();
    }
  }

  /** Returns true if the memtable may have to be flushed before it is full, after this group. */
  boolean wantsFlush(MemTable memtable) {
    return group.bytes() >= LARGE_GROUP_BYTES || memtable.hasManyTombstones();
  }

  /** Steps 5 to 7. */
  void logAndApply(MemTable memtable, boolean sync) throws IOException {
    int count = group.count();
    long first = lastSequence + 1;
    ByteBuffer record = group.record(first);
    if (sync) {
      long start = System.nanoTime();
      target.append(record, group.recordLength(), true);
      followers.noteSync(System.nanoTime() - start);
    } else {
      target.append(record, group.recordLength(), false);
    }
    LOGGED_BYTES.setOpaque(this, loggedBytes + group.recordLength());
    if (count > 0) {
      group.insertInto(memtable, first);
      if (!skips.isEmpty()) {
        group.reportTo(skips, first);
      }
      OPERATIONS.setOpaque(this, operations + count);
      LAST_SEQUENCE.setRelease(this, lastSequence + count);
    }
    target.committed(lastSequence, sync);
  }

  void failed(Throwable cause) {
    try {
      errors.fail("a write", cause);
    } catch (Throwable e) {
      CloseAll.addSuppressed(cause, e);
    }
  }

  /** Returns the exception for one writer of a group that found no room in the log. */
  static DBException notLogged(@Nullable Throwable cause) {
    String message = "the log cannot be extended: the write was not done and may be tried again";
    return cause != null && MemoryShortage.isCauseOf(cause)
        ? new OffHeapExhaustedException(message, cause)
        : new DBIOException(message, cause);
  }

  /** Returns the exception for one writer of a group that failed; all writers share the cause. */
  static DBException failureOf(@Nullable Throwable cause) {
    if (cause instanceof ComparatorException e) {
      // Only step 7 compares keys, so the group is in the log.
      return new ComparatorException(
          e.getMessage()
              + ": the write is in the log, whole, and no read sees any of it; the database is"
              + " read-only until it is opened again, which brings the write back",
          e);
    }
    return new OutcomeUnknownException(
        "the write failed after it was handed to the log: whether it is there after the database is"
            + " opened again is unknown; until then the database is read-only",
        cause);
  }

  private static RuntimeException refused(@Nullable Throwable cause) {
    if (cause instanceof DBException ofTheCheck) {
      return ofTheCheck;
    }
    return new IllegalStateException(
        "key, value or batch were changed by another thread during the write, which was not done",
        cause);
  }
}
