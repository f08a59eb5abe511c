package dev.kv.core.read;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import dev.kv.DBReader;
import dev.kv.Snapshot;
import dev.kv.core.memory.IntrusiveList;
import dev.kv.errors.DBClosedException;
import java.util.ArrayList;
import java.util.List;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;

/**
 * The open snapshots, oldest first. Thread-safe.
 *
 * <p>All of these methods hold the same lock, so each pair of them runs in one of two orders:
 *
 * <ol>
 *   <li>{@link #acquire} and {@link #sequences}: a compaction sees the snapshot, or has asked
 *       before. In the second case the snapshot reads its number, an acquire read of the last
 *       sequence number, after the compaction has asked. So it reads at the same number as the
 *       compaction or a higher one, and the compaction keeps the newest entry of every key.
 *   <li>{@link #acquire} and {@link #keepViews}: the snapshot is in the list, and keeps the read
 *       state from before the change; or it is taken after {@code makeVisible}, and has at least
 *       the number of the change.
 *   <li>{@code pinKept} and {@link #keepViews}: a reader of the snapshot finds the state that the
 *       snapshot keeps; or it has pinned a state before the next one was published, and that state
 *       shows the same.
 * </ol>
 */
public final class SnapshotList implements AutoCloseable {
  /** Less than the sequence number of every snapshot. */
  public static final long NONE = -1;

  private final LongSupplier lastSequence;

  @GuardedBy("this")
  private final IntrusiveList<SnapshotImpl> open = new IntrusiveList<>();

  private volatile boolean closed;

  /**
   * Creates an empty list; {@code lastSequence} returns the last sequence number that readers see.
   */
  public SnapshotList(LongSupplier lastSequence) {
    this.lastSequence = lastSequence;
  }

  /**
   * Returns a new snapshot of the current state.
   *
   * @param reader reads from the snapshot
   */
  synchronized SnapshotImpl acquire(DBReader reader) {
    if (closed) {
      throw new DBClosedException("the database is closed");
    }
    SnapshotImpl snapshot = new SnapshotImpl(this, reader, lastSequence.getAsLong());
    open.addLast(snapshot);
    return snapshot;
  }

  void remove(SnapshotImpl snapshot) {
    ReadState kept = unlink(snapshot);
    if (kept != null) {
      kept.unkeep();
    }
  }

  /** Removes a snapshot that may have been removed already; returns the state that it kept. */
  private synchronized @Nullable ReadState unlink(SnapshotImpl snapshot) {
    if (!open.contains(snapshot)) {
      return null;
    }
    open.remove(snapshot);
    return takeKept(snapshot);
  }

  @GuardedBy("this")
  private @Nullable ReadState takeKept(SnapshotImpl snapshot) {
    ReadState kept = snapshot.kept;
    snapshot.kept = null;
    return kept;
  }

  synchronized boolean isOpen(SnapshotImpl snapshot) {
    return open.contains(snapshot);
  }

  /** Returns the last sequence number that readers see. */
  long lastSequence() {
    return lastSequence.getAsLong();
  }

  /**
   * Returns the state that {@code snapshot} keeps, pinned, or null if it reads from the current
   * one. The caller has already pinned the current state: if a change makes the snapshot keep a
   * state after this call, the pinned one is that state or an older one, which shows the same.
   *
   * @throws IllegalArgumentException for a snapshot of another database
   * @throws IllegalStateException for a closed one
   */
  @Nullable ReadState pinKept(Snapshot snapshot, int stripe) {
    if (!(snapshot instanceof SnapshotImpl ours) || ours.list() != this) {
      throw new IllegalArgumentException(
          "the snapshot is not of this database itself, but of another one or a view: " + snapshot);
    }
    return pinKept(ours, stripe);
  }

  private synchronized @Nullable ReadState pinKept(SnapshotImpl snapshot, int stripe) {
    if (!open.contains(snapshot)) {
      throw new IllegalStateException("the snapshot has been closed: " + snapshot);
    }
    if (closed) {
      throw new DBClosedException("the database is closed");
    }
    ReadState kept = snapshot.kept;
    if (kept != null) {
      kept.pin(stripe);
    }
    return kept;
  }

  /** Returns the sequence number of a snapshot that {@link #pinKept} has accepted. */
  static long sequenceOf(Snapshot snapshot) {
    return ((SnapshotImpl) snapshot).rawSequence();
  }

  /**
   * Runs {@code publish}, which publishes content that did not pass the log, so that no open
   * snapshot sees it: each one keeps the current read state first, unless it keeps one already. A
   * snapshot is taken either before this call or after it.
   *
   * @param makeVisible makes the sequence number of the change the last one that readers see. Runs
   *     first: a reader that finds the next state must not read it at an older number
   * @param publish publishes the next read state
   */
  public void keepViews(ReadStates states, Runnable makeVisible, Runnable publish) {
    keepViews(NONE, states, makeVisible, publish);
  }

  /**
   * Does the same for the snapshots with a higher sequence number than {@code after}. The others
   * see the same in the next state.
   */
  public synchronized void keepViews(
      long after, ReadStates states, Runnable makeVisible, Runnable publish) {
    ReadState before = states.current();
    for (SnapshotImpl at = open.first(); at != null && before != null; at = open.after(at)) {
      if (at.kept == null && at.rawSequence() > after) {
        before.keep();
        at.kept = before;
      }
    }
    states.countChange();
    makeVisible.run();
    publish.run();
  }

  /**
   * Returns the sequence numbers of the open snapshots, ascending. A snapshot taken later reads at
   * the last number or a later one, and so sees the newest entry of every key in a compaction that
   * is running.
   */
  public synchronized long[] sequences() {
    long[] sequences = new long[open.size()];
    int i = 0;
    for (SnapshotImpl at = open.first(); at != null; at = open.after(at)) {
      sequences[i++] = at.rawSequence();
    }
    return sequences;
  }

  /** Returns the number of open snapshots. */
  public synchronized int count() {
    return open.size();
  }

  /**
   * Makes every use of the snapshots except their close throw {@link DBClosedException}, and
   * releases the states that they keep.
   */
  @Override
  public void close() {
    for (ReadState kept : closeAndTakeKept()) {
      kept.unkeep();
    }
  }

  private synchronized List<ReadState> closeAndTakeKept() {
    closed = true;
    List<ReadState> all = new ArrayList<>();
    for (SnapshotImpl at = open.first(); at != null; at = open.after(at)) {
      ReadState kept = takeKept(at);
      if (kept != null) {
        all.add(kept);
      }
    }
    return all;
  }

  boolean isClosed() {
    return closed;
  }
}
