package dev.kv.core.write;

import dev.kv.admin.DBStats;
import dev.kv.core.event.Events;
import dev.kv.core.memtable.MemTable;
import dev.kv.core.version.Levels;
import dev.kv.errors.DBIOException;
import dev.kv.event.StallEvent;
import java.io.IOException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.LockSupport;
import org.jspecify.annotations.Nullable;

/**
 * Makes room for a group before it is logged: replaces a full memtable, and slows down or stops
 * writers if flushes or compactions fall behind. Used by the leader; any thread may call {@link
 * #progress} and {@link #stalls}.
 *
 * <p>From {@link Levels#LEVEL_0_SLOWDOWN_TRIGGER} tables in level 0 on, writes are limited to a
 * rate that falls with each additional table: 128, 64, 16 and 4 MiB/s. A slower writer is not
 * delayed. LevelDB instead sleeps a millisecond for each write, which limits small writes to tens
 * of kilobytes per second. The last rates are low so that a compaction of level 0 ends before the
 * stop: writers see pauses of 20 ms instead of one of a second. The switch to a new memtable waits
 * while {@link StallInputs#isFlushBehind} or level 0 has {@link Levels#LEVEL_0_STOP_TRIGGER}
 * tables.
 */
final class WriteController {
  /** Nanoseconds per byte; the index is the number of tables above the trigger. */
  private static final double[] NANOS_PER_BYTE = {
    1e9 / (128 << 20), 1e9 / (64 << 20), 1e9 / (16 << 20), 1e9 / (4 << 20)
  };

  /**
   * Shorter delays are accumulated, because a park ends late, and fewer than one write in a
   * thousand should be delayed.
   */
  private static final long MIN_DELAY_NANOS = TimeUnit.MILLISECONDS.toNanos(1);

  /** The longest delay of one group; the rest is carried over to the next groups. */
  private static final long MAX_DELAY_NANOS = TimeUnit.MILLISECONDS.toNanos(20);

  private final CommitTarget target;
  private final StallInputs inputs;
  private final ErrorHandler errors;
  private final Events events;

  private final AtomicLong delays = new AtomicLong();
  private final AtomicLong stops = new AtomicLong();
  private final AtomicLong waitedNanos = new AtomicLong();

  /** The leader that waits here; other threads unpark it. */
  private volatile @Nullable Thread waiting;

  // Owned by the leader.
  private long paidUntilNanos;
  private boolean delaying;
  private boolean logBegun;

  WriteController(CommitTarget target, StallInputs inputs, ErrorHandler errors, Events events) {
    this.target = target;
    this.inputs = inputs;
    this.errors = errors;
    this.events = events;
  }

  /**
   * Waits until the memtable has room for {@code count} entries with {@code bytes} bytes in total.
   * Throws if writes are refused, or become so meanwhile, or if no memtable or log can be created.
   * The first call creates the log if there is none.
   */
  void makeRoom(long bytes, int count) {
    if (inputs.level0Tables() >= Levels.LEVEL_0_SLOWDOWN_TRIGGER) {
      delay(bytes);
    } else {
      delaying = false;
    }
    requireLog();
    if (count > 0 && inputs.isSwitchWanted()) {
      switchIfPossible();
    }
    MemTable memtable = target.memtable();
    if (!memtable.ensureRoomFor(bytes, count)) {
      if (!memtable.isEmpty()) {
        awaitUnblocked(true);
      }
      askForRoom(bytes, count, false);
      if (!target.memtable().ensureRoomFor(bytes, count)) {
        throw new AssertionError("a new memtable has no room for " + bytes + " bytes");
      }
    }
  }

  /**
   * Makes the memtable immutable even if it is not full, unless it is empty. If there is no log
   * yet, creates it, which makes the recovered state durable, as a flush would.
   */
  void forceSwitch() {
    requireLog();
    if (!target.memtable().isEmpty()) {
      awaitUnblocked(false);
      askForRoom(0, 0, true);
    }
  }

  /**
   * Makes the memtable immutable if it has entries and no other memtable waits for its flush. Does
   * not wait.
   */
  void switchIfPossible() {
    if (target.memtable().isEmpty()) {
      inputs.wantSwitch(false);
    } else if (!inputs.isFlushBehind()) {
      forceSwitch();
    }
  }

  /** Creates the log if there is none yet. */
  void requireLog() {
    if (!logBegun) {
      askForRoom(0, 0, false);
      logBegun = true;
    }
  }

