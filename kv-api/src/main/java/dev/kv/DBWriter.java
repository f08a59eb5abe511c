package dev.kv;

import dev.kv.errors.ConflictException;
import dev.kv.errors.DBException;
import dev.kv.errors.OffHeapExhaustedException;
import dev.kv.errors.OutcomeUnknownException;
import java.nio.ByteBuffer;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.function.UnaryOperator;
import org.jspecify.annotations.Nullable;

/**
 * What writes entries: a database, or a part of one, such as a {@code dev.kv.space.Space}. Each
 * call is atomic. A write that throws was not done, except after an {@link OutcomeUnknownException}
 * or a {@link dev.kv.errors.ComparatorException}, which say what the next open finds. Programs do
 * not implement this interface: later versions may add methods. {@link DB} says what else holds for
 * each call: null arguments, arrays, interrupts, exceptions and threads.
 */
public interface DBWriter {
  /**
   * Sets the value of a key.
   *
   * @param key the key
   * @param value the value
   */
  default void put(byte[] key, byte[] value) {
    put(WriteOptions.DEFAULT, key, value);
  }

  /**
   * Sets the value of a key.
   *
   * @param options how to write
   * @param key the key
   * @param value the value
   * @throws OffHeapExhaustedException if there is no memory for the write, which has no effect then
   * @throws IllegalArgumentException if the key has more than 64 MiB, or key and value together
   *     have 2 GiB or more
   */
  void put(WriteOptions options, byte[] key, byte[] value);

  /**
   * Sets the value of a key. Uses the remaining bytes of each buffer, direct or heap; positions do
   * not change.
   *
   * @param options how to write
   * @param key the key
   * @param value the value
   * @throws OffHeapExhaustedException if there is no memory for the write, which has no effect then
   * @throws IllegalArgumentException if the key has more than 64 MiB, or key and value together
   *     have 2 GiB or more
   */
  void put(WriteOptions options, ByteBuffer key, ByteBuffer value);

  /**
   * Deletes a key. It is no error if the key does not exist.
   *
   * @param key the key
   */
  default void delete(byte[] key) {
    delete(WriteOptions.DEFAULT, key);
  }

  /**
   * Deletes a key. It is no error if the key does not exist.
   *
   * @param options how to write
   * @param key the key
   * @throws OffHeapExhaustedException if there is no memory for the write, which has no effect then
   * @throws IllegalArgumentException if the key has more than 64 MiB
   */
  void delete(WriteOptions options, byte[] key);

  /**
   * Deletes a key. It is no error if the key does not exist.
   *
   * @param options how to write
   * @param key the key: the remaining bytes, direct or heap; the position does not change
   * @throws OffHeapExhaustedException if there is no memory for the write, which has no effect then
   * @throws IllegalArgumentException if the key has more than 64 MiB
   */
  void delete(WriteOptions options, ByteBuffer key);

  /**
   * Deletes all keys from one on up to another, as one atomic write. It is durable when the call
   * returns, with all earlier writes. No later read finds a key of the range, unless it is written
   * again. Snapshots and iterators from before the call still show all.
   *
   * <p>The cost depends on how many tables the range overlaps, and hardly on the number of keys.
   * Tables that lie wholly inside are removed, and their space is free as soon as no snapshot and
   * no iterator needs them. The call first writes the memtable to a table if it holds keys of the
   * range, and waits for compactions in the range. Other writes wait while the change is made, not
   * while compactions end. For a few keys, a {@link WriteBatch} costs less.
   *
   * <p>If the database keeps logs for readers of changes, the call writes a delete for each key of
   * the range instead, and other writes wait for all of it.
   *
   * <p>A snapshot that is open during the call keeps the memory of the memtables of that moment
   * until it is closed, in addition to the tables.
   *
   * @param from the first key, inclusive, or null for no bound
   * @param to the end, exclusive, or null for no bound
   * @throws IllegalArgumentException if {@code from} is after {@code to}
   * @throws dev.kv.errors.OperationTooLargeException if the database keeps logs for readers of
   *     changes, and the deletes of the keys need more than 64 MiB or an eighth of the heap;
   *     nothing was deleted
   * @throws OffHeapExhaustedException if there is no memory for the change, which has no effect
   *     then
   */
  void deleteRange(byte @Nullable [] from, byte @Nullable [] to);

