package dev.kv.tools;

import dev.kv.DB;
import dev.kv.DBIterator;
import dev.kv.DBStats;
import dev.kv.Range;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The progress of a walk over a database in the order of its keys. How much is behind the cursor is
 * known in bytes of tables, and that tells the time left.
 */
final class ScanProgress implements AutoCloseable {
  private static final int ENTRIES_PER_UPDATE = 4096;

  private final DB db;
  private final @Nullable Progress progress;
  private byte @Nullable [] first;
  private long done;
  private int pending;

  /** Begins to show the progress of {@code task}; it borrows {@code db}. */
  ScanProgress(String task, DB db) {
    this.db = db;
    progress =
        Progress.onTerminal()
            ? Progress.ofBytes(
                task, db.stats().levels().stream().mapToLong(DBStats.Level::bytes).sum())
            : null;
  }

  /** Notes that the walk has come to an entry. */
  void step(DBIterator entry) {
    if (progress == null || pending++ % ENTRIES_PER_UPDATE != 0) {
      return;
    }
    byte[] key = entry.key();
    if (first == null) {
      first = key;
    }
    long now = db.approximateSizes(List.of(new Range(first, key)))[0];
    if (now > done) {
      progress.step(now - done);
      done = now;
    }
  }

  @Override
  public void close() {
    if (progress != null) {
      progress.close();
    }
  }
}
