package dev.kv.core.write;

import dev.kv.ComparatorException;
import dev.kv.DBException;
import dev.kv.DBIOException;
import dev.kv.DBReadOnlyException;
import dev.kv.DBStats;
import dev.kv.OffHeapExhaustedException;
import dev.kv.core.batch.EncodedBatch;
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
import org.jspecify.annotations.Nullable;

/**
 * Commits writes from any number of threads in one order: to the log, into the memtable, and then
 * to readers, in groups.
 *
 * <pre>
 * A write: 1. lead, or wait until a leader has done it or hands over leadership
 * the leader: 2. asks the gate          closed or failed: nothing was done
 *             3. makes room             in the memtable, which may wait; nothing was logged yet
 *             4. takes others along     up to a size; a sync write never joins a leader without
 *                                       sync; with sync it waits a moment for those of the last
 *                                       group
 *             5. appends to the log     without room, nothing was done; any other failure from
 *                                       here on is permanent, the outcome unknown
 *             6. syncs                  if it is a sync write; older logs first
 *             7. inserts, publishes     readers see the whole group at once; a comparator that
 *                                       throws here ends writing: the log has the group, readers
 *                                       nothing of it
 *             8. hands leadership over  then tells its followers
 * </pre>
 *
 * <p>Invariants: 1. the sequence numbers in the log have no gap and no repetition; 2. {@link
 * #lastSequence} never passes an operation that is not in the memtable; 3. what is acknowledged was
 * in the log before.
 *
 * <p>A single put or delete that finds nobody else at work allocates nothing on the heap and enters
 * no kernel (unless the log does). An interrupt fails no write, and the thread's flag stays.
 * Nothing here is synchronized, so a virtual thread that waits frees its carrier.
 */
public final class CommitPipeline {
  /** A group takes no more followers once it is this large. */
  private static final long MAX_GROUP_BYTES = 1 << 20;

  /**
   * A leader up to this small takes along only as much again: its own latency should not suffer.
   */
  private static final long SMALL_LEADER_BYTES = 128 << 10;

  /** A leader with sync waits for others this part of the time of a sync, and at most so long. */
  private static final int MAX_WAIT_DIVISOR = 2;

  private static final long MAX_WAIT_NANOS = 5_000_000;

  private static final VarHandle LAST_SEQUENCE;

  static {
    try {
      LAST_SEQUENCE =
          MethodHandles.lookup().findVarHandle(CommitPipeline.class, "lastSequence", long.class);
    } catch (ReflectiveOperationException e) {
      throw new ExceptionInInitializerError(e);
    }
  }

  private final CommitTarget target;
  private final WriteGate gate;
  private final WriteController controller;
  private final CommitQueue queue = new CommitQueue();
  private final ObjectPool<Writer> writers = new ObjectPool<>(1, Writer::new, Writer::clear);

  /** Written by the leader, in release mode; read by anyone. */
  private long lastSequence;

  // Owned by the leader.
  private final WriteGroup group;
  private @Nullable Writer firstFollower;
  private @Nullable Writer lastFollower;

  /** How many writers were in the last group that was synced, or had come by its end. */
  private int lastGroupSize = 1;

  /** How long the last sync took. */
  private long syncNanos;

