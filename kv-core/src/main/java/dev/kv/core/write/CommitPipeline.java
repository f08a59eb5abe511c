package dev.kv.core.write;

import dev.kv.ComparatorException;
import dev.kv.DBClosedException;
import dev.kv.DBException;
import dev.kv.DBIOException;
import dev.kv.DBReadOnlyException;
import dev.kv.DBStats;
import dev.kv.OffHeapExhaustedException;
import dev.kv.core.batch.EncodedBatch;
import dev.kv.core.event.Events;
import dev.kv.core.iterator.DeadRanges;
import dev.kv.core.key.InternalKey;
import dev.kv.core.log.NoRoomInLogException;
import dev.kv.core.memory.MemoryShortage;
import dev.kv.core.memory.ObjectPool;
import dev.kv.core.memory.OffHeapBudget;
import dev.kv.core.memtable.MemTable;
import java.io.IOException;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.nio.ByteBuffer;
import java.util.function.Consumer;
import java.util.function.LongFunction;
import org.jspecify.annotations.Nullable;

/**
 * Commits the writes of all threads in one order and in groups: appends a group to the log, inserts
 * it into the memtable, and then makes it visible to readers.
 *
 * <pre>
 * A write:    1. leads, or waits until a leader has done it or hands over leadership
 * the leader: 2. asks the gate          if it is closed or failed, nothing was done
 *             3. makes room             in the memtable; may wait; nothing was logged yet; then
 *                                       checks the condition of its write, if there is one
 *             4. collects followers     up to a size; a sync write never joins a leader without
 *                                       sync; a leader with sync waits briefly for the writers
 *                                       of the last group; a follower whose condition fails
 *                                       adds nothing to the group and waits for its end, because
 *                                       the condition may have failed due to a write of the group
 *             5. appends to the log     if there is no room, nothing was done; any other failure
 *                                       from here on is permanent, and the outcome is unknown
 *             6. syncs                  if it is a sync write; older logs first
 *             7. inserts, publishes     reports its puts to the ranges that readers skip; readers
 *                                       see the whole group at once; if a comparator
 *                                       throws here, writing ends: the group is in the log, and
 *                                       readers see nothing of it
 *             8. hands leadership over  then wakes its followers
 * </pre>
 *
 * <p>Invariants: 1. the sequence numbers in the log have no gap and no repetition; 2. {@link
 * #lastSequence} never passes an operation that is not in the memtable; 3. every acknowledged write
 * is in the log.
 *
 * <p>A single put or delete without concurrent writers allocates nothing on the heap and makes no
 * system call (unless the log does). An interrupt does not fail a write, and the thread's interrupt
 * flag stays set. Nothing here is synchronized, so a virtual thread that waits frees its carrier.
 */
public final class CommitPipeline {
  /** The target is told of groups that are at least this large. */
  private static final int LARGE_GROUP_BYTES = 64 << 10;

  private static final VarHandle LAST_SEQUENCE;
  private static final VarHandle LOGGED_BYTES;

  static {
    try {
      LAST_SEQUENCE =
          MethodHandles.lookup().findVarHandle(CommitPipeline.class, "lastSequence", long.class);
      LOGGED_BYTES =
          MethodHandles.lookup().findVarHandle(CommitPipeline.class, "loggedBytes", long.class);
    } catch (ReflectiveOperationException e) {
      throw new ExceptionInInitializerError(e);
    }
  }

  private final CommitTarget target;
  private final WriteGate gate;
  private final StallInputs inputs;
  private final WriteController controller;
  private final CommitQueue queue = new CommitQueue();
  private final ObjectPool<Writer> writers = new ObjectPool<>(1, Writer::new, Writer::clear);

  /** Set before the first write. */
  private @Nullable DeadRanges deadRanges;

  /** Written by the leader, in release mode; read by any thread. */
  private long lastSequence;

  /** Written by the leader, in opaque mode; statistics may read it late. */
  private long loggedBytes;

  // Owned by the leader.
  private final WriteGroup group;
  private final Followers followers;