  /**
   * Deletes all keys that begin with some bytes. It is a {@link #deleteRange} of the range that
   * these keys form.
   *
   * @param prefix the first bytes of the keys; if empty, all keys are deleted
   * @throws IllegalArgumentException if the comparator is not bytewise
   * @throws dev.kv.errors.OperationTooLargeException if the database keeps logs for readers of
   *     changes, and the deletes of the keys need more than 64 MiB or an eighth of the heap;
   *     nothing was deleted
   * @throws OffHeapExhaustedException if there is no memory for the change, which has no effect
   *     then
   */
  void deletePrefix(byte[] prefix);

  /**
   * Applies a batch atomically.
   *
   * @param batch the batch, which does not change
   * @throws ConflictException if an expectation of the batch does not hold; nothing was written
   */
  default void write(WriteBatch batch) {
    write(WriteOptions.DEFAULT, batch);
  }

  /**
   * Applies a batch atomically. An empty batch writes nothing; with {@link WriteOptions#sync} it
   * makes all earlier writes durable.
   *
   * @param options how to write
   * @param batch the batch, which does not change
   * @throws ConflictException if an expectation of the batch does not hold; nothing was written
   * @throws IllegalArgumentException if {@link WriteBatch#create} did not make the batch, or if it
   *     {@linkplain BatchOperations#store belongs} to something else, such as a view
   * @throws OffHeapExhaustedException if there is no memory for the write, which has no effect then
   */
  void write(WriteOptions options, WriteBatch batch);

  /**
   * Applies a batch atomically, and does not wait until it is durable. The write is visible when
   * this call returns. Many such writes of one thread share a sync, as those of many threads do
   * that call {@link #write(WriteOptions, WriteBatch)}.
   *
   * <p>As any write, the call waits while writes are stalled. An interrupted or abandoned wait for
   * the stage changes nothing. {@link DB#close} completes all stages; what depends on them may run
   * after it.
   *
   * @param options how to write
   * @param batch the batch, which does not change, and can be changed after the call
   * @return a stage that is complete when the write is durable, or at once without {@link
   *     WriteOptions#sync}. If it fails, nothing was written, except after an {@link
   *     OutcomeUnknownException} or a {@link dev.kv.errors.ComparatorException}: after a failure of
   *     the sync the write is visible, and it is unknown whether it survives a loss of power. What
   *     depends on it runs in the common pool, or, if the stage is complete already, in the thread
   *     that adds it.
   * @throws IllegalArgumentException if {@link WriteBatch#create} did not make the batch, or if it
   *     {@linkplain BatchOperations#store belongs} to something else, such as a view
   * @see #syncAsync
   */
  default CompletionStage<@Nullable Void> writeAsync(WriteOptions options, WriteBatch batch) {
    Objects.requireNonNull(options, "options");
    try {
      write(WriteOptions.DEFAULT, batch);
    } catch (DBException e) {
      return CompletableFuture.failedStage(e);
    }
    return options.sync() ? syncAsync() : CompletableFuture.completedStage(null);
  }

  /**
   * Makes all writes durable that have returned before this call, without waiting for it. It serves
   * puts and deletes as well as batches, those of all threads.
   *
   * @return a stage that is complete when they are durable; it fails with an {@link
   *     OutcomeUnknownException} if that cannot be, also if the database is closed. What depends on
   *     it runs in the common pool.
   */
  CompletionStage<@Nullable Void> syncAsync();