  private void askForRoom(long bytes, int count, boolean fresh) {
    try {
      target.makeRoom(bytes, count, fresh);
    } catch (IOException | DBIOException e) {
      throw noNewLog(e);
    }
  }

  private DBIOException noNewLog(Exception e) {
    return errors.isFailedPermanently()
        ? new DBIOException(
            "cannot begin a log: the write was not done, and the database is read-only until it is"
                + " opened again: "
                + e.getMessage(),
            e)
        : new DBIOException(
            "cannot begin a new log: the write was not done and may be tried again", e);
  }

  private boolean isBlocked(boolean heedLevel0) {
    return inputs.isFlushBehind()
        || (heedLevel0 && inputs.level0Tables() >= Levels.LEVEL_0_STOP_TRIGGER);
  }

  /** Waits until the memtable may become immutable. */
  private void awaitUnblocked(boolean heedLevel0) {
    if (isBlocked(heedLevel0)) {
      awaitProgress(heedLevel0);
    }
    errors.checkWrite();
  }

  private void awaitProgress(boolean heedLevel0) {
    StallEvent.Reason reason =
        inputs.isFlushBehind() ? StallEvent.Reason.FLUSH_BEHIND : StallEvent.Reason.LEVEL_0_STOP;
    Object begun = events.begin(Events.Kind.STALL);
    long start = System.nanoTime();
    stops.incrementAndGet();
    boolean interrupted = false;
    long since = start; // the last wake of the work, or the beginning or end of a shortage
    boolean wasShort = false;
    waiting = Thread.currentThread();
    try {
      while (errors.isOpen() && isBlocked(heedLevel0)) {
        boolean isShort = errors.isShortOfMemory();
        long now = System.nanoTime();
        long left = ErrorHandler.MAX_SHORTAGE_WAIT_NANOS - (now - since);
        if (isShort != wasShort) {
          wasShort = isShort;
          since = now;
        } else if (left > 0) {
          LockSupport.parkNanos(this, left);
        } else {
          since = now;
          target.wakeWork();
          if (isShort) {
            errors.checkMemory("the write was not done and may be tried again");
          }
        }
        interrupted |= Thread.interrupted();
      }
    } finally {
      endWait(reason, start, begun, interrupted);
    }
  }

  /**
   * Charges {@code bytes} against the current rate, and waits if the accumulated delay is long
   * enough for a park.
   */
  private void delay(long bytes) {
    long now = System.nanoTime();
    if (!delaying || paidUntilNanos - now < 0) {
      delaying = true;
      paidUntilNanos = now;
    }
    int excess = Math.max(0, inputs.level0Tables() - Levels.LEVEL_0_SLOWDOWN_TRIGGER);
    paidUntilNanos += (long) (bytes * NANOS_PER_BYTE[Math.min(excess, NANOS_PER_BYTE.length - 1)]);
    if (paidUntilNanos - now < MIN_DELAY_NANOS) {
      return;
    }
    long until = now + Math.min(paidUntilNanos - now, MAX_DELAY_NANOS);
    Object begun = events.begin(Events.Kind.STALL);
    delays.incrementAndGet();
    boolean interrupted = false;
    waiting = Thread.currentThread();
    try {
      while (errors.isOpen()
          && until - System.nanoTime() > 0
          && inputs.level0Tables() >= Levels.LEVEL_0_SLOWDOWN_TRIGGER) {
        LockSupport.parkNanos(this, until - System.nanoTime());
        interrupted |= Thread.interrupted();
      }
    } finally {
      endWait(StallEvent.Reason.LEVEL_0_SLOWDOWN, now, begun, interrupted);
    }
    errors.checkWrite();
  }

  private void endWait(
      StallEvent.Reason reason, long start, @Nullable Object begun, boolean interrupted) {
    waiting = null;
    long nanos = System.nanoTime() - start;
    waitedNanos.addAndGet(nanos);
    long micros = TimeUnit.NANOSECONDS.toMicros(nanos);
    try {
      events.post(new StallEvent(events.database(), reason, inputs.level0Tables(), micros), begun);
    } finally {
      if (interrupted) {
        Thread.currentThread().interrupt();
      }
    }
  }

  /**
   * Makes the waiting leader, if there is one, check its condition again. Must be called after
   * every change that it may wait for.
   */
  void progress() {
    Thread leader = waiting;
    if (leader != null) {
      LockSupport.unpark(leader);
    }
  }

  DBStats.WriteStalls stalls() {
    return new DBStats.WriteStalls(
        delays.get(), stops.get(), TimeUnit.NANOSECONDS.toMicros(waitedNanos.get()));
  }
}
