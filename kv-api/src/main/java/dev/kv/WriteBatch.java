package dev.kv;

import dev.kv.change.ChangeGroup;
import dev.kv.errors.ConflictException;
import java.nio.ByteBuffer;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * A list of puts and deletes that {@link DB#write} applies atomically and in order: after a crash,
 * either all of them are in the database or none is. If a key occurs twice, the later operation
 * wins.
 *
 * <p>A batch can have expectations: values that keys must have at the moment of the commit. All
 * expectations are compared with the state just before the batch, wherever they were added. If one
 * of them does not hold, the batch has no effect, and the write throws {@link ConflictException}.
 * No other write comes between the check and the batch.
 *
 * <p>A batch keeps copies of its keys and values on the heap, in the encoding of the log; it holds
 * less than 2 GiB. It holds no other resources and is not closed. It may be written several times,
 * and {@link #clear} makes it reusable. Not thread-safe: do not change a batch while another thread
 * writes it. Programs do not implement this interface: later versions may add methods.
 *
 * <pre>{@code
 * db.write(WriteBatch.create().put(key, value).delete(oldKey));
 * db.write(WriteBatch.create().expect(owner, me).put(key, value)); // only if I own it
 * }</pre>
 */
public interface WriteBatch extends BatchOperations {
  /**
   * Creates an empty batch.
   *
   * @return a new batch
   */
  static WriteBatch create() {
    return DBFactory.instance().newWriteBatch();
  }

  @Override
  WriteBatch put(byte[] key, byte[] value);

  @Override
  WriteBatch put(ByteBuffer key, ByteBuffer value);

  @Override
  WriteBatch delete(byte[] key);

  @Override
  WriteBatch delete(ByteBuffer key);

  /**
   * Adds an expectation: the batch is applied only if the key has this value at that moment.
   *
   * @param key the key; copied
   * @param value the value that the key must have, or null if the key must not exist; copied
   * @return this batch
   */
  WriteBatch expect(byte[] key, byte @Nullable [] value);

  /**
   * Adds an expectation: the batch is applied only if the key does not exist at that moment.
   *
   * @param key the key; copied
   * @return this batch
   */
  default WriteBatch expectAbsent(byte[] key) {
    return expect(key, null);
  }

  @Override
  WriteBatch setSavePoint();

  @Override
  WriteBatch rollbackToSavePoint();

  @Override
  WriteBatch popSavePoint();

  @Override
  WriteBatch append(BatchOperations other);

  @Override
  default WriteBatch append(ChangeGroup group) {
    BatchOperations.super.append(group);
    return this;
  }

  /**
   * Removes all operations, expectations and save points. The memory is kept for reuse.
   *
   * @return this batch
   */
  WriteBatch clear();

  /**
   * Remembers the database or the view whose keys and values the operations of this batch have,
   * until {@link #clear}. {@link KeyValueStore#within(BatchOperations)} calls this. Batches that
   * were not made by {@link #create} need not remember it.
   *
   * @param store the database or the view
   * @throws IllegalStateException if the batch belongs to something else
   */
  default void belongTo(KeyValueStore store) {
    Objects.requireNonNull(store, "store");
  }
}
