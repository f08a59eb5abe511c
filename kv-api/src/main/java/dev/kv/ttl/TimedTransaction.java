package dev.kv.ttl;

import dev.kv.Snapshot;
import dev.kv.Transaction;
import org.jspecify.annotations.Nullable;

/** A transaction that reads the values that have not expired at its beginning. */
final class TimedTransaction extends LiveReader implements Transaction {
  private final Transaction transaction;
  private final TimeToLive times;
  private final long time;

  /**
   * Takes ownership of the transaction of the database.
   *
   * @param time the time in milliseconds, read after the transaction began
   */
  TimedTransaction(Transaction transaction, TimeToLive times, long time) {
    super(transaction, () -> time);
    this.transaction = transaction;
    this.times = times;
    this.time = time;
  }

  @Override
  public byte @Nullable [] getForUpdate(byte[] key) {
    return live(transaction.getForUpdate(key), time);
  }

  @Override
  public Transaction put(byte[] key, byte[] value) {
    transaction.put(key, times.encode(value));
    return this;
  }

  @Override
  public Transaction delete(byte[] key) {
    transaction.delete(key);
    return this;
  }

  @Override
  public TimeToLive store() {
    return times;
  }

  @Override
  public Snapshot snapshot() {
    return new TimedSnapshot(transaction.snapshot(), time);
  }

  @Override
  public void commit() {
    transaction.commit();
  }

  @Override
  public void close() {
    transaction.close();
  }
}
