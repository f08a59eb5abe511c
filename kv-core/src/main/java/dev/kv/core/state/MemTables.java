package dev.kv.core.state;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import dev.kv.core.logging.EngineLogger;
import dev.kv.core.manifest.VersionSet;
import dev.kv.core.memory.MemoryKind;
import dev.kv.core.memtable.MemTable;
import dev.kv.core.read.ReadStates;
import dev.kv.core.read.SnapshotList;
import dev.kv.core.shared.WriteBuffers;
import dev.kv.core.version.Version;
import dev.kv.core.write.CommitTarget;
import dev.kv.core.write.StallInputs;
import dev.kv.errors.OffHeapExhaustedException;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.function.ToLongFunction;
import org.jspecify.annotations.Nullable;

/**
 * The mutable memtable, and the queue of immutable memtables that wait for their flush. Every
 * change is published as a new read state under the {@link Monitor}.
 *
 * <p>Invariants: 1. logs are numbered in the order of their memtables; 2. a log is live until its
 * memtable is in a table that a durable edit names; 3. if there is no log, the mutable memtable is
 * empty and no immutable one exists.
 *
 * <p>Only the leader calls the methods of {@link CommitTarget}, except {@link #flushEarly}. All
 * other methods are thread-safe.
 */
public final class MemTables implements CommitTarget, WriteBuffers.Buffer, AutoCloseable {
  private static final EngineLogger LOG = EngineLogger.of(MemTables.class);

  /**
   * A memtable that waits for its flush, and its log.
   *
   * @param lastTaken the last sequence number without an entry that was {@linkplain
   *     CommitTarget#taken taken} before the next log began; 0 for none
   */
  public record Immutable(MemTable memtable, WriteAheadLog.NumberedLog log, long lastTaken) {}

  private final DatabaseContext context;
  private final Monitor monitor;
  private final VersionSet versions;
  private final ReadStates readStates;
  private final WriteAheadLog logs;
  private final Wakeups wakeups;
  private final int maxWaiting;
  private final StallInputs stallInputs;
  private final MemoryWait memory;

  /** Written by the leader with the monitor held; read by the leader, or with the monitor held. */
  private volatile MemTable memtable;

  /** The newest first. */
  @GuardedBy("monitor")
  private final Deque<Immutable> immutables = new ArrayDeque<>();

  /** Used only by the leader. */
  private long lastTaken;

  /** The clock of the {@link WriteBuffers} when the mutable memtable was begun. */
  private volatile long begun;

  /** Counts the immutable memtables; see {@link #weight}. */
  @GuardedBy("monitor")
  private int waiting;

  @GuardedBy("monitor")
  private long switches;

  /** The flushes that have ended. */
  @GuardedBy("monitor")
  private long flushes;

  /**
   * Creates the object with one memtable, and takes ownership of it.
   *
   * @param wakeups wakes the flush when a memtable waits for it
   */
  public MemTables(
      DatabaseContext context,
      Monitor monitor,
      VersionSet versions,
      ReadStates readStates,
      WriteAheadLog logs,
      MemTable memtable,
      Wakeups wakeups) {
    this.context = context;
    this.monitor = monitor;
    this.versions = versions;
    this.readStates = readStates;
    this.logs = logs;
    this.memtable = memtable;
    this.wakeups = wakeups;
    this.maxWaiting = context.maxWaitingMemTables();
    this.stallInputs = new StallInputs(maxWaiting);
    this.memory =
        new MemoryWait(
            context.budget(),
            context.shared().writeBuffers(),
            this,
            monitor.errors(),
            context.env());
  }

  /** Returns the inputs for write stalls, which are kept up to date. */
  public StallInputs stallInputs() {
    return stallInputs;
  }

  @Override
  public MemTable memtable() {
    return memtable;
  }

  @Override
  public void append(ByteBuffer record, int length, boolean sync) throws IOException {
    logs.append(record, length, sync);
  }

  @Override
  public void committed(long lastSequence, boolean synced) {
    logs.committed(lastSequence, synced);
  }

  @Override
  public void taken(long sequence) {
    lastTaken = sequence;
  }

  @Override
  public void makeRoom(long bytes, int count, boolean fresh) throws IOException {
    if (logs.current() == null) {
      beginLog(logs.createFirst(this::publish));
    }
    boolean full = !memtable.isEmpty() && !memtable.ensureRoomFor(bytes, count);
    if (full || (fresh && !memtable.isEmpty())) {
      makeImmutable(bytes, count, full);
    }
    if (memtable.isEmpty() && !memtable.ensureRoomFor(bytes, count)) {
      replaceEmpty(bytes, count, full);
    }
  }

