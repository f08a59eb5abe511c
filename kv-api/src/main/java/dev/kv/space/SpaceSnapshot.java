package dev.kv.space;

import dev.kv.Snapshot;

/** A snapshot that reads the keys of a space. */
final class SpaceSnapshot extends SpaceReader implements Snapshot {
  private final Snapshot snapshot;

  /** Takes ownership of the snapshot. */
  SpaceSnapshot(Snapshot snapshot, KeyPrefix prefix) {
    super(snapshot, prefix);
    this.snapshot = snapshot;
  }

  /** Returns the snapshot that this is a view of. */
  Snapshot snapshot() {
    return snapshot;
  }

  @Override
  public long sequence() {
    return snapshot.sequence();
  }

  @Override
  public void close() {
    snapshot.close();
  }

  @Override
  public String toString() {
    return snapshot.toString();
  }
}