  /**
   * Applies a batch atomically if all its expectations hold. Unlike {@link #write(WriteOptions,
   * WriteBatch) write}, returns false if one does not.
   *
   * @param options how to write
   * @param batch the batch, which does not change
   * @return true if the batch was applied, false if nothing was written
   * @throws IllegalArgumentException if {@link WriteBatch#create} did not make the batch, or if it
   *     {@linkplain BatchOperations#store belongs} to something else, such as a view
   * @throws OffHeapExhaustedException if there is no memory for the write, which has no effect then
   */
  boolean tryWrite(WriteOptions options, WriteBatch batch);

  /**
   * Sets the value of a key if the key does not exist. No other write comes in between.
   *
   * @param key the key
   * @param value the value
   * @return true if the value was set, false if the key exists
   */
  default boolean putIfAbsent(byte[] key, byte[] value) {
    return putIfAbsent(WriteOptions.DEFAULT, key, value);
  }

  /**
   * Sets the value of a key if the key does not exist. No other write comes in between.
   *
   * @param options how to write
   * @param key the key
   * @param value the value
   * @return true if the value was set, false if the key exists
   * @throws OffHeapExhaustedException if there is no memory for the write, which has no effect then
   * @throws IllegalArgumentException if the key has more than 64 MiB, or key and value together
   *     have 2 GiB or more
   */
  default boolean putIfAbsent(WriteOptions options, byte[] key, byte[] value) {
    return tryWrite(options, WriteBatch.create().expectAbsent(key).put(key, value));
  }

  /**
   * Replaces the value of a key if it has an expected value. No other write comes in between.
   *
   * @param key the key
   * @param expected the value that the key must have, or null if it must not exist
   * @param value the new value, or null to delete the key
   * @return true if the key had the expected value, and was written
   */
  default boolean compareAndSet(byte[] key, byte @Nullable [] expected, byte @Nullable [] value) {
    return compareAndSet(WriteOptions.DEFAULT, key, expected, value);
  }

  /**
   * Replaces the value of a key if it has an expected value. No other write comes in between.
   *
   * @param options how to write
   * @param key the key
   * @param expected the value that the key must have, or null if it must not exist
   * @param value the new value, or null to delete the key
   * @return true if the key had the expected value, and was written
   * @throws OffHeapExhaustedException if there is no memory for the write, which has no effect then
   * @throws IllegalArgumentException if the key has more than 64 MiB, or key and value together
   *     have 2 GiB or more
   */
  default boolean compareAndSet(
      WriteOptions options, byte[] key, byte @Nullable [] expected, byte @Nullable [] value) {
    WriteBatch batch = WriteBatch.create().expect(key, expected);
    return tryWrite(options, value == null ? batch.delete(key) : batch.put(key, value));
  }

  /**
   * Replaces the value of a key by a function of it. No other write comes in between.
   *
   * @param key the key
   * @param function computes the new value; see {@link #update(WriteOptions, byte[],
   *     UnaryOperator)}
   * @return the new value, or null if the key does not exist now
   */
  default byte @Nullable [] update(byte[] key, UnaryOperator<byte @Nullable []> function) {
    return update(WriteOptions.DEFAULT, key, function);
  }

  /**
   * Replaces the value of a key by a function of it. No other write comes in between: if another
   * thread writes the key meanwhile, the function is called again with the new value. So it should
   * be short and have no side effects. An exception of the function is passed on to the caller, and
   * nothing is written then.
   *
   * @param options how to write
   * @param key the key
   * @param function computes the new value. Its argument is null if the key does not exist; its
   *     result is null to delete the key. It may change and return the array that it gets
   * @return the new value, or null if the key does not exist now
   * @throws OffHeapExhaustedException if there is no memory for the write, which has no effect then
   * @throws IllegalArgumentException if the key has more than 64 MiB, or key and value together
   *     have 2 GiB or more
   */
  byte @Nullable [] update(
      WriteOptions options, byte[] key, UnaryOperator<byte @Nullable []> function);
}