  /**
   * A batch that fits no memtable of the usual size gets one of its own, which is flushed at once:
   * it may never become full. A memtable with many tombstones is flushed so that a compaction drops
   * them, unless compactions are behind anyway.
   */
  @Override
  public void flushEarly() {
    if (!stallInputs.isSwitchWanted()
        && (isOversized(memtable)
            || (memtable.hasManyTombstones() && !stallInputs.isLevel0Full()))) {
      requestFlush();
    }
  }

  private boolean isOversized(MemTable table) {
    return table.memoryUsed() > context.options().writeBufferSize();
  }

  /**
   * Returns what a memtable that waits for its flush counts. One with a batch of its own counts
   * like the most that may wait, so that memory has at most two such batches.
   */
  private int weight(Immutable waits) {
    return isOversized(waits.memtable()) ? maxWaiting : 1;
  }

  private void beginLog(WriteAheadLog.NumberedLog first) {
    monitor.lock();
    try {
      logs.begin(first);
    } finally {
      monitor.unlock();
    }
  }

  private void replaceEmpty(long bytes, int count, boolean full) {
    MemTable larger =
        memory.allocate(MemoryKind.MEMTABLE, bytes, () -> context.newMemTable(bytes, count, full));
    MemTable empty = memtable;
    monitor.lock();
    try {
      readStates.publish(withWaiting(larger));
      begin(larger);
    } catch (Throwable e) {
      larger.release();
      throw e;
    } finally {
      monitor.unlock();
    }
    empty.release();
  }

  @Override
  public void awaitMemory(long bytes, Runnable allocation) {
    memory.allocate(
        MemoryKind.WRITE_BUFFER,
        memtable.arenaBytes() + bytes,
        () -> {
          allocation.run();
          return true;
        });
  }

  /**
   * Returns the memtable after one that becomes immutable. If there is no memory for it, it is one
   * without room: the flush of the memtable before releases some.
   */
  private MemTable nextMemTable(long bytes, int count, boolean full) {
    if (count > 0) {
      try {
        return context.newMemTable(bytes, count, full);
      } catch (OffHeapExhaustedException e) {
        LOG.debug("{}: no memory for a memtable yet: {}", context.directory(), e.getMessage());
      }
    }
    return context.emptyMemTable();
  }

  @GuardedBy("monitor")
  private void begin(MemTable next) {
    begun = context.shared().writeBuffers().clock();
    memtable = next;
  }

  private void makeImmutable(long bytes, int count, boolean full) throws IOException {
    WriteAheadLog.NumberedLog before = logs.current();
    if (before == null) {
      throw new AssertionError("a memtable with entries has no log");
    }
    Immutable old = new Immutable(memtable, before, lastTaken);
    MemTable next = nextMemTable(bytes, count, full);
    try {
      switchTo(next, logs.newLogs().prepared(), old);
    } catch (Throwable e) {
      logs.removeOlder(before);
      next.release();
      throw e;
    }
    logs.newLogs().removePrepared();
    wakeups.flushWanted();
  }

  /**
   * Takes ownership of the memtable and the log. Readers see the new memtable first: that needs
   * memory, and if there is none, nothing has changed. What follows allocates nothing, because a
   * switch must not be left half made.
   */
  private void switchTo(MemTable next, WriteAheadLog.NumberedLog nextLog, Immutable old) {
    logs.addOlder(old.log());
    monitor.lock();
    try {
      List<MemTable> all = withWaiting(old.memtable());
      all.add(0, next);
      readStates.publish(all);
      begin(next);
      logs.begin(nextLog);
      immutables.addFirst(old);
      waiting += weight(old);
      switches++;
      stallInputs.setWaitingMemTables(waiting);
      stallInputs.wantSwitch(false);
    } finally {
      monitor.unlock();
    }
  }

  @Override
  public long bytes() {
    MemTable now = memtable;
    return !monitor.errors().isOpen() || now.isEmpty() ? 0 : now.arenaBytes();
  }

  @Override
  public long begun() {
    return begun;
  }

  @Override
  public boolean isFlushPending() {
    return (stallInputs.isSwitchWanted() || stallInputs.waitingMemTables() > 0)
        && monitor.errors().isOpen();
  }

  @Override
  public boolean isSlowedByLevel0() {
    return stallInputs.isSlowedByLevel0() && monitor.errors().isOpen();
  }

  /** Requests a switch, by the next writer or the maintenance thread, whoever comes first. */
  @Override
  public void requestFlush() {
    stallInputs.wantSwitch(true);
    wakeups.flushWanted();
  }

  @Override
  public void wakeWork() {
    wakeups.workWanted();
  }

  /** Returns true if the next log should be prepared. */
  public boolean isHalfFull() {
    return memtable.memoryUsed() > context.options().writeBufferSize() / 2;
  }

  /** Returns all memtables, the newest first. */
  @GuardedBy("monitor")
  private List<MemTable> all() {
    return withWaiting(memtable);
  }

