package dev.kv.view;

import dev.kv.BatchOperations;
import dev.kv.KeyValueStore;
import dev.kv.WriteBatch;
import dev.kv.bytes.Slice;
import dev.kv.change.OperationHandler;
import java.util.Objects;
import java.util.function.UnaryOperator;
import org.jspecify.annotations.Nullable;

/** A view of a batch: it changes operations while it adds them, and changes them back. */
public abstract class BatchView implements BatchOperations {
  /** The batch that holds the operations. */
  protected final BatchOperations batch;

  private final KeyValueStore store;

  /**
   * Creates a view.
   *
   * @param batch the batch that holds the operations
   * @param store the store whose operations the view has
   */
  protected BatchView(BatchOperations batch, KeyValueStore store) {
    this.batch = batch;
    this.store = store;
  }

  /**
   * Returns the view that a store has of a batch, as {@link KeyValueStore#within(BatchOperations)}
   * does.
   *
   * @param batch the batch
   * @param store the store whose operations the view has
   * @param database what the store is a view of
   * @param view makes the view of a batch that belongs to {@code database}
   * @return the view, or the batch if it belongs to {@code store}
   */
  public static BatchOperations within(
      BatchOperations batch,
      KeyValueStore store,
      KeyValueStore database,
      UnaryOperator<BatchOperations> view) {
    Objects.requireNonNull(batch, "batch");
    Objects.requireNonNull(store, "store");
    Objects.requireNonNull(database, "database");
    Objects.requireNonNull(view, "view");
    KeyValueStore owner = batch.store();
    if (store.equals(owner)) {
      return batch;
    }
    if (owner == null && batch instanceof WriteBatch unused) {
      unused.belongTo(database);
      return view.apply(batch);
    }
    return view.apply(database.within(batch));
  }

  /**
   * Checks that a store may write a batch.
   *
   * @param batch the batch
   * @param store the store
   * @throws IllegalArgumentException if the batch belongs to something else
   */
  public static void requireOwn(WriteBatch batch, KeyValueStore store) {
    Objects.requireNonNull(store, "store");
    KeyValueStore owner = Objects.requireNonNull(batch, "batch").store();
    if (owner != null && !store.equals(owner)) {
      throw new IllegalArgumentException(
          "the batch belongs to "
              + owner
              + " and not to "
              + store
              + ": write the batch that WriteBatch.create made, and not a view, to its database");
    }
  }

  /**
   * Returns the same view of another batch.
   *
   * @param other the batch
   * @return the view
   */
  protected abstract BatchOperations of(BatchOperations other);

  /**
   * Adds an expectation of this view to a batch of what it is a view of.
   *
   * @param stored the batch
   * @param key the key, as the view shows it
   * @param value the value, as the view shows it, or null if the key must not exist
   * @throws IllegalArgumentException if the view cannot tell what is stored then
   */
  protected abstract void expect(WriteBatch stored, byte[] key, byte @Nullable [] value);

  /**
   * Returns a handler of stored operations that passes on those of this view.
   *
   * @param handler takes the operations as the view shows them
   * @return the handler
   */
  protected abstract OperationHandler showing(OperationHandler handler);

  @Override
  public final BatchOperations setSavePoint() {
    batch.setSavePoint();
    return this;
  }

  @Override
  public final BatchOperations rollbackToSavePoint() {
    batch.rollbackToSavePoint();
    return this;
  }

  @Override
  public final BatchOperations popSavePoint() {
    batch.popSavePoint();
    return this;
  }

  /** Copies the operations first, because {@code other} may be the batch that this is a view of. */
  @Override
  public final BatchOperations append(BatchOperations other) {
    KeyValueStore owner = Objects.requireNonNull(other, "other").store();
    if (owner != null && !store.equals(owner)) {
      throw new IllegalArgumentException(
          "the other batch belongs to "
              + owner
              + " and not to "
              + store
              + ": append it to a view of this batch, which the method within of its owner makes");
    }
    WriteBatch copy = WriteBatch.create();
    BatchOperations target = of(copy);
    other.iterate(
        new OperationHandler() {
          @Override
          public void put(Slice key, Slice value) {
            target.put(key.toByteArray(), value.toByteArray());
          }

          @Override
          public void delete(Slice key) {
            target.delete(key.toByteArray());
          }

          @Override
          public void expect(Slice key, @Nullable Slice value) {
            BatchView.this.expect(
                copy, key.toByteArray(), value == null ? null : value.toByteArray());
          }
        });
    batch.append(copy);
    return this;
  }

  @Override
  public final KeyValueStore store() {
    return store;
  }

  @Override
  public final long approximateSize() {
    return batch.approximateSize();
  }

  @Override
  public final void iterate(OperationHandler handler) {
    batch.iterate(showing(Objects.requireNonNull(handler, "handler")));
  }
}
