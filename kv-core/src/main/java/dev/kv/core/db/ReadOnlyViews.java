package dev.kv.core.db;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import dev.kv.admin.LiveFiles;
import dev.kv.core.checkpoint.FrozenFiles;
import dev.kv.core.read.ReadStates;
import dev.kv.core.read.SnapshotList;
import dev.kv.core.state.DatabaseContext;
import dev.kv.errors.CorruptionException;
import dev.kv.errors.DBClosedException;
import java.util.ArrayList;
import java.util.List;

/**
 * The newest view of a database that is open for reading only, and the views before it that
 * snapshots and iterators still use. Thread-safe.
 *
 * <p>The lock of this class comes before all others: a refresh holds it while it reads files.
 */
final class ReadOnlyViews {
  private final DatabaseContext context;
  private final ReadStates states = new ReadStates();
  private final SnapshotList snapshots;
  private volatile ReadOnlyView newest;
  private volatile long lastSequence;

  /** The views before the newest one whose tables are in use; looked through at each refresh. */
  @GuardedBy("this")
  private final List<ReadOnlyView> older = new ArrayList<>();

  @GuardedBy("this")
  private boolean closed;

  /** Publishes the first view, and takes ownership of it. */
  ReadOnlyViews(DatabaseContext context, ReadOnlyView first) {
    this.context = context;
    this.newest = first;
    this.lastSequence = first.lastSequence();
    this.snapshots = new SnapshotList(() -> lastSequence);
    first.publish(states);
  }

  ReadStates states() {
    return states;
  }

  SnapshotList snapshots() {
    return snapshots;
  }

  ReadOnlyView newest() {
    return newest;
  }

  /** Throws if the files do not have the newest view or a later one of the same database. */
  void requireNotBefore(ReadOnlyView next) {
    long greatest = newest.greatestSequence();
    if (next.greatestSequence() < greatest) {
      throw new CorruptionException(
          "the last sequence number is "
              + next.greatestSequence()
              + " and was "
              + greatest
              + ": the database was replaced or has lost writes; open it again",
          context.directory().toString(),
          CorruptionException.NO_OFFSET);
    }
  }

  /**
   * Makes {@code next} the view of new reads, and takes ownership of it. Open snapshots keep the
   * views that they have. Returns true if it has later writes.
   */
  @GuardedBy("this")
  boolean advance(ReadOnlyView next) {
    ReadOnlyView before = newest;
    boolean later = next.lastSequence() > lastSequence;
    older.removeIf(ReadOnlyView::isUnpinned);
    older.add(before);
    snapshots.keepViews(
        states, () -> lastSequence = next.lastSequence(), () -> next.publish(states));
    newest = next;
    before.release();
    return later;
  }

  /** Returns the files of the newest view. */
  synchronized LiveFiles files() {
    if (closed) {
      throw new DBClosedException("the database is closed");
    }
    ReadOnlyView view = newest;
    return FrozenFiles.of(
        context,
        view.versions().current(),
        view.versions(),
        view.oldestFirst(),
        view.lastSequence());
  }

  /** Frees all views. The reader was closed before. */
  synchronized void free() {
    closed = true;
    newest.release();
    newest.unpinTables();
    older.forEach(ReadOnlyView::unpinTables);
    older.clear();
  }

  /** Closes what the views used. The caller holds no lock, since the listener is called. */
  void closeContext() {
    context.close();
  }
}