  @GuardedBy("monitor")
  private List<MemTable> withWaiting(MemTable newest) {
    List<MemTable> all = new ArrayList<>(2 + immutables.size());
    all.add(newest);
    for (Immutable each : immutables) {
      all.add(each.memtable());
    }
    return all;
  }

  /**
   * Publishes the current memtables and version to readers. Called by the install of that version:
   * only the install knows what must happen before it is visible, see {@link #publishFiltered}. A
   * change of the memtables alone keeps the version that readers see.
   */
  public void publish() {
    monitor.lock();
    try {
      publish(all());
    } finally {
      monitor.unlock();
    }
  }

  @GuardedBy("monitor")
  private void publish(List<MemTable> all) {
    Version version = versions.acquireCurrent();
    try {
      readStates.publish(all, version);
      stallInputs.setLevel0Tables(version.fileCount(0));
    } finally {
      version.release();
    }
  }

  /**
   * Publishes the current memtables and a version in which a compaction filter has dropped or
   * changed entries. Open snapshots do not see that.
   *
   * @param after the sequence number of the newest snapshot that the compaction has taken into
   *     account; {@link SnapshotList#NONE} if there is none
   */
  public void publishFiltered(SnapshotList snapshots, long after) {
    monitor.lock();
    try {
      snapshots.keepViews(after, readStates, () -> {}, this::publish);
    } finally {
      monitor.unlock();
    }
  }

  /** Returns the immutable memtable to flush next, or null if there is none. */
  public @Nullable Immutable oldestImmutable() {
    monitor.lock();
    try {
      return immutables.peekLast();
    } finally {
      monitor.unlock();
    }
  }

  /**
   * Returns the number of the log that is the oldest live one after {@code flushed} is in a table.
   */
  public long oldestLogWithout(Immutable flushed) {
    monitor.lock();
    try {
      WriteAheadLog.NumberedLog newest = logs.current();
      long oldest = newest == null ? 0 : newest.number();
      for (Immutable each : immutables) {
        if (each.log().number() != flushed.log().number()) {
          oldest = Math.min(oldest, each.log().number());
        }
      }
      return oldest;
    } finally {
      monitor.unlock();
    }
  }

  /**
   * Removes a memtable that is in a table now, and publishes the change. {@link
   * WriteAheadLog#retire} retires its log, and {@link #flushEnded} ends its flush.
   */
  public void removeFlushed(Immutable flushed) {
    monitor.lock();
    try {
      if (immutables.getLast().log().number() != flushed.log().number()) {
        throw new AssertionError("only the oldest immutable memtable can be removed");
      }
      List<MemTable> left = all();
      left.remove(left.size() - 1);
      publish(left); // needs memory: if there is none, nothing has changed
      immutables.removeLast();
      waiting -= weight(flushed);
      flushed.memtable().release(); // frees the memory before a writer allocates
      stallInputs.setWaitingMemTables(waiting);
    } finally {
      monitor.unlock();
    }
  }

  /** Ends the flushes of the memtables that were removed: their logs are retired. */
  public void flushEnded() {
    monitor.lock();
    try {
      flushes = switches - immutables.size();
      monitor.signalAll();
    } finally {
      monitor.unlock();
    }
  }

  /** Returns true if no memtable is immutable, and all flushes have ended. */
  public boolean isFlushed() {
    monitor.lock();
    try {
      return flushes == switches;
    } finally {
      monitor.unlock();
    }
  }

  /**
   * Waits until every memtable that is immutable now has been flushed, and its log can be deleted.
   *
   * @throws dev.kv.errors.DBClosedException if the database is being closed
   * @throws dev.kv.errors.DBReadOnlyException if a write or background job fails meanwhile
   */
  public void awaitFlushes() {
    monitor.lock();
    try {
      long target = switches;
      while (flushes < target) {
        monitor.awaitChange();
      }
    } finally {
      monitor.unlock();
    }
  }

  /** Returns the bytes that the memtables use. */
  public long memoryUsed() {
    return sum(MemTable::memoryUsed);
  }

  /** Returns an estimate of the number of keys in the memtables; see {@link MemTable}. */
  public long estimatedKeys() {
    return sum(MemTable::estimatedKeys);
  }

  private long sum(ToLongFunction<MemTable> part) {
    monitor.lock();
    try {
      return all().stream().mapToLong(part).sum();
    } finally {
      monitor.unlock();
    }
  }

  /**
   * Releases the memtables. Called after the last write, with no background thread left. Allocates
   * nothing: memory may be short.
   */
  @Override
  public void close() {
    monitor.lock();
    try {
      memtable.release();
      for (Immutable each = immutables.poll(); each != null; each = immutables.poll()) {
        each.memtable().release();
      }
    } finally {
      monitor.unlock();
    }
  }
}
