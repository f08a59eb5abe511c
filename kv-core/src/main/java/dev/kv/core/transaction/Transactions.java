package dev.kv.core.transaction;

import dev.kv.DBStats;
import dev.kv.Transaction;
import dev.kv.TransactionOptions;
import dev.kv.core.key.UserKeyComparator;
import dev.kv.core.read.DatabaseReader;
import dev.kv.core.read.ReadMark;
import dev.kv.core.read.SnapshotList;
import dev.kv.core.write.CommitPipeline;
import java.util.concurrent.atomic.LongAdder;

/** Begins the transactions of a database, and counts how they end. Thread-safe. */
public final class Transactions {
  private final DatabaseReader reader;
  private final SnapshotList snapshots;
  private final CommitPipeline commits;
  private final UserKeyComparator order;

  private final LongAdder open = new LongAdder();
  private final LongAdder committed = new LongAdder();
  private final LongAdder conflicts = new LongAdder();
  private final LongAdder tooLarge = new LongAdder();
  private final LongAdder tooOld = new LongAdder();

  /** Creates the object; the caller keeps the ownership of all arguments. */
  public Transactions(
      DatabaseReader reader,
      SnapshotList snapshots,
      CommitPipeline commits,
      UserKeyComparator order) {
    this.reader = reader;
    this.snapshots = snapshots;
    this.commits = commits;
    this.order = order;
  }

  /**
   * Begins a transaction. The mark is taken before the snapshot, so that the memtables since the
   * mark have every write after the snapshot.
   */
  public Transaction begin(TransactionOptions options) {
    ReadMark mark = reader.mark();
    TransactionImpl transaction = new TransactionImpl(this, options, snapshots.acquire(), mark);
    open.increment();
    return transaction;
  }

  /** Returns the counters. */
  public DBStats.Transactions stats() {
    return new DBStats.Transactions(
        open.sum(), committed.sum(), conflicts.sum(), tooLarge.sum(), tooOld.sum());
  }

  DatabaseReader reader() {
    return reader;
  }

  CommitPipeline commits() {
    return commits;
  }

  UserKeyComparator order() {
    return order;
  }

  void countEnd() {
    open.decrement();
  }

  void countCommit() {
    committed.increment();
  }

  void countConflict() {
    conflicts.increment();
  }

  void countTooLarge() {
    tooLarge.increment();
  }

  void countTooOld() {
    tooOld.increment();
  }
}
