package dev.kv.ttl;

import dev.kv.DBIterator;
import dev.kv.ReadOptions;
import dev.kv.Slice;
import dev.kv.Snapshot;
import dev.kv.Transaction;
import dev.kv.ValueReader;
import java.util.List;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/** A transaction that reads the values that have not expired at its beginning. */
final class TimedTransaction implements Transaction {
  private final Transaction transaction;
  private final TimeToLive times;
  private final long time;

  /**
   * Takes ownership of the transaction of the database.
   *
   * @param time the time in milliseconds, read after the transaction began
   */
  TimedTransaction(Transaction transaction, TimeToLive times, long time) {
    this.transaction = transaction;
    this.times = times;
    this.time = time;
  }

  @Override
  public byte @Nullable [] get(byte[] key) {
    return read(key, Slice::toByteArray);
  }

  @Override
  public List<byte @Nullable []> getAll(List<byte[]> keys) {
    return TimeToLive.live(transaction.getAll(keys), time, false);
  }

  @Override
  public byte @Nullable [] getForUpdate(byte[] key) {
    return TimeToLive.live(transaction.getForUpdate(key), time);
  }

  @Override
  @SuppressWarnings("NullAway") // null is the result if the entry has expired
  public <R extends @Nullable Object> @Nullable R read(byte[] key, ValueReader<R> reader) {
    Objects.requireNonNull(reader, "reader");
    return transaction.read(
        key,
        stored -> Expiry.isLive(stored, time) ? reader.read(stored.suffix(Expiry.LENGTH)) : null);
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
  public DBIterator iterator(ReadOptions options) {
    return new LiveIterator(
        transaction.iterator(TimeToLive.withValues(options)), time, options.keysOnly());
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
