package dev.kv.space;

import dev.kv.Snapshot;
import dev.kv.Transaction;
import dev.kv.errors.ConflictException;
import org.jspecify.annotations.Nullable;

/** A view of a transaction, whose keys are those of a space. */
final class SpaceTransaction extends SpaceReader implements Transaction {
  private final Transaction transaction;
  private final Space space;

  SpaceTransaction(Transaction transaction, Space space) {
    super(transaction, space.prefix);
    this.transaction = transaction;
    this.space = space;
  }

  @Override
  public byte @Nullable [] getForUpdate(byte[] key) {
    return transaction.getForUpdate(whole(key));
  }

  @Override
  public Transaction put(byte[] key, byte[] value) {
    transaction.put(whole(key), value);
    return this;
  }

  @Override
  public Transaction delete(byte[] key) {
    transaction.delete(whole(key));
    return this;
  }

  @Override
  public Space store() {
    return space;
  }

  @Override
  public Snapshot snapshot() {
    return new SpaceSnapshot(transaction.snapshot(), prefix);
  }

  @Override
  public void commit() {
    try {
      transaction.commit();
    } catch (ConflictException e) {
      throw prefix.without(e);
    }
  }

  @Override
  public void close() {
    transaction.close();
  }
}
