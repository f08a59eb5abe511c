package dev.kv.core.read;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import dev.kv.DBClosedException;
import dev.kv.Snapshot;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;

/**
 * The open snapshots, oldest first. Thread-safe.
 *
 * <p>{@link #acquire} reads the last sequence number under the lock that {@link #sequences} takes.
 * So a compaction either sees a new snapshot, or keeps all entries that the snapshot will see.
 */
public final class SnapshotList {
  private final LongSupplier lastSequence;

  @GuardedBy("this")
  private @Nullable SnapshotImpl oldest;

  @GuardedBy("this")
  private @Nullable SnapshotImpl newest;

  @GuardedBy("this")
  private int count;

  private volatile boolean closed;

  /**
   * Creates an empty list; {@code lastSequence} returns the last sequence number that readers see.
   */
  public SnapshotList(LongSupplier lastSequence) {
    this.lastSequence = lastSequence;
  }

  /** Returns a new snapshot of the current state. */
  public synchronized SnapshotImpl acquire() {
    if (closed) {
      throw new DBClosedException("the database is closed");
    }
    SnapshotImpl snapshot = new SnapshotImpl(this, lastSequence.getAsLong());
    snapshot.older = newest;
    if (newest == null) {
      oldest = snapshot;
    } else {
      newest.newer = snapshot;
    }
    newest = snapshot;
    count++;
    return snapshot;
  }

  synchronized void remove(SnapshotImpl snapshot) {
    if (!isLinked(snapshot)) {
      return;
    }
    SnapshotImpl before = snapshot.older;
    SnapshotImpl after = snapshot.newer;
    if (before == null) {
      oldest = after;
    } else {
      before.newer = after;
    }
    if (after == null) {
      newest = before;
    } else {
      after.older = before;
    }
    snapshot.older = snapshot;
    snapshot.newer = snapshot;
    count--;
  }

  @GuardedBy("this")
  private boolean isLinked(SnapshotImpl snapshot) {
    return snapshot.older != snapshot;
  }

  /** Returns the last sequence number that readers see. */
  long lastSequence() {
    return lastSequence.getAsLong();
  }

  /**
   * Returns the sequence number of {@code snapshot}. Throws {@link IllegalArgumentException} for a
   * snapshot of another database, and {@link IllegalStateException} for a closed one.
   */
  long sequenceOf(Snapshot snapshot) {
    if (!(snapshot instanceof SnapshotImpl ours) || ours.list() != this) {
      throw new IllegalArgumentException("the snapshot belongs to another database: " + snapshot);
    }
    if (!isOpen(ours)) {
      throw new IllegalStateException("the snapshot has been closed: " + snapshot);
    }
    return ours.rawSequence();
  }

  private synchronized boolean isOpen(SnapshotImpl snapshot) {
    return isLinked(snapshot);
  }

  /**
   * Returns the sequence numbers of the open snapshots, ascending. A snapshot taken later reads at
   * the last number or a later one, and so sees the newest entry of every key in a compaction that
   * is running.
   */
  public synchronized long[] sequences() {
    long[] sequences = new long[count];
    int i = 0;
    for (SnapshotImpl at = oldest; at != null; at = at.newer) {
      sequences[i++] = at.rawSequence();
    }
    return sequences;
  }

  /** Returns the number of open snapshots. */
  public synchronized int count() {
    return count;
  }

  /** Makes every use of the snapshots except their close throw {@link DBClosedException}. */
  public synchronized void close() {
    closed = true;
  }

  boolean isClosed() {
    return closed;
  }
}
