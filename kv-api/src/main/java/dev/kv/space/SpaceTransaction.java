package dev.kv.space;

import dev.kv.ConflictException;
import dev.kv.DBIterator;
import dev.kv.ReadOptions;
import dev.kv.Snapshot;
import dev.kv.Transaction;
import dev.kv.ValueReader;
import java.util.List;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/** A view of a transaction, whose keys are those of a space. */
final class SpaceTransaction implements Transaction {
  private final Transaction transaction;
  private final Space space;
  private final KeyPrefix prefix;

  SpaceTransaction(Transaction transaction, Space space, KeyPrefix prefix) {
    this.transaction = transaction;
    this.space = space;
    this.prefix = prefix;
  }

  private byte[] whole(byte[] key) {
    return prefix.join(Objects.requireNonNull(key, "key"));
  }

  @Override
  public byte @Nullable [] get(byte[] key) {
    return transaction.get(whole(key));
  }

  @Override
  public List<byte @Nullable []> getAll(List<byte[]> keys) {
    return transaction.getAll(keys.stream().map(this::whole).toList());
  }

  @Override
  public byte @Nullable [] getForUpdate(byte[] key) {
    return transaction.getForUpdate(whole(key));
  }

  @Override
  public <R extends @Nullable Object> @Nullable R read(byte[] key, ValueReader<R> reader) {
    return transaction.read(whole(key), reader);
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
  public DBIterator iterator(ReadOptions options) {
    Objects.requireNonNull(options, "options");
    return new SpaceIterator(transaction.iterator(space.whole(options)), prefix);
  }

  @Override
  public Snapshot snapshot() {
    return transaction.snapshot();
  }

  @Override
  public void commit() {
    try {
      transaction.commit();
    } catch (ConflictException e) {
      throw space.ofThisSpace(e);
    }
  }

  @Override
  public void close() {
    transaction.close();
  }
}
