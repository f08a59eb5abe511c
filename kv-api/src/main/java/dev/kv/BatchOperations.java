package dev.kv;

import dev.kv.bytes.Slice;
import dev.kv.change.ChangeGroup;
import dev.kv.change.OperationHandler;
import java.nio.ByteBuffer;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * The operations of a batch, to add to and to iterate over: a {@link WriteBatch}, or a view of one
 * that {@link KeyValueStore#within(BatchOperations)} makes. A method that only adds operations
 * takes this type. Only the {@link WriteBatch} is written, cleared, and given expectations. Not
 * thread-safe. Programs do not implement this interface: later versions may add methods.
 */
public interface BatchOperations {
  /**
   * Adds an operation that sets the value of a key, whether or not the key exists.
   *
   * @param key the key, which may be empty; copied
   * @param value the value, of any length; copied
   * @return this
   * @throws IllegalArgumentException if the key has more than 64 MiB, or the batch would reach 2
   *     GiB
   */
  BatchOperations put(byte[] key, byte[] value);

  /**
   * Adds an operation that sets the value of a key, whether or not the key exists. The operation
   * takes the remaining bytes of each buffer, direct or heap; positions do not change.
   *
   * @param key the key; copied
   * @param value the value; copied
   * @return this
   * @throws IllegalArgumentException if the key has more than 64 MiB, or the batch would reach 2
   *     GiB
   */
  BatchOperations put(ByteBuffer key, ByteBuffer value);

  /**
   * Adds an operation that deletes a key. It has no effect if the key does not exist.
   *
   * @param key the key; copied
   * @return this
   * @throws IllegalArgumentException if the key has more than 64 MiB, or the batch would reach 2
   *     GiB
   */
  BatchOperations delete(byte[] key);

  /**
   * Adds an operation that deletes a key. It has no effect if the key does not exist. The operation
   * takes the remaining bytes of the buffer, direct or heap; its position does not change.
   *
   * @param key the key; copied
   * @return this
   * @throws IllegalArgumentException if the key has more than 64 MiB, or the batch would reach 2
   *     GiB
   */
  BatchOperations delete(ByteBuffer key);

  /**
   * Remembers the present contents of the batch, for {@link #rollbackToSavePoint}. Save points form
   * a stack. A write does not change them.
   *
   * @return this
   */
  BatchOperations setSavePoint();

  /**
   * Removes all operations and expectations that were added since the last save point, and the save
   * point.
   *
   * @return this
   * @throws IllegalStateException if there is no save point
   */
  BatchOperations rollbackToSavePoint();

  /**
   * Removes the last save point, and keeps what was added since.
   *
   * @return this
   * @throws IllegalStateException if there is no save point
   */
  BatchOperations popSavePoint();

  /**
   * Adds all operations and expectations of another batch after those of this one. Save points of
   * the other batch are not added. A batch that belongs to nothing yet belongs to what the other
   * batch belongs to.
   *
   * @param other the other batch, which does not change; it may be this batch
   * @return this
   * @throws IllegalArgumentException if the other batch belongs to something else, such as another
   *     view, if it has expectations and this is a view of values that expire, or if the batch
   *     would reach 2 GiB
   */
  BatchOperations append(BatchOperations other);

  /**
   * Adds all operations of a group of the change feed after those of this batch, in the order of
   * the writes.
   *
   * @param group the group, of any database
   * @return this
   * @throws IllegalArgumentException if the batch would reach 2 GiB
   */
  default BatchOperations append(ChangeGroup group) {
    Objects.requireNonNull(group, "group");
    group.iterate(
        new OperationHandler() {
          @Override
          public void put(Slice key, Slice value) {
            BatchOperations.this.put(key.toByteArray(), value.toByteArray());
          }

          @Override
          public void delete(Slice key) {
            BatchOperations.this.delete(key.toByteArray());
          }
        });
    return this;
  }

  /**
   * Returns the number of operations.
   *
   * @return the number of puts and deletes
   */
  int count();

  /**
   * Returns the number of expectations.
   *
   * @return the number of calls of {@link WriteBatch#expect} and {@link WriteBatch#expectAbsent}
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
}
