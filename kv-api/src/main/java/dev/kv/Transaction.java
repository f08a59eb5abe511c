package dev.kv;

import java.util.List;
import java.util.Objects;
import java.util.function.BiConsumer;
import java.util.stream.Stream;
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
 * <p>Size and age are limited; see {@link TransactionOptions#maxBytes} and {@link
 * TransactionOptions#maxAge}. A transaction keeps old versions of entries on disk as a snapshot
 * does, so end it by {@link #commit} or {@link #close}. After that, every method except {@link
 * #close} throws {@link IllegalStateException}. Not thread-safe.
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
public interface Transaction extends AutoCloseable {

  /**
   * Returns the value of a key, as this transaction sees it.
   *
   * @param key the key
   * @return the value, or null if the key does not exist
   * @throws TransactionTooLargeException if the key must be remembered, and there is no room
   * @throws TransactionTooOldException if the transaction is too old; it has ended then
   */
  byte @Nullable [] get(byte[] key);

  /**
   * Returns the values of several keys, as this transaction sees them. Does the same as {@link
   * #get} for each key, and is faster, as {@link DB#getAll(List)} is.
   *
   * @param keys the keys, in any order; they may repeat
   * @return an unmodifiable list with the value of each key, or null if the key does not exist, in
   *     the order of the keys
   * @throws TransactionTooLargeException if a key must be remembered, and there is no room
   * @throws TransactionTooOldException if the transaction is too old; it has ended then
   */
  List<byte @Nullable []> getAll(List<byte[]> keys);

  /**
   * Returns the value of a key, and makes the commit depend on it at every level of isolation: if
   * another write changes the key meanwhile, the commit throws {@link ConflictException}. Takes no
   * lock.
   *
   * @param key the key
   * @return the value, or null if the key does not exist
   * @throws TransactionTooLargeException if the key must be remembered, and there is no room
   * @throws TransactionTooOldException if the transaction is too old; it has ended then
   */
  byte @Nullable [] getForUpdate(byte[] key);

  /**
   * Passes the value of a key to a reader, as {@link DB#read(byte[], ValueReader)} does.
   *
   * @param <R> what the reader returns
   * @param key the key
   * @param reader reads the value; not called if the key does not exist
   * @return what the reader returned, or null if the key does not exist
   * @throws TransactionTooLargeException if the key must be remembered, and there is no room
   * @throws TransactionTooOldException if the transaction is too old; it has ended then
   */
  <R extends @Nullable Object> @Nullable R read(byte[] key, ValueReader<R> reader);

  /**
   * Sets the value of a key.
   *
   * @param key the key; copied
   * @param value the value; copied
   * @return this transaction
   * @throws TransactionTooLargeException if there is no room; the transaction is unchanged
   * @throws TransactionTooOldException if the transaction is too old; it has ended then
   */
  Transaction put(byte[] key, byte[] value);

  /**
   * Deletes a key. It is no error if the key does not exist.
   *
   * @param key the key; copied
   * @return this transaction
   * @throws TransactionTooLargeException if there is no room; the transaction is unchanged
   * @throws TransactionTooOldException if the transaction is too old; it has ended then
   */
  Transaction delete(byte[] key);

  /**
   * Returns a cursor over all entries, as this transaction sees them.
   *
   * @return a cursor; the end of the transaction closes it
   */
  default DBIterator iterator() {
    return iterator(ReadOptions.DEFAULT);
  }

  /**
   * Returns a cursor over the entries as this transaction sees them now. Later writes of the
   * transaction do not change what the cursor shows.
   *
   * @param options the bounds; without a snapshot
   * @return a cursor; the end of the transaction closes it
   * @throws IllegalArgumentException if the options have a snapshot or are {@linkplain
   *     ReadOptions#descending() descending}, or have a prefix and the comparator is not bytewise
   * @throws TransactionTooOldException if the transaction is too old; it has ended then
   */
  DBIterator iterator(ReadOptions options);

  /**
   * Returns the entries of a scan, for a {@code for} statement.
   *
   * @param options the bounds and the direction; without a snapshot
   * @return the entries, copied one by one
   * @throws IllegalArgumentException if the options have a snapshot, or have a prefix and the
   *     comparator is not bytewise
   */
  default Entries entries(ReadOptions options) {
    return new Entries(iterator(Scans.ascending(options)), options.descending());
  }

  /**
   * Returns the entries of a scan as a sequential stream.
   *
   * @param options the bounds and the direction; without a snapshot
   * @return a stream of entries, copied one by one
   * @throws IllegalArgumentException if the options have a snapshot, or have a prefix and the
   *     comparator is not bytewise
   */
  default Stream<Entry> stream(ReadOptions options) {
    return entries(options).stream();
  }

  /**
   * Passes every entry of a scan to an action, without copies. The action may write to the
   * transaction; the scan shows the entries as they were when it began.
   *
   * @param options the bounds and the direction; without a snapshot
   * @param action takes the key and the value of each entry, both valid during the call only
   * @throws IllegalArgumentException if the options have a snapshot, or have a prefix and the
   *     comparator is not bytewise
   */
  default void forEach(ReadOptions options, BiConsumer<? super Slice, ? super Slice> action) {
    Objects.requireNonNull(action, "action");
    Scans.forEach(iterator(Scans.ascending(options)), options.descending(), action);
  }

  /**
   * Returns the state that this transaction reads, without its own writes. Reads of the database
   * from this snapshot see the same state; the commit does not depend on them.
   *
   * @return the snapshot; the end of the transaction closes it
   */
  Snapshot snapshot();

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