  /**
   * Creates a pipeline.
   *
   * @param target the memtables and logs that receive the writes
   * @param stallInputs the inputs for write stalls; {@link #progress} is called after a change
   * @param gate refuses writes once the database has failed or is being closed
   * @param lastSequence the sequence number of the last write before this pipeline
   * @param budget counts the memory of the commit buffer, as a write buffer
   * @param events receives the stalls
   */
  public CommitPipeline(
      CommitTarget target,
      StallInputs stallInputs,
      WriteGate gate,
      long lastSequence,
      OffHeapBudget budget,
      Events events) {
    this.target = target;
    this.gate = gate;
    this.lastSequence = lastSequence;
    this.inputs = stallInputs;
    this.controller = new WriteController(target, stallInputs, gate, events);
    gate.onChange(controller::progress);
    this.group = new WriteGroup(budget);
    this.followers = new Followers(queue, group);
  }

  /** Sets the value of {@code key}. */
  public void put(byte[] key, byte[] value, boolean sync) {
    long bytes = operationBytes(key.length, value.length);
    if (!queue.lead()) {
      waitAndWrite(writers.acquire().single(key, value, bytes, sync));
      return;
    }
    try {
      prepare(bytes, 1);
      group.put(key, value);
    } catch (RuntimeException | Error e) {
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
    if (!queue.lead()) {
      waitAndWrite(writers.acquire().single(key, value, bytes, sync));
      return;
    }
    try {
      prepare(bytes, 1);
      group.put(key, value);
    } catch (RuntimeException | Error e) {
      queue.handOver();
      throw e;
    }
    commit(sync);
  }

  /** Removes {@code key}. */
  public void delete(byte[] key, boolean sync) {
    waitAndWrite(writers.acquire().single(key, null, operationBytes(key.length, 0), sync));
  }

  /** Removes {@code key}. Uses the buffer's remaining bytes; does not change its position. */
  public void delete(ByteBuffer key, boolean sync) {
    waitAndWrite(writers.acquire().single(key, null, operationBytes(key.remaining(), 0), sync));
  }

  /**
   * Applies {@code batch} atomically. An empty batch writes nothing; with {@code sync} it still
   * makes all earlier writes durable.
   */
  public void write(EncodedBatch batch, boolean sync) {
    if (batch.count() == 0 && !sync) {
      gate.checkWrite();
      return;
    }
    waitAndWrite(writers.acquire().batch(batch, sync, null));
  }

  /**
   * Applies {@code batch}, which may be empty, atomically if {@code condition} holds at that
   * moment. The batch has an effect only if the result is {@link CommitCondition.Verdict#HOLDS}.
   */
  public CommitCondition.Verdict write(
      EncodedBatch batch, boolean sync, CommitCondition condition) {
    return switch (waitAndWrite(writers.acquire().batch(batch, sync, condition))) {
      case Writer.CONFLICT -> CommitCondition.Verdict.FAILS;
      case Writer.STALE -> CommitCondition.Verdict.STALE;
      default -> CommitCondition.Verdict.HOLDS;
    };
  }

  /**
   * Makes the memtable immutable between two groups, unless it is empty. This starts a flush but
   * does not wait for it. Waits as long as there are too many immutable memtables.
   */
  public void switchMemTable() {
    lead(Leadership::switchMemTable);
  }

  /**
   * Makes the memtable immutable if {@link StallInputs#isSwitchWanted}, unless a thread writes at
   * this moment. Waits for nothing.
   *
   * @throws DBIOException if no log can be created; nothing has changed
   */
  public void switchIfWanted() {
    if (!inputs.isSwitchWanted() || !queue.lead()) {
      return;
    }
    try {
      if (gate.isOpen()) {
        controller.switchIfPossible();
        group.trim();
      }
    } catch (DBClosedException e) {
      return; // closed since the question above: the memtable stays in the log
    } finally {
      queue.handOver();
    }
  }

  /**
   * Runs {@code work} in the calling thread as the leader: no other thread writes meanwhile. An
   * exception of the work is passed on.
   *
   * @param work must not write to the database, because it would wait for itself
   * @throws DBClosedException if the database is closed; the work was not begun
   * @throws DBReadOnlyException if it has failed; the work was not begun
   */
  public void lead(Consumer<Leadership> work) {
    becomeLeader();
    Leadership leadership = new Leadership(this);
    try {
      gate.checkWrite();
      work.accept(leadership);
    } finally {
      leadership.end();
      queue.handOver();
    }
  }

  /**
   * Calls {@code task} between two groups, with the sequence number of the last one. Meanwhile no
   * write is logged and no memtable is switched, so the task must be short. There is a log; if
   * there was none, it is created, which makes the recovered state durable.
   */
  public <T> T betweenGroups(LongFunction<T> task) {
    becomeLeader();
    try {
      gate.checkWrite();
      controller.requireLog();
      return task.apply(lastSequence);
    } finally {
      queue.handOver();
    }
  }

  /** Implements {@link Leadership#switchMemTable}. */
  void switchMemTableAsLeader() {
    gate.checkWrite();
    controller.forceSwitch();
  }

  /** Implements {@link Leadership#takeSequence}: logs the number and returns it. */
  long takeSequence() {
    gate.checkWrite();
    requireSequences(2);
    controller.makeRoom(0, 0);
    group.begin(0);
    long taken = lastSequence + 1;
    try {
      target.append(group.marker(taken), WriteGroup.MARKER_LENGTH, false);
      target.append(group.marker(taken + 1), WriteGroup.MARKER_LENGTH, true);
    } catch (NoRoomInLogException e) {
      throw notLogged(e);
    } catch (Throwable e) {
      failed(e);
      throw new DBIOException(
          "the log could not be written: nothing was changed, and the database is read-only until"
              + " it is opened again",
          e);
    }
    return taken;
  }

  /** Implements {@link Leadership#write}. */
  void writeAsLeader(EncodedBatch batch) {
    prepare(batch.length(), batch.count());
    group.batch(batch, batch.length(), batch.count());
    try {
      logAndApply(target.memtable(), true);
    } catch (NoRoomInLogException e) {
      throw notLogged(e);
    } catch (Throwable e) {
      failed(e);
      throw failureOf(e);
    }
  }

  /** Sets the ranges that puts are reported to. Called before the first write. */
  public void reportPutsTo(DeadRanges ranges) {
    deadRanges = ranges;
  }

  /**
   * Begins the watches of {@code ranges} between two groups, unless a thread writes at this moment:
   * it does so itself. Waits for nothing.
   */
  public void beginWatches(DeadRanges ranges) {
    if (queue.lead()) {
      try {
        ranges.beginWatches(lastSequence + 1);
      } finally {
        queue.handOver();
      }
    }
  }

  /** Lets readers see a number that the leader took. */
  void publishTaken(long sequence) {
    DeadRanges ranges = deadRanges;
    if (ranges != null) {
      ranges.clear();
    }
    LAST_SEQUENCE.setRelease(this, sequence);
  }

  /** Returns the sequence number of the last write that readers see. */
  public long lastSequence() {
    return (long) LAST_SEQUENCE.getAcquire(this);
  }

  /**
   * Makes a waiting writer check again whether it must wait. Must be called after a flush or
   * compaction was installed, and whenever {@link StallInputs} changed.
   */
  public void progress() {
    controller.progress();
  }

  /**
   * Ends writing: every later write, and every write that waits, throws {@link
   * dev.kv.DBClosedException}. When it returns, no write is running and nothing calls the target
   * any more. Must be called once.
   */
  public void close() {
    gate.beginClose();
    becomeLeader();
    try {
      group.close();
    } finally {
      queue.handOver();
    }
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
    long bytes = (long) keyLength + valueLength + WriteGroup.OPERATION_OVERHEAD;
    if (bytes > WriteGroup.MAX_BYTES) {
      throw new IllegalArgumentException(
          "key and value of " + keyLength + " and " + valueLength + " bytes: 2 GiB is too much");
    }
    return bytes;
  }

  /**
   * Waits until another thread has done the write, or does it as the leader. Returns {@link
   * Writer#DONE}, or for a write with a condition {@link Writer#CONFLICT} or {@link Writer#STALE}.
   */
  private int waitAndWrite(Writer writer) {
    Throwable failure = null;
    int outcome = queue.leadOrEnqueue(writer) ? Writer.LEADS : writer.await();
    try {
      if (outcome == Writer.LEADS) {
        outcome = lead(writer);
      }
      failure = writer.failure;
    } finally {
      writer.clear();
      writers.release(writer);
    }
    if (outcome == Writer.FAILED) {
      throw failureOf(failure);
    } else if (outcome == Writer.NOT_LOGGED) {
      throw notLogged(failure);
    } else if (outcome == Writer.REFUSED) {
      throw refused(failure);
    }
    return outcome;
  }

  private int lead(Writer writer) {
    CommitCondition.Verdict verdict;
    try {
      prepare(writer.bytes(), writer.count());
      verdict = writer.verdictAfter(lastSequence, group);
      if (verdict == CommitCondition.Verdict.HOLDS) {
        writer.encodeInto(group);
      }
    } catch (RuntimeException | Error e) {
      queue.handOver();
      throw e;
    }
    if (verdict == CommitCondition.Verdict.HOLDS) {
      commit(writer.isSync());
    } else {
      queue.handOver();
    }
    return Writer.outcomeOf(verdict);
  }

  /** Waits until the calling thread is the leader, with nothing of its own to write. */
  private void becomeLeader() {
    Writer writer = writers.acquire().nothing();
    int outcome = queue.leadOrEnqueue(writer) ? Writer.LEADS : writer.await();
    writer.clear();
    writers.release(writer);
    if (outcome != Writer.LEADS) {
      throw new AssertionError("a writer without a write was made a follower: " + outcome);
    }
  }

  /** Steps 2 and 3, for the leader's own operations. */
  private void prepare(long bytes, int count) {
    gate.checkWrite();
    requireSequences(count);
    controller.makeRoom(bytes, count);
    group.begin(bytes);
  }

  private void requireSequences(int count) {
    if (InternalKey.MAX_SEQUENCE - lastSequence < count) {
      throw new DBReadOnlyException(
          "the database has used up its sequence numbers: copy it into a new one");
    }
  }

  /** Steps 4 to 8. The leader's own operations are in the group. */
  private void commit(boolean sync) {
    Throwable failure = null;
    int outcome = Writer.DONE;
    boolean flushEarly = false;
    Writer others;
    try {
      MemTable memtable = target.memtable();
      followers.gather(memtable, sync, lastSequence);
      logAndApply(memtable, sync);
      flushEarly = group.bytes() >= LARGE_GROUP_BYTES || memtable.hasManyTombstones();
      if (sync) {
        followers.noteSyncedGroup();
      }
    } catch (NoRoomInLogException e) {
      failure = e;
      outcome = Writer.NOT_LOGGED;
    } catch (Throwable e) {
      failure = e;
      outcome = Writer.FAILED;
      failed(e);
    } finally {
      others = followers.removeAll();
      queue.handOver();
    }
    Followers.wake(others, outcome, failure);
    if (outcome == Writer.NOT_LOGGED) {
      throw notLogged(failure);
    } else if (failure != null) {
      throw failureOf(failure);
    }
    if (flushEarly) {
      target.flushEarly();
    }
  }

  /** Steps 5 to 7. */
  private void logAndApply(MemTable memtable, boolean sync) throws IOException {
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
      DeadRanges ranges = deadRanges;
      if (ranges != null && !ranges.isEmpty()) {
        ranges.beginWatches(first);
        group.reportPuts(ranges);
      }
      LAST_SEQUENCE.setRelease(this, lastSequence + count);
    }
    target.committed(lastSequence, sync);
  }

  private void failed(Throwable cause) {
    try {
      gate.fail("a write", cause);
    } catch (RuntimeException | Error e) {
      cause.addSuppressed(e); // the followers must be woken in any case
    }
  }

  /** Returns the exception for one writer of a group that found no room in the log. */
  private static DBException notLogged(@Nullable Throwable cause) {
    String message = "the log cannot be extended: the write was not done and may be tried again";
    return cause != null && MemoryShortage.isCauseOf(cause)
        ? new OffHeapExhaustedException(message, cause)
        : new DBIOException(message, cause);
  }

  /** Returns the exception for one writer of a group that failed; all writers share the cause. */
  private static DBException failureOf(@Nullable Throwable cause) {
    if (cause instanceof ComparatorException e) {
      // Only step 7 compares keys, so the group is in the log.
      return new ComparatorException(
          e.getMessage()
              + ": the write is in the log, whole, and no read sees any of it; the database is"
              + " read-only until it is opened again, which brings the write back",
          e);
    }
    return new DBIOException(
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
