package dev.kv;

import dev.kv.errors.ConflictException;
import dev.kv.errors.OffHeapExhaustedException;
import dev.kv.errors.OperationTooLargeException;
import dev.kv.errors.TransactionTooOldException;
import org.jspecify.annotations.Nullable;

/**
 * Reads and writes that take effect together, as if no other write came between the first read and
 * the commit. {@link DB#transact} begins one, commits it, and repeats it after a conflict.
 *
 * <p>A transaction is optimistic: it takes no locks and never waits for others. It reads the state
 * of the database at its beginning, with its own writes on top. {@link #commit} checks that others
 * have not changed the keys that it depends on, and throws {@link ConflictException} if they have;
 * {@link TransactionOptions#isolation} says which keys these are. Writes by {@link DB#put} and by
 * other transactions are the same to it. Until the commit, its writes are on the heap, and nobody
 * else sees them.
 *
 * <p>Its reads refuse options with a snapshot. A value that it pins is a copy. The end of the
 * transaction closes its cursors. A cursor shows the entries as the transaction saw them when it
 * was opened: later writes of the transaction do not change what it shows.
 *
 * <p>Size and age are limited; see {@link TransactionOptions#maxBytes} and {@link
 * TransactionOptions#maxAge}. A transaction keeps old versions of entries on disk as a snapshot
 * does, so end it by {@link #commit} or {@link #close}. After that, every method except {@link
 * #close}, {@link #store} and {@link #comparator} throws {@link IllegalStateException}. A read or
 * write throws {@link OperationTooLargeException} if what it adds must be remembered and there is
 * no room; nothing has changed then. It throws {@link TransactionTooOldException} if the
 * transaction is too old, which ends it. Not thread-safe. Programs do not implement this interface:
 * later versions may add methods.
 *
 * <pre>{@code
 * try (Transaction transaction = db.transaction()) {
 *   byte[] owner = transaction.getForUpdate(key);
 *   if (owner == null) {
 *     transaction.put(key, me);
 *   }
 *   transaction.commit();
 * }
 * }</pre>
 */
public interface Transaction extends DBReader, AutoCloseable {
  /**
   * Returns the value of a key, and makes the commit depend on it at every level of isolation: if
   * another write changes the key meanwhile, the commit throws {@link ConflictException}. Takes no
   * lock.
   *
   * @param key the key
   * @return the value, or null if the key does not exist
   * @throws OperationTooLargeException if the key must be remembered, and there is no room
   * @throws TransactionTooOldException if the transaction is too old; it has ended then
   */
  byte @Nullable [] getForUpdate(byte[] key);

  /**
   * Sets the value of a key.
   *
   * @param key the key; copied
   * @param value the value; copied
   * @return this transaction
   * @throws IllegalArgumentException if the key has more than 64 MiB; the transaction is unchanged
   * @throws OperationTooLargeException if there is no room; the transaction is unchanged
   * @throws TransactionTooOldException if the transaction is too old; it has ended then
   */
  Transaction put(byte[] key, byte[] value);

  /**
   * Deletes a key. It is no error if the key does not exist.
   *
   * @param key the key; copied
   * @return this transaction
   * @throws IllegalArgumentException if the key has more than 64 MiB; the transaction is unchanged
   * @throws OperationTooLargeException if there is no room; the transaction is unchanged
   * @throws TransactionTooOldException if the transaction is too old; it has ended then
   */
  Transaction delete(byte[] key);

  /**
   * Returns the state that this transaction reads, without its own writes. Reads of the {@link
   * #store} from this snapshot see the same state; the commit does not depend on them.
   *
   * @return the snapshot; the end of the transaction closes it. If it is closed earlier, a commit
   *     that has something to check throws {@link IllegalStateException}
   */
  Snapshot snapshot();

  /**
   * Returns the database or the view that this transaction reads and writes.
   *
   * @return the database or the view; null if that is not known
   */
  default @Nullable KeyValueStore store() {
    return null;
  }

  /**
   * Makes the writes of this transaction take effect, all at once, and ends it. If nothing was
   * written and no key was read for update, nothing can conflict.
   *
   * @throws ConflictException if a key that the transaction depends on has changed; nothing was
   *     written
   * @throws TransactionTooOldException if the transaction is too old; nothing was written
   * @throws OffHeapExhaustedException if there is no memory for the write; nothing was written
   */
  void commit();

  /** Ends the transaction without its writes, unless it has been committed. */
  @Override
  void close();
}
