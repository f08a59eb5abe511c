package dev.kv;

import dev.kv.bytes.Slice;
import dev.kv.change.ChangeGroup;
import dev.kv.change.OperationHandler;
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
 * writes it.
 *
 * <pre>{@code
 * db.write(WriteBatch.create().put(key, value).delete(oldKey));
 * db.write(WriteBatch.create().expect(owner, me).put(key, value)); // only if I own it
 * }</pre>
 */
public interface WriteBatch {

  /**
   * Creates an empty batch.
   *
   * @return a new batch
   */
  static WriteBatch create() {
    return DBFactory.instance().newWriteBatch();
  }

  /**
   * Adds an operation that sets the value of a key, whether or not the key exists.
   *
   * @param key the key, of any length; copied
   * @param value the value, of any length; copied
   * @return this batch
   * @throws IllegalArgumentException if the batch would reach 2 GiB
   */
  WriteBatch put(byte[] key, byte[] value);

  /**
   * Adds an operation that sets the value of a key, whether or not the key exists. The operation
   * takes the remaining bytes of each buffer, direct or heap; positions do not change.
   *
   * @param key the key; copied
   * @param value the value; copied
   * @return this batch
   * @throws IllegalArgumentException if the batch would reach 2 GiB
   */
  WriteBatch put(ByteBuffer key, ByteBuffer value);

  /**
   * Adds an operation that deletes a key. It has no effect if the key does not exist.
   *
   * @param key the key; copied
   * @return this batch
   * @throws IllegalArgumentException if the batch would reach 2 GiB
   */
  WriteBatch delete(byte[] key);

  /**
   * Adds an operation that deletes a key. It has no effect if the key does not exist. The operation
   * takes the remaining bytes of the buffer, direct or heap; its position does not change.
   *
   * @param key the key; copied
   * @return this batch
   * @throws IllegalArgumentException if the batch would reach 2 GiB
   */
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

  /**
   * Remembers the present contents of the batch, for {@link #rollbackToSavePoint}. Save points form
   * a stack. A write does not change them.
   *
   * @return this batch
   */
  WriteBatch setSavePoint();

  /**
   * Removes all operations and expectations that were added since the last save point, and the save
   * point.
   *
   * @return this batch
   * @throws IllegalStateException if there is no save point
   */
  WriteBatch rollbackToSavePoint();

  /**
   * Removes the last save point, and keeps what was added since.
   *
   * @return this batch
   * @throws IllegalStateException if there is no save point
   */
  WriteBatch popSavePoint();

  /**
   * Adds all operations and expectations of another batch after those of this one. Save points of
   * the other batch are not added. A batch that belongs to nothing yet belongs to what the other
   * batch belongs to.
   *
   * @param other the other batch, which does not change; it may be this batch
   * @return this batch
   * @throws IllegalArgumentException if the other batch belongs to something else, such as another
   *     view, or if the batch would reach 2 GiB
   */
  WriteBatch append(WriteBatch other);

  /**
   * Adds all operations of a group of the change feed after those of this batch, in the order of
   * the writes.
   *
   * @param group the group, of any database
   * @return this batch
   * @throws IllegalArgumentException if the batch would reach 2 GiB
   */
  default WriteBatch append(ChangeGroup group) {
    Objects.requireNonNull(group, "group");
    group.iterate(
        new OperationHandler() {
          @Override
          public void put(Slice key, Slice value) {
            WriteBatch.this.put(key.toByteArray(), value.toByteArray());
          }

          @Override
          public void delete(Slice key) {
            WriteBatch.this.delete(key.toByteArray());
          }
        });
    return this;
  }

  /**
   * Removes all operations, expectations and save points. The memory is kept for reuse.
   *
   * @return this batch
   */
  WriteBatch clear();

  /**
   * Returns the number of operations.
   *
   * @return the number of puts and deletes
   */
  int count();

  /**
   * Returns the number of expectations.
   *
   * @return the number of calls of {@link #expect} and {@link #expectAbsent}
   */
  int expectationCount();

  /**
   * Returns the size of the encoded batch, which is the size of its record in the log. Expectations
   * do not count, because they are not logged.
   *
   * @return the size in bytes; 12 if the batch is empty
   */
  long approximateSize();

  /**
   * Passes every expectation and then every operation to a handler, both in the order in which they
   * were added.
   *
   * @param handler receives the operations; an exception that it throws is passed on to the caller
   */
  void iterate(OperationHandler handler);

  /**
   * Returns the database or the view whose keys and values the operations of this batch have. Only
   * it takes the batch; batches of a {@link DB} are taken by every {@link DB}.
   *
   * @return the database or the view, or null if the batch has not been used in one yet: then any
   *     takes it
   */
  default @Nullable KeyValueStore store() {
    return null;
  }

  /**
   * Remembers the database or the view whose keys and values the operations of this batch have,
   * until {@link #clear}. {@link KeyValueStore#within(WriteBatch)} calls this. Batches that were
   * not made by {@link #create} need not remember it.
   *
   * @param store the database or the view
   */
  default void belongTo(KeyValueStore store) {
    Objects.requireNonNull(store, "store");
  }
}
