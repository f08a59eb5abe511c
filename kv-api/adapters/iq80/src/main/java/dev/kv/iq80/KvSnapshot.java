package dev.kv.iq80;

import org.iq80.leveldb.Snapshot;

/** A frozen view of a database. Thread-safe; closing twice does nothing. */
final class KvSnapshot implements Snapshot {
  private final dev.kv.Snapshot snapshot;

  KvSnapshot(dev.kv.Snapshot snapshot) {
    this.snapshot = snapshot;
  }

  dev.kv.Snapshot unwrap() {
    return snapshot;
  }

  @Override
  public void close() {
    snapshot.close();
  }
}
