package dev.kv.core.state;

import static java.util.Objects.requireNonNull;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import dev.kv.Options;
import dev.kv.core.log.LogWriter;
import dev.kv.core.manifest.VersionSet;
import dev.kv.core.memtable.MemTable;
import dev.kv.core.read.ReadStates;
import dev.kv.core.version.Version;
import dev.kv.core.version.VersionEdit;
import dev.kv.core.write.CommitTarget;
import dev.kv.core.write.WriteGate;
import java.io.IOException;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.Iterator;
import java.util.List;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;

/**
 * The memtables and their logs: the one that takes writes, and those that wait for their flush.
 * Every change is published as a new read state under the {@link Monitor}.
 *
 * <p>Invariants: 1. logs are numbered in the order of their memtables; 2. a log is live until its
 * memtable is in a table that a durable edit names; 3. as long as there is no log, the memtable is
 * empty and no other waits.
 */
public final class WriteState implements CommitTarget {
  /** A second memtable may wait for its flush where the two are not larger than this together. */
  private static final long LARGEST_TWO_WAITING = 16 << 20;

  /** What the buffers of one flush or compaction usually take, and the blocks that it reads. */
  private static final long JOB_BYTES = 512 << 10;

  /** A memtable that waits for its flush. */
  public record Immutable(MemTable memtable, LogWriter log, long logNumber) {}

  /** Hears what happened to memtables and logs; each call must be quick and must not throw. */
  public interface Listener {
    /** There is an immutable memtable to flush. */
    void flushWanted();

    /** The log wants room ahead, or the next log should be prepared. */
    void logWorkWanted();
  }

  private final Resources resources;
  private final WriteGate gate;
  private final Monitor monitor;
  private final VersionSet versions;
  private final ReadStates readStates;
  private final LogFiles logs;
  private final Listener listener;
  private final int maxImmutables;

  // Written by the leader with the monitor held; read by the leader, or with the monitor held.
  private volatile MemTable memtable;
  private volatile @Nullable LogWriter log;
  private volatile long logNumber;

  // Written with the monitor held, read by anyone.
  private volatile int immutableCount;
  private volatile int level0Files;
  private volatile boolean stallsSuspended;
  private volatile boolean stallsWaived;

  // Guarded by the monitor.
  private final Deque<Immutable> immutables = new ArrayDeque<>();
  private long switches;
  private long flushes;

  /** Held while older logs are synced, and while one is taken out. */
  private final ReentrantLock olderLogsLock = new ReentrantLock();

  @GuardedBy("olderLogsLock")
  private final List<LogWriter> olderLogs = new ArrayList<>();

  /** Takes the memtable and the log over; without a log, the first write begins one. */
  public WriteState(
      Resources resources,
      WriteGate gate,
      Monitor monitor,
      VersionSet versions,
      ReadStates readStates,
      LogFiles logs,
      LogFiles.@Nullable NumberedLog log,
      MemTable memtable,
      Listener listener) {
    this.resources = resources;
    this.gate = gate;
    this.monitor = monitor;
    this.versions = versions;
    this.readStates = readStates;
    this.logs = logs;
    if (log != null) {
      this.log = log.writer();
      this.logNumber = log.number();
    }
    this.memtable = memtable;
    this.listener = listener;
    maxImmutables = maxImmutables(resources.options());
  }

  /**
   * Returns how many memtables may wait for their flush. The second keeps writers from waiting for
   * the syncs at the end of a flush, and the flush thread from waiting for the next memtable; large
   * memtables have few such ends, and a database with a limit of its memory must have room for a
   * third beside its cache and its jobs: one that finds none ends the writes.
   */
  private static int maxImmutables(Options options) {
    long size = options.writeBufferSize();
    long jobs = (1 + options.maxBackgroundCompactions()) * JOB_BYTES;
    long limit = options.offHeapLimit();
    boolean roomForAThird = limit == 0 || 3 * size + options.blockCacheSize() + jobs <= limit;
    return 2 * size <= LARGEST_TWO_WAITING && roomForAThird ? 2 : 1;
  }

  @Override
  public MemTable memtable() {
    return memtable;
  }

  @Override
  public boolean hasLog() {
    return log != null;
  }

  @Override
  public LogWriter log() {
    return requireNonNull(log);
  }

  @Override
  public int level0Files() {
    return stallsSuspended || stallsWaived ? 0 : level0Files;
  }

  @Override
  public boolean flushIsBehind() {
    return immutableCount >= maxImmutables;
  }

  @Override
  public void beginLog() throws IOException {
    LogFiles.NumberedLog first = logs.create();
    try {
      logs.name(first, VersionEdit.builder());
    } catch (RuntimeException | Error e) {
      gate.fail("the first write", e);
      logs.retire(first.writer());
      throw e;
    }
    monitor.lock();
    try {
      log = first.writer();
      logNumber = first.number();
      publish();
    } finally {
      monitor.unlock();
    }
  }

  @Override
  public void replaceEmptyMemTable(long bytes, int count) {
    MemTable fresh = resources.newMemTable(bytes, count);
    MemTable empty = memtable;
    monitor.lock();
    try {
      memtable = fresh;
      publish();
    } finally {
      monitor.unlock();
    }
    empty.release();
  }

