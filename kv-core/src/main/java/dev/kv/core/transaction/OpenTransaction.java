package dev.kv.core.transaction;

import dev.kv.core.read.SnapshotImpl;
import java.lang.ref.ReferenceQueue;
import java.lang.ref.WeakReference;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * A transaction that has not ended, as its database sees it: the snapshot, and the time after which
 * the transaction may be ended by others. Thread-safe.
 *
 * <p>Refers to the transaction weakly, so that the collector finds one that the program has lost.
 * Whoever ends the transaction closes the snapshot, after the state says so. So a read of the
 * snapshot that finds the transaction open afterwards had the snapshot open throughout. A commit
 * relies on the snapshot too, and cannot be interrupted in this way.
 */
final class OpenTransaction extends WeakReference<TransactionImpl> {
  private static final int OPEN = 0;
  private static final int COMMITTING = 1;
  private static final int ENDED = 2;

  private final SnapshotImpl snapshot;
  private final long begun;
  private final long maxAgeNanos;
  private final AtomicInteger state = new AtomicInteger(OPEN);

  OpenTransaction(
      TransactionImpl transaction,
      SnapshotImpl snapshot,
      long maxAgeNanos,
      ReferenceQueue<TransactionImpl> collected) {
    super(transaction, collected);
    this.snapshot = snapshot;
    this.maxAgeNanos = maxAgeNanos;
    begun = System.nanoTime();
  }

  boolean isEnded() {
    return state.get() == ENDED;
  }

  boolean isTooOld() {
    return System.nanoTime() - begun > maxAgeNanos;
  }

  /** Prevents others from ending the transaction; returns false if it has ended. */
  boolean beginCommit() {
    return state.compareAndSet(OPEN, COMMITTING);
  }

  /** Ends the transaction, unless it is being committed; returns true if it did. */
  boolean expire() {
    if (!state.compareAndSet(OPEN, ENDED)) {
      return false;
    }
    snapshot.close();
    return true;
  }

  /** Ends the transaction; returns false if it had ended. */
  boolean end() {
    if (state.getAndSet(ENDED) == ENDED) {
      return false;
    }
    snapshot.close();
    return true;
  }
}
