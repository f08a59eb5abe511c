package dev.kv.core.read;

import dev.kv.DBClosedException;
import dev.kv.Snapshot;
import org.jspecify.annotations.Nullable;

/**
 * A snapshot: a sequence number that stays readable until the snapshot is closed. A member of a
 * {@link SnapshotList}. If the tables change outside the log meanwhile, it keeps the read state
 * from before, because a number cannot show what is no longer there.
 */
public final class SnapshotImpl implements Snapshot {
  private final SnapshotList list;
  private final long sequence;

  // Guarded by the list. An element that is not linked is its own neighbour.
  @Nullable SnapshotImpl older;
  @Nullable SnapshotImpl newer;

  /** The state to read from, with the snapshot as a keeper; null for the current one. */
  @Nullable ReadState kept;

  SnapshotImpl(SnapshotList list, long sequence) {
    this.list = list;
    this.sequence = sequence;
  }

  SnapshotList list() {
    return list;
  }

  /**
   * Returns the sequence number without checking whether the database or the snapshot is closed.
   */
  long rawSequence() {
    return sequence;
  }

  @Override
  public long sequence() {
    if (list.isClosed()) {
      throw new DBClosedException("the snapshot's database is closed");
    }
    return sequence;
  }

  @Override
  public void close() {
    list.remove(this);
  }

  @Override
  public String toString() {
    return "Snapshot[" + sequence + "]";
  }
}
