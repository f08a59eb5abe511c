package dev.kv;

import dev.kv.errors.ConflictException;
import dev.kv.errors.OperationTooLargeException;
import dev.kv.errors.TransactionTooOldException;
import dev.kv.load.BulkLoads;
import java.util.Objects;
import java.util.function.Consumer;
import java.util.function.Function;
import java.util.function.UnaryOperator;
import org.jspecify.annotations.Nullable;

/**
 * What reads and writes entries: a {@link DB}, or a view of one, such as a {@code
 * dev.kv.space.Space} or {@code dev.kv.ttl.TimeToLive}. Thread-safe. Programs do not implement this
 * interface: later versions may add methods.
 */
public interface KeyValueStore extends DBReader, DBWriter {
  @Override
  default byte @Nullable [] update(
      WriteOptions options, byte[] key, UnaryOperator<byte @Nullable []> function) {
    Objects.requireNonNull(options, "options");
    Objects.requireNonNull(key, "key");
    Objects.requireNonNull(function, "function");
    while (true) {
      byte[] before = get(key);
      byte[] after = function.apply(before == null ? null : before.clone());
      if (before == null && after == null) {
        return null;
      }
      if (compareAndSet(options, key, before, after)) {
        return after;
      }
    }
  }

  /**
   * Returns a frozen view of the present state.
   *
   * @return a snapshot, which the caller closes
   */
  Snapshot snapshot();

  /**
   * Begins a transaction with the default options.
   *
   * @return a transaction, which the caller commits or closes
   */
  default Transaction transaction() {
    return transaction(TransactionOptions.DEFAULT);
  }

  /**
   * Begins a transaction.
   *
   * @param options how it is done
   * @return a transaction, which the caller commits or closes
   */
  Transaction transaction(TransactionOptions options);

  /**
   * Runs a function in a transaction with the default options, and commits it. For a lambda that
   * returns nothing, there is {@link #inTransaction(Consumer)}.
   *
   * @param <R> what the function returns
   * @param function reads and writes; see {@link #transact(TransactionOptions, Function)}
   * @return what the function returned in the attempt that was committed
   * @throws ConflictException if the last attempt has a conflict
   */
  default <R extends @Nullable Object> R transact(
      Function<? super Transaction, ? extends R> function) {
    return transact(TransactionOptions.DEFAULT, function);
  }

  /**
   * Runs a function in a transaction, and commits it. If the commit throws {@link
   * ConflictException}, waits for a short random time, which grows with each attempt, and runs the
   * function again in a new transaction. So the function should have no other effects. An exception
   * of the function ends the transaction without its writes, and is passed on to the caller. For a
   * lambda that returns nothing, there is {@link #inTransaction(TransactionOptions, Consumer)}.
   *
   * @param <R> what the function returns
   * @param options how the transaction is done, and the number of attempts
   * @param function reads and writes; does not commit
   * @return what the function returned in the attempt that was committed
   * @throws ConflictException if the last attempt has a conflict
   * @throws OperationTooLargeException if the transaction needs more than {@link
   *     TransactionOptions#maxBytes}
   * @throws TransactionTooOldException if one attempt takes longer than {@link
   *     TransactionOptions#maxAge}
   */
  default <R extends @Nullable Object> R transact(
      TransactionOptions options, Function<? super Transaction, ? extends R> function) {
    Objects.requireNonNull(options, "options");
    Objects.requireNonNull(function, "function");
    return Attempts.run(this, options, function);
  }

  /**
   * Does in a transaction with the default options what has no result, and commits it.
   *
   * @param action reads and writes; see {@link #transact(TransactionOptions, Function)}
   * @throws ConflictException if the last attempt has a conflict
   */
  default void inTransaction(Consumer<? super Transaction> action) {
    inTransaction(TransactionOptions.DEFAULT, action);
  }

  /**
   * Does in a transaction what has no result, and commits it, as {@link
   * #transact(TransactionOptions, Function)} does.
   *
   * @param options how the transaction is done, and the number of attempts
   * @param action reads and writes; does not commit
   * @throws ConflictException if the last attempt has a conflict
   * @throws OperationTooLargeException if the transaction needs more than {@link
   *     TransactionOptions#maxBytes}
   * @throws TransactionTooOldException if one attempt takes longer than {@link
   *     TransactionOptions#maxAge}
   */
  default void inTransaction(TransactionOptions options, Consumer<? super Transaction> action) {
    Objects.requireNonNull(action, "action");
    transact(
        options,
        transaction -> {
          action.accept(transaction);
          return null;
        });
  }

  /**
   * Returns a view of a batch that adds operations on this store to it. A database returns the
   * batch itself. The view is not written: the database writes the batch.
   *
   * <p>A batch that was not used yet then belongs to the store of which this is directly a view:
   * for the view {@code TimeToLive.of(space, time)}, that is the space. To use one batch with views
   * of several layers, call {@code within} of the database with it before those of the views.
   *
   * @param batch a batch of the database below this view, or one that was not used yet
   * @return the view
   * @throws IllegalArgumentException if the batch belongs to something else, such as another view
   */
  default BatchOperations within(BatchOperations batch) {
    KeyValueStore owner = Objects.requireNonNull(batch, "batch").store();
    if (owner == null && batch instanceof WriteBatch unused) {
      unused.belongTo(this);
    }
    if (owner == null || owner == this || owner instanceof DB && this instanceof DB) {
      return batch;
    }
    throw new IllegalArgumentException(
        "the batch belongs to "
            + owner
            + " and not to "
            + this
            + ": pass the batch that WriteBatch.create made, and not a view of it; if it is for"
            + " several views, call within of their database with it first");
  }

  /**
   * Returns a view of a transaction that reads and writes this store. A database returns the
   * transaction itself. To commit or close the view does the same to the transaction.
   *
   * @param transaction a transaction of the database below this view
   * @return the view
   * @throws IllegalArgumentException if the transaction belongs to something else, such as another
   *     view
   */
  default Transaction within(Transaction transaction) {
    KeyValueStore owner = Objects.requireNonNull(transaction, "transaction").store();
    if (owner == null || owner == this) {
      return transaction;
    }
    throw new IllegalArgumentException(
        "the transaction belongs to "
            + owner
            + " and not to "
            + this
            + ": begin it in the database, and pass it and not a view of it");
  }

  /**
   * Returns what loads many entries at once.
   *
   * @return the loads
   */
  BulkLoads loads();
}
