package dev.kv.core.transaction;

import dev.kv.KeyValueStore;
import dev.kv.Transaction;
import dev.kv.TransactionOptions;
import dev.kv.admin.DBStats;
import dev.kv.core.batch.EncodedBatch;
import dev.kv.core.batch.Expectation;
import dev.kv.core.key.UserKeyComparator;
import dev.kv.core.logging.EngineLogger;
import dev.kv.core.read.DatabaseReader;
import dev.kv.core.read.ReadMark;
import dev.kv.core.read.SnapshotImpl;
import dev.kv.core.read.ValidationView;
import dev.kv.core.write.CommitPipeline;
import dev.kv.core.write.WriteOutcome;
import dev.kv.errors.CorruptionException;
import dev.kv.errors.DBIOException;
import java.lang.ref.Reference;
import java.lang.ref.ReferenceQueue;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.LongAdder;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * Begins the transactions of a database, and counts how they end. Ends those that a program has
 * lost without closing them, and those that are too old. Applies batches that have expectations,
 * too. Thread-safe.
 */
public final class Transactions {
  private static final EngineLogger LOG = EngineLogger.of(Transactions.class);

  private final DatabaseReader reader;
  private final CommitPipeline commits;
  private final UserKeyComparator order;

  private final Set<OpenTransaction> open = ConcurrentHashMap.newKeySet();
  private final ReferenceQueue<TransactionImpl> collected = new ReferenceQueue<>();
  private final LongAdder committed = new LongAdder();
  private final LongAdder conflicts = new LongAdder();
  private final LongAdder tooLarge = new LongAdder();
  private final LongAdder tooOld = new LongAdder();
  private final AtomicLong leaked = new AtomicLong();

  /** Creates the object; the caller keeps the ownership of all arguments. */
  public Transactions(DatabaseReader reader, CommitPipeline commits, UserKeyComparator order) {
    this.reader = reader;
    this.commits = commits;
    this.order = order;
  }

  /**
   * Begins a transaction. The mark is taken before the snapshot, so that the memtables since the
   * mark have every write after the snapshot.
   */
  public Transaction begin(KeyValueStore store, TransactionOptions options) {
    ReadMark mark = reader.mark();
    endLost();
    SnapshotImpl snapshot = reader.snapshot();
    try {
      return new TransactionImpl(this, store, options, snapshot, mark);
    } catch (Throwable e) { // without an Undo, which may find no memory either
      snapshot.close();
      throw e;
    }
  }

  /**
   * Applies {@code batch} atomically if all its expectations hold. If another write changes one of
   * their keys between the comparison of the values and the commit, compares the values again.
   *
   * @return null if the batch was applied, else a key whose expectation does not hold; not a copy
   */
  public byte @Nullable [] writeIfExpected(EncodedBatch batch, boolean sync) {
    commits.checkWrites();
    List<byte[]> keys = batch.expectations().stream().map(Expectation::key).toList();
    while (true) {
      try (ValidationView view = reader.validationView()) {
        byte[] unmet = checkInTables(() -> firstUnmet(batch.expectations(), view));
        if (unmet != null) {
          return unmet;
        }
        long base = view.sinceSequence();
        TransactionCheck check = new TransactionCheck(keys, List.of(), base, order);
        if (commits.write(batch, sync, check.since(view.recent(), base)) == WriteOutcome.DONE) {
          return null;
        }
      }
    }
  }

  /** Returns the key of the first expectation that does not hold in the base; null if all do. */
  private static byte @Nullable [] firstUnmet(List<Expectation> expectations, ValidationView view) {
    for (Expectation each : expectations) {
      try {
        if (!each.isMetBy(view.find(each.key()) ? view.value() : null)) {
          return each.key();
        }
      } finally {
        view.releaseValue();
      }
    }
    return null;
  }

  /**
   * Runs the part of a check that may read tables. A failure says that the write was not done;
   * listeners are told of damage, as in any read.
   */
  <R extends @Nullable Object> R checkInTables(Supplier<R> check) {
    try {
      return check.get();
    } catch (DBIOException e) {
      throw new DBIOException(
          "the condition of the write cannot be checked: the write was not done and may be tried"
              + " again: "
              + e.getMessage(),
          e);
    } catch (CorruptionException e) {
      reader.tellIfDamage(e);
      throw e;
    }
  }

  /** Returns the registration of a transaction that begins. */
  OpenTransaction register(TransactionImpl transaction, SnapshotImpl snapshot, long maxAgeNanos) {
    OpenTransaction entry = new OpenTransaction(transaction, snapshot, maxAgeNanos, collected);
    open.add(entry);
    return entry;
  }

  /** Ends a transaction, if it has not ended. */
  void end(OpenTransaction entry) {
    if (entry.end()) {
      open.remove(entry);
    }
  }

  /** Ends a transaction that is too old, unless it has ended or is being committed. */
  void expire(OpenTransaction entry) {
    if (entry.expire()) {
      open.remove(entry);
      tooOld.increment();
    }
  }

  /**
   * Ends the transactions that were lost or are too old, so that they hold no old versions. Called
   * by the maintenance thread.
   */
  public void endLostAndOld() {
    endLost();
    for (OpenTransaction entry : open) {
      if (entry.isTooOld()) {
        expire(entry);
      }
    }
  }

  /** Ends the transactions that were collected without having ended. Cheap if there is none. */
  private void endLost() {
    for (Reference<?> lost = collected.poll(); lost != null; lost = collected.poll()) {
      OpenTransaction entry = (OpenTransaction) lost;
      if (entry.end()) {
        open.remove(entry);
        if (leaked.incrementAndGet() == 1) {
          LOG.warn(
              "a transaction was garbage-collected without having been closed; until then it held"
                  + " old versions of all keys. Close every transaction, for example with"
                  + " try-with-resources. Later ones are counted in DBStats and not logged");
        }
      }
    }
  }

  /** Returns the counters. */
  public DBStats.Transactions stats() {
    endLost();
    return new DBStats.Transactions(
        open.size(), committed.sum(), conflicts.sum(), tooLarge.sum(), tooOld.sum(), leaked.get());
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

  void countCommit() {
    committed.increment();
  }

  void countConflict() {
    conflicts.increment();
  }

  void countTooLarge() {
    tooLarge.increment();
  }
}
