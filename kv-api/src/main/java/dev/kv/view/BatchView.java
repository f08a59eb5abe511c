package dev.kv.view;

import dev.kv.KeyValueStore;
import dev.kv.WriteBatch;
import dev.kv.bytes.Slice;
import dev.kv.change.OperationHandler;
import java.util.Objects;
import java.util.function.UnaryOperator;
import org.jspecify.annotations.Nullable;

/** A view of a batch: it changes operations while it adds them, and changes them back. */
public abstract class BatchView implements WriteBatch {
  /** The batch that holds the operations. */
  protected final WriteBatch batch;

  private final KeyValueStore store;

  /**
   * Creates a view.
   *
   * @param batch the batch that holds the operations
   * @param store the store whose operations the view has
   */
  protected BatchView(WriteBatch batch, KeyValueStore store) {
    this.batch = batch;
    this.store = store;
  }

  /**
   * Returns the view that a store has of a batch, as {@link KeyValueStore#within(WriteBatch)} does.
   *
   * @param batch the batch
   * @param store the store whose operations the view has
   * @param database what the store is a view of
   * @param view makes the view of a batch that belongs to {@code database}
   * @return the view, or the batch if it belongs to {@code store}
   */
  public static WriteBatch within(
      WriteBatch batch,
      KeyValueStore store,
      KeyValueStore database,
      UnaryOperator<WriteBatch> view) {
    Objects.requireNonNull(batch, "batch");
    Objects.requireNonNull(store, "store");
    Objects.requireNonNull(database, "database");
    Objects.requireNonNull(view, "view");
    KeyValueStore owner = batch.store();
    if (store.equals(owner)) {
      return batch;
    }
    if (owner == null) {
      batch.belongTo(database);
      return view.apply(batch);
    }
    return view.apply(database.within(batch));
  }

  /**
   * Returns the same view of another batch.
   *
   * @param other the batch
   * @return the view
   */
  protected abstract WriteBatch of(WriteBatch other);

  /**
   * Returns a handler of stored operations that passes on those of this view.
   *
   * @param handler takes the operations as the view shows them
   * @return the handler
   */
  protected abstract OperationHandler showing(OperationHandler handler);

  @Override
  public final WriteBatch setSavePoint() {
    batch.setSavePoint();
    return this;
  }

  @Override
  public final WriteBatch rollbackToSavePoint() {
    batch.rollbackToSavePoint();
    return this;
  }

  @Override
  public final WriteBatch popSavePoint() {
    batch.popSavePoint();
    return this;
  }

  /** Copies the operations first, because {@code other} may be the batch that this is a view of. */
  @Override
  public final WriteBatch append(WriteBatch other) {
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
    WriteBatch target = of(copy);
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
            target.expect(key.toByteArray(), value == null ? null : value.toByteArray());
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
  public final WriteBatch clear() {
    throw new UnsupportedOperationException(
        "a view of a batch cannot be cleared: clear the batch itself");
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
