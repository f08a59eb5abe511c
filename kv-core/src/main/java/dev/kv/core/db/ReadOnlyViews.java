package dev.kv.core.db;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import dev.kv.admin.DBStats;
import dev.kv.admin.LiveFiles;
import dev.kv.core.checkpoint.FrozenFiles;
import dev.kv.core.memory.Stripes;
import dev.kv.core.read.ReadState;
import dev.kv.core.read.ReadStates;
import dev.kv.core.read.SnapshotList;
import dev.kv.core.state.DatabaseContext;
import dev.kv.core.state.DatabaseStats;
import dev.kv.core.version.Version;
import dev.kv.errors.CorruptionException;
import dev.kv.errors.DBClosedException;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * The newest view of a database that is open for reading only, and the views before it that
 * snapshots and iterators still use. Thread-safe.
 *
 * <p>The lock of this class comes before all others: a refresh holds it while it reads files.
 */
final class ReadOnlyViews implements DatabaseStats.Source {
  private final DatabaseContext context;
  private final TableUses uses;
  private final ReadStates states = new ReadStates();
  private final SnapshotList snapshots;
  private volatile ReadOnlyView newest;
  private volatile long lastSequence;

  /** The views before the newest one whose tables are in use; looked through at each refresh. */
  @GuardedBy("this")
  private final List<ReadOnlyView> older = new ArrayList<>();

  @GuardedBy("this")
  private boolean closed;

  /**
   * Publishes the first view, and takes ownership of it.
   *
   * @param uses counts the uses of the tables of all views
   */
  ReadOnlyViews(DatabaseContext context, TableUses uses, ReadOnlyView first) {
    this.context = context;
    this.uses = uses;
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

  long lastSequence() {
    return lastSequence;
  }

  @Override
  public DBStats.Recovery recovery() {
    return newest.recovery();
  }

  @Override
  public long memtableBytes() {
    return newest.memtableBytes();
  }

  @Override
  public long memtableKeys() {
    return newest.memtableKeys();
  }

  @Override
  public DBStats.Writes writes() {
    return new DBStats.Writes(0, 0, 0, 0, lastSequence, new DBStats.WriteStalls(0, 0, 0));
  }

  @Override
  public DBStats.Transactions transactions() {
    return new DBStats.Transactions(0, 0, 0, 0, 0, 0);
  }

  @Override
  public int undeletedFiles() {
    return 0;
  }

  @Override
  public <R extends @Nullable Object> R withVersion(Function<Version, R> use) {
    int stripe = Stripes.current();
    ReadState state = states.acquire(stripe);
    try {
      return use.apply(state.version());
    } finally {
      states.release(state, stripe);
    }
  }

  /** Returns a view that has read nothing yet, for {@link #advance}. */
  ReadOnlyView begin(boolean last) {
    return new ReadOnlyView(context, uses, last);
  }

  /** Throws if the files do not have the newest view or a later one of the same database. */
  void requireNotBefore(ReadOnlyView next) {
    if (next.lastSequence() < lastSequence) {
      throw new CorruptionException(
          "the last sequence number is "
              + next.lastSequence()
              + " and was "
              + lastSequence
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
  synchronized void close() {
    closed = true;
    newest.release();
    newest.unpinTables();
    older.forEach(ReadOnlyView::unpinTables);
    older.clear();
    context.close();
  }
}
