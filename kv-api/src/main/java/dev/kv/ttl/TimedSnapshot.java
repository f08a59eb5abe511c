package dev.kv.ttl;

import dev.kv.Snapshot;

/**
 * A snapshot of the database, and the time at which it was taken.
 *
 * @param snapshot the snapshot, owned
 * @param time the time in milliseconds, read after the snapshot was taken
 */
record TimedSnapshot(Snapshot snapshot, long time) implements Snapshot {
  @Override
  public long sequence() {
    return snapshot.sequence();
  }

  @Override
  public void close() {
    snapshot.close();
  }
}