  @Override
  public void switchMemTable(long bytes, int count) throws IOException {
    MemTable fresh = resources.newMemTable(bytes, count);
    LogFiles.NumberedLog next;
    boolean done = false;
    try {
      next = logs.takeNext();
      done = true;
    } finally {
      if (!done) {
        fresh.release();
      }
    }
    LogWriter full = log();
    addOlderLog(full);
    monitor.lock();
    try {
      immutables.addFirst(new Immutable(memtable, full, logNumber));
      immutableCount = immutables.size();
      switches++;
      memtable = fresh;
      log = next.writer();
      logNumber = next.number();
      publish();
    } finally {
      monitor.unlock();
    }
    listener.flushWanted();
  }

  private void addOlderLog(LogWriter older) {
    olderLogsLock.lock();
    try {
      olderLogs.add(older);
    } finally {
      olderLogsLock.unlock();
    }
  }

  @Override
  public void syncOlderLogs() throws IOException {
    olderLogsLock.lock();
    try {
      for (LogWriter older : olderLogs) {
        older.sync();
      }
    } finally {
      olderLogsLock.unlock();
    }
  }

  @Override
  public void reserveLog() {
    listener.logWorkWanted();
  }

  /** Reserves room in the log, and prepares the next one once half of the memtable is used. */
  public void doLogWork() {
    LogWriter current = log;
    if (current == null) {
      return;
    }
    if (current.needsReserve()) {
      try {
        current.reserveAhead();
      } catch (IOException e) {
        // The leader makes the room itself when it needs it, and reports why it cannot.
        return;
      }
    }
    if (memtable.memoryUsed() > resources.options().writeBufferSize() / 2) {
      logs.prepareNext();
    }
  }

  /** Makes the present memtables and tables what readers see. Requires the monitor. */
  public void publish() {
    monitor.assertHeld();
    List<MemTable> waiting = new ArrayList<>(immutables.size());
    for (Immutable each : immutables) {
      waiting.add(each.memtable());
    }
    Version version = versions.acquireCurrent();
    readStates.publish(memtable, waiting, version);
    level0Files = version.fileCount(0);
    version.release();
  }

  /** Returns the immutable memtable to flush next, or null. */
  public @Nullable Immutable oldestImmutable() {
    monitor.lock();
    try {
      return immutables.peekLast();
    } finally {
      monitor.unlock();
    }
  }

  /**
   * Returns the number of the log that is the oldest once {@code flushed} is in a table. Requires
   * the monitor.
   */
  public long oldestLogWithout(Immutable flushed) {
    monitor.assertHeld();
    long oldest = logNumber;
    for (Iterator<Immutable> i = immutables.iterator(); i.hasNext(); ) {
      Immutable each = i.next();
      if (each.logNumber() != flushed.logNumber()) {
        oldest = Math.min(oldest, each.logNumber());
      }
    }
    return oldest;
  }

  /** Lets go of a memtable that is in a table now, and publishes. Requires the monitor. */
  public void removeFlushed(Immutable flushed) {
    monitor.assertHeld();
    if (immutables.removeLast().logNumber() != flushed.logNumber()) {
      throw new AssertionError("memtables are flushed from the oldest on");
    }
    flushes++;
    publish();
    flushed.memtable().release();
    immutableCount = immutables.size(); // so that the memory is back before a writer takes some
  }

  /** Retires the log of a memtable that is in a table. */
  public void retireLog(Immutable flushed) {
    olderLogsLock.lock();
    try {
      olderLogs.remove(flushed.log());
    } finally {
      olderLogsLock.unlock();
    }
    logs.retire(flushed.log());
  }

  /** Waits until every memtable that is immutable now is in a table. */
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

  /** Sets whether tables of level 0 hold writers back no more, because nothing compacts them. */
  public void suspendStalls(boolean suspended) {
    stallsSuspended = suspended;
  }

  /** Lets tables of level 0 hold nobody back until the database is opened again. */
  public void waiveStalls() {
    stallsWaived = true;
  }

  /** Returns the bytes that the memtables use. */
  public long memoryUsed() {
    monitor.lock();
    try {
      long sum = memtable.memoryUsed();
      for (Immutable each : immutables) {
        sum += each.memtable().memoryUsed();
      }
      return sum;
    } finally {
      monitor.unlock();
    }
  }

  /**
   * Closes the logs, each cut to its length, and lets go of the memtables. Called after the last
   * write, with no background thread left; throws the first failure after everything is closed.
   */
  public void close() throws IOException {
    LogWriter current = log;
    IOException failure = current == null ? null : closeLog(current, null);
    memtable.release();
    for (Immutable each : immutables) {
      failure = closeLog(each.log(), failure);
      each.memtable().release();
    }
    logs.close();
    if (failure != null) {
      throw failure;
    }
  }

  private static @Nullable IOException closeLog(LogWriter log, @Nullable IOException before) {
    try {
      log.closeCleanly();
      return before;
    } catch (IOException e) {
      if (before == null) {
        return e;
      }
      before.addSuppressed(e);
      return before;
    }
  }
}
