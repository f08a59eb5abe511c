package dev.kv.ttl;

import dev.kv.Snapshot;

/** A snapshot, and the time at which it was taken. It reads what has not expired at that time. */
final class TimedSnapshot extends LiveReader implements Snapshot {
  private final Snapshot snapshot;
  private final long time;

  /**
   * Takes ownership of the snapshot.
   *
   * @param time the time in milliseconds, read after the snapshot was taken
   */
  TimedSnapshot(Snapshot snapshot, long time) {
    super(snapshot, () -> time);
    this.snapshot = snapshot;
    this.time = time;
  }

  /** Returns the snapshot of the stored values. */
  Snapshot snapshot() {
    return snapshot;
  }

  /** Returns the time in milliseconds. */
  long time() {
    return time;
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
