package dev.kv.micrometer;

import dev.kv.admin.DBInspector;
import dev.kv.admin.DBStats;
import dev.kv.errors.DBClosedException;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * The statistics of a database, which are read once for a while: a registry reads all meters one
 * after another. Does not refer to the database. Thread-safe.
 */
final class StatsView {
  static final long ONE_SECOND = TimeUnit.SECONDS.toNanos(1);

  private final long maxAgeNanos;
  private @Nullable DBStats last;
  private long readAtNanos;
  private boolean closed;

  /** Creates a view that reads the statistics again when they are older than this. */
  StatsView(long maxAgeNanos) {
    this.maxAgeNanos = maxAgeNanos;
  }

  /** Returns the statistics, or the last ones if the database is closed; null if there are none. */
  synchronized @Nullable DBStats of(DBInspector database) {
    long now = System.nanoTime();
    if (!closed && (last == null || now - readAtNanos >= maxAgeNanos)) {
      try {
        last = database.stats();
        readAtNanos = now;
      } catch (DBClosedException e) {
        closed = true;
      }
    }
    return last;
  }

  /** Returns the same, but null if the database is closed. */
  synchronized @Nullable DBStats ofOpen(DBInspector database) {
    DBStats stats = of(database);
    return closed ? null : stats;
  }
}