  /**
   * Creates a pipeline.
   *
   * @param target where the writes go
   * @param stallInputs what holds writers back; after a change {@link #progress} is called
   * @param gate refuses writes once the database has failed or is being closed
   * @param lastSequence the sequence number of the last write so far
   * @param budget what the commit buffer is counted in, as a write buffer
   */
  public CommitPipeline(
      CommitTarget target,
      StallInputs stallInputs,
      WriteGate gate,
      long lastSequence,
      OffHeapBudget budget) {
    this.target = target;
    this.gate = gate;
    this.lastSequence = lastSequence;
    this.controller = new WriteController(target, stallInputs, gate);
    gate.onChange(controller::progress);
    this.group = new WriteGroup(budget);
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

  /** Sets the value of {@code key}; the buffers' remaining bytes, positions kept. */
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

  /** Removes {@code key}; the buffer's remaining bytes, position kept. */
  public void delete(ByteBuffer key, boolean sync) {
    waitAndWrite(writers.acquire().single(key, null, operationBytes(key.remaining(), 0), sync));
  }

  /**
   * Applies {@code batch} as one. An empty one writes nothing; with {@code sync} it still makes all
   * writes before it durable.
   */
  public void write(EncodedBatch batch, boolean sync) {
    if (batch.count() == 0 && !sync) {
      gate.checkWrite();
      return;
    }
    waitAndWrite(writers.acquire().batch(batch, sync));
  }

  /**
   * Makes the memtable immutable, unless it is empty, in between two groups; the flush that this
   * starts goes on when it returns. Waits while one more immutable memtable is too many.
   */
  public void switchMemTable() {
    becomeLeader();
    try {
      gate.checkWrite();
      controller.forceSwitch();
    } finally {
      queue.handOver();
    }
  }

  /** Returns the sequence number of the last write that readers see. */
  public long lastSequence() {
    return (long) LAST_SEQUENCE.getAcquire(this);
  }

  /**
   * Lets a waiting writer look again whether it has to wait. To be called after a flush or
   * compaction was installed, and whenever {@link StallInputs} changed.
   */
  public void progress() {
    controller.progress();
  }

  /**
   * Ends writing: every write from now on, and every one that waits, throws {@link
   * dev.kv.DBClosedException}. When it returns, no write is under way and nothing calls the target
   * any more. To be called once.
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

  /** Returns how writers were held back. */
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

  /** Waits until the write is done by another thread, or does it as the leader. */
  private void waitAndWrite(Writer writer) {
    Throwable failure = null;
    int outcome = queue.leadOrEnqueue(writer) ? Writer.LEADS : writer.await();
    try {
      if (outcome == Writer.LEADS) {
        lead(writer);
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
  }

  private void lead(Writer writer) {
    try {
      prepare(writer.bytes(), writer.count());
      writer.encodeInto(group);
    } catch (RuntimeException | Error e) {
      queue.handOver();
      throw e;
    }
    commit(writer.isSync());
  }

  /** Returns once the calling thread leads, with nothing of its own to write. */
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
    if (InternalKey.MAX_SEQUENCE - lastSequence < count) {
      throw new DBReadOnlyException(
          "the database has used up its sequence numbers: copy it into a new one");
    }
    controller.makeRoom(bytes, count);
    group.begin(bytes);
  }

  /** Steps 4 to 8. The leader's own operations are in the group. */
  private void commit(boolean sync) {
    Throwable failure = null;
    int outcome = Writer.DONE;
    Writer followers;
    try {
      MemTable memtable = target.memtable();
      if (sync && lastGroupSize > 1) {
        awaitGroup();
      }
      if (queue.isContended()) {
        gather(memtable, sync);
      }
      logAndApply(memtable, sync);
      if (sync) {
        lastGroupSize = 1 + length(firstFollower) + queue.waiting();
      }
    } catch (NoRoomInLogException e) {
      failure = e;
      outcome = Writer.NOT_LOGGED;
    } catch (Throwable e) {
      failure = e;
      outcome = Writer.FAILED;
      failed(e);
    } finally {
      followers = firstFollower;
      firstFollower = null;
      lastFollower = null;
      queue.handOver();
    }
    while (followers != null) {
      Writer next = followers.next;
      followers.failure = failure;
      followers.wake(outcome);
      followers = next;
    }
    if (outcome == Writer.NOT_LOGGED) {
      throw notLogged(failure);
    } else if (failure != null) {
      throw failureOf(failure);
    }
  }

  /**
   * Waits a moment for as many writers as wrote last time: those whose writes the last sync ended
   * are about to write again, and would otherwise each miss every other sync. A lone writer never
   * waits; a leader that waits for nobody loses part of a sync, once.
   */
  private void awaitGroup() {
    long start = System.nanoTime();
    long maxWait = Math.min(syncNanos / MAX_WAIT_DIVISOR, MAX_WAIT_NANOS);
    while (queue.waiting() < lastGroupSize - 1 && System.nanoTime() - start < maxWait) {
      Thread.yield();
    }
  }

  private static int length(@Nullable Writer list) {
    int length = 0;
    for (Writer writer = list; writer != null; writer = writer.next) {
      length++;
    }
    return length;
  }

  /** Takes writers out of the queue, and their operations into the group: the followers. */
  private void gather(MemTable memtable, boolean sync) {
    long limit =
        group.bytes() <= SMALL_LEADER_BYTES ? group.bytes() + SMALL_LEADER_BYTES : MAX_GROUP_BYTES;
    Writer next = queue.peek();
    while (next != null && mayFollow(next, sync, limit) && isRoomFor(next, memtable)) {
      queue.poll();
      if (encode(next)) {
        if (lastFollower == null) {
          firstFollower = next;
        } else {
          lastFollower.next = next;
        }
        lastFollower = next;
      }
      next = queue.peek();
    }
  }

  private boolean mayFollow(Writer writer, boolean sync, long limit) {
    return !writer.isExclusive()
        && (sync || !writer.isSync())
        && group.bytes() + writer.bytes() <= limit;
  }

  private boolean isRoomFor(Writer writer, MemTable memtable) {
    int count = group.count() + writer.count();
    if (count > InternalKey.MAX_SEQUENCE - lastSequence
        || !memtable.ensureRoomFor(group.bytes() + writer.bytes(), count)) {
      return false;
    }
    try {
      group.reserve(writer.bytes());
      return true;
    } catch (OffHeapExhaustedException e) {
      return false; // it leads the next group, and is told there
    }
  }

  /**
   * Takes a follower's operations into the group. One whose operations cannot be read, because its
   * thread's buffers were changed meanwhile or are mapped over a file that was cut, is refused and
   * does not harm the others.
   */
  private boolean encode(Writer follower) {
    try {
      follower.encodeInto(group);
      return true;
    } catch (RuntimeException | Error e) {
      follower.failure = e;
      follower.wake(Writer.REFUSED);
      return false;
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
      syncNanos = System.nanoTime() - start;
    } else {
      target.append(record, group.recordLength(), false);
    }
    if (count > 0) {
      group.insertInto(memtable, first);
      LAST_SEQUENCE.setRelease(this, lastSequence + count);
    }
  }

  private void failed(Throwable cause) {
    try {
      gate.fail("a write", cause);
    } catch (RuntimeException | Error e) {
      cause.addSuppressed(e); // the followers must be woken, whatever happens here
    }
  }

  /** Returns the exception of one member of a group that found no room in the log. */
  private static DBException notLogged(@Nullable Throwable cause) {
    String message = "the log cannot be extended: the write was not done and may be tried again";
    return cause != null && MemoryShortage.isBehind(cause)
        ? new OffHeapExhaustedException(message, cause)
        : new DBIOException(message, cause);
  }

  /** Returns the exception of one member of a group that failed; the cause is shared by all. */
  private static DBException failureOf(@Nullable Throwable cause) {
    if (cause instanceof ComparatorException e) {
      // Nothing but step 7 compares keys: the log has the group.
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
    return new IllegalStateException(
        "key, value or batch were changed by another thread during the write, which was not done",
        cause);
  }
}
