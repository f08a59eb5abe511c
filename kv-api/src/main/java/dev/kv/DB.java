package dev.kv;

import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.function.BiConsumer;
import java.util.function.Function;
import java.util.function.UnaryOperator;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * An ordered map from keys to values, both of any bytes, in a directory of C++ LevelDB's format.
 * Thread-safe. One process opens a directory at a time, and opens it once; with {@link
 * Options#readOnly} others can open it as well.
 *
 * <p>Arrays: the library keeps no array that is passed to it, so the caller may change it after the
 * call returns. The caller owns every array that a call returns. Interrupts: an interrupt of the
 * calling thread does not make a call fail, and the thread's interrupt status stays set.
 *
 * <p>Every call can throw {@link DBClosedException} after {@link #close}, {@link DBIOException} if
 * the file system fails, and {@link CorruptionException} if a file is damaged. A write after a
 * failed one throws {@link DBReadOnlyException}; see {@link #resume}. For a null argument, a call
 * throws {@link NullPointerException} with the name of the parameter.
 */
public interface DB extends AutoCloseable {
  /** The result of {@link #get(ReadOptions, ByteBuffer, ByteBuffer)} if the key does not exist. */
  int NOT_FOUND = -1;

  /**
   * Opens a database.
   *
   * <p>If there is nothing to recover from the logs, as after {@link #flush} and {@link #close},
   * the open changes no file. The first write then creates the files that it needs, and fails if
   * they cannot be created.
   *
   * @param directory the directory of the database
   * @param options how to open it
   * @return the open database, which the caller closes
   * @throws NoSuchDatabaseException if there is none and {@link Options#createIfMissing} is false
   * @throws DatabaseExistsException if there is one and {@link Options#errorIfExists} is true
   * @throws NotADirectoryException if {@code directory} is something else, such as a file
   * @throws DBLockedException if it is already open, in this process or another
   * @throws UnsupportedFormatException if it has another comparator, or another program's format
   * @throws CorruptionException if it is damaged
   * @throws DBIOException if the file system fails
   */
  static DB open(Path directory, Options options) {
    return DBFactory.instance().open(directory, options);
  }

  /**
   * Deletes a database: the files with the names of a database's files, and the directory if
   * nothing else is in it. It does nothing if there is no database.
   *
   * @param directory the directory of the database
   * @param options the options; only the environment is used
   * @throws NotADirectoryException if {@code directory} is something else, such as a file
   * @throws DBLockedException if the database is open
   * @throws DBIOException if a file cannot be deleted
   */
  static void destroy(Path directory, Options options) {
    DBFactory.instance().destroy(directory, options);
  }

  /**
   * Repairs a damaged database: merges everything that can be read of its tables and logs into new
   * tables. Files that are no longer used are moved to its subdirectory {@code lost/}.
   *
   * @param directory the directory of the database
   * @param options the options that the database is opened with, above all its comparator
   * @return what was found and done
   * @throws NoSuchDatabaseException if the directory has no table, log or MANIFEST
   * @throws NotADirectoryException if {@code directory} is something else, such as a file
   * @throws DBLockedException if the database is open
   * @throws UnsupportedFormatException if it has another comparator
   * @throws DBIOException if the file system fails
   */
  static RepairReport repair(Path directory, Options options) {
    return DBFactory.instance().repair(directory, options);
  }

  /**
   * Returns the value of a key in the newest state.
   *
   * @param key the key
   * @return the value, or null if the key does not exist
   */
  default byte @Nullable [] get(byte[] key) {
    return get(ReadOptions.DEFAULT, key);
  }

  /**
   * Returns the value of a key.
   *
   * @param options how to read
   * @param key the key
   * @return the value, or null if the key does not exist
   * @throws IllegalArgumentException if the options are {@linkplain ReadOptions#isScanOnly() for
   *     scans}
   */
  byte @Nullable [] get(ReadOptions options, byte[] key);

  /**
   * Copies the value of a key into a buffer, as far as the buffer has room, and advances its
   * position by the number of bytes copied. Allocates nothing.
   *
   * @param options how to read
   * @param key the key: the remaining bytes, direct or heap; the position does not change
   * @param into the buffer, direct or heap
   * @return the length of the value in bytes, which may be more than was copied, or {@link
   *     #NOT_FOUND} if the key does not exist
   * @throws IllegalArgumentException if the options are {@linkplain ReadOptions#isScanOnly() for
   *     scans}
   */
  int get(ReadOptions options, ByteBuffer key, ByteBuffer into);

  /**
   * Returns the values of several keys in the newest state.
   *
   * @param keys the keys, in any order
   * @return the values, in the order of the keys; null for each key that does not exist
   * @see #getAll(ReadOptions, List)
   */
  default List<byte @Nullable []> getAll(List<byte[]> keys) {
    return getAll(ReadOptions.DEFAULT, keys);
  }

  /**
   * Returns the values of several keys, all from one state. It is faster than a get for each key,
   * above all if the keys are near each other: it searches the keys in their order, and keys in the
   * same block share its lookup, its load and its checksum.
   *
   * @param options how to read
   * @param keys the keys, in any order; a key may occur several times
   * @return the values, in the order of the keys; null for each key that does not exist
   * @throws IllegalArgumentException if the options are {@linkplain ReadOptions#isScanOnly() for
   *     scans}
   */
  List<byte @Nullable []> getAll(ReadOptions options, List<byte[]> keys);

  /**
   * Passes the value of a key in the newest state to a reader, without a copy.
   *
   * @param <R> what the reader returns
   * @param key the key
   * @param reader reads the value; not called if the key does not exist
   * @return what the reader returned, or null if the key does not exist
   * @see #read(ReadOptions, byte[], ValueReader)
   */
  default <R extends @Nullable Object> @Nullable R read(byte[] key, ValueReader<R> reader) {
    return read(ReadOptions.DEFAULT, key, reader);
  }

  /**
   * Passes the value of a key to a reader, without a copy.
   *
   * <p>The reader runs in the calling thread. It holds no lock, and may call any method of this
   * database, writes and other reads included. It pins the value and its files while it runs, so it
   * should be short. If the database is closed while the reader runs, by the reader or by another
   * thread, the value stays readable, and this call throws {@link DBClosedException} after the
   * reader returns. An exception of the reader is passed on to the caller.
   *
   * @param <R> what the reader returns
   * @param options how to read
   * @param key the key
   * @param reader reads the value; not called if the key does not exist
   * @return what the reader returned, or null if the key does not exist
   * @throws IllegalArgumentException if the options are {@linkplain ReadOptions#isScanOnly() for
   *     scans}
   */
  <R extends @Nullable Object> @Nullable R read(
      ReadOptions options, byte[] key, ValueReader<R> reader);

  /**
   * Passes the value of a key in the newest state to a reader, without a copy.
   *
   * @param <R> what the reader returns
   * @param key the key
   * @param reader reads the value, and does not return null; not called if the key does not exist
   * @return what the reader returned, or empty if the key does not exist
   * @see #read(ReadOptions, byte[], ValueReader)
   */
  default <R> Optional<R> find(byte[] key, ValueReader<? extends R> reader) {
    return find(ReadOptions.DEFAULT, key, reader);
  }

  /**
   * Passes the value of a key to a reader, without a copy. Unlike {@link #read(ReadOptions, byte[],
   * ValueReader) read}, the result cannot be mistaken for a value if the key does not exist.
   *
   * @param <R> what the reader returns
   * @param options how to read
   * @param key the key
   * @param reader reads the value, and does not return null; not called if the key does not exist
   * @return what the reader returned, or empty if the key does not exist
   * @throws NullPointerException if the reader returns null
   * @throws IllegalArgumentException if the options are {@linkplain ReadOptions#isScanOnly() for
   *     scans}
   * @see #read(ReadOptions, byte[], ValueReader)
   */
  default <R> Optional<R> find(ReadOptions options, byte[] key, ValueReader<? extends R> reader) {
    Objects.requireNonNull(reader, "reader");
    Optional<R> found =
        read(
            options,
            key,
            value -> Optional.of(Objects.requireNonNull(reader.read(value), "reader's result")));
    return found == null ? Optional.empty() : found;
  }

  /**
   * Returns the value of a key in the newest state, pinned in memory.
   *
   * @param key the key
   * @return the value, which the caller closes, or null if the key does not exist
   * @see #pinned(ReadOptions, ByteBuffer)
   */
  default @Nullable PinnedValue pinned(byte[] key) {
    return pinned(ReadOptions.DEFAULT, ByteBuffer.wrap(key));
  }

  /**
   * Returns the value of a key, pinned in memory. Unlike {@link #read(ReadOptions, byte[],
   * ValueReader) read}, which ends the pin when its reader returns, the value can be passed to
   * another thread or written to a socket later. The databases of this library copy only a value
   * that is still in a memtable. The default implementation copies every value.
   *
   * @param options how to read
   * @param key the key: the remaining bytes, direct or heap; the position does not change
   * @return the value, which the caller closes, or null if the key does not exist
   * @throws IllegalArgumentException if the options are {@linkplain ReadOptions#isScanOnly() for
   *     scans}
   */
  default @Nullable PinnedValue pinned(ReadOptions options, ByteBuffer key) {
    byte[] copy = new byte[key.remaining()];
    key.get(key.position(), copy);
    byte[] value = get(options, copy);
    return value == null ? null : new CopiedValue(value);
  }

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
   */
  void delete(WriteOptions options, byte[] key);

  /**
   * Deletes a key. It is no error if the key does not exist.
   *
   * @param options how to write
   * @param key the key: the remaining bytes, direct or heap; the position does not change
   * @throws OffHeapExhaustedException if there is no memory for the write, which has no effect then
   */
  void delete(WriteOptions options, ByteBuffer key);

  /**
   * Deletes all keys from one on up to another. See {@link #deleteRange(WriteOptions, byte[],
   * byte[])}.
   *
   * @param from the first key, inclusive, or null for no bound
   * @param to the end, exclusive, or null for no bound
   */
  default void deleteRange(byte @Nullable [] from, byte @Nullable [] to) {
    deleteRange(WriteOptions.DEFAULT, from, to);
  }

  /**
   * Deletes all keys from one on up to another, as one atomic write. It is durable when the call
   * returns, with all earlier writes, whatever the options say. No later read finds a key of the
   * range, unless it is written again. Snapshots and iterators from before the call still show all.
   *
   * <p>The cost depends on how many tables the range overlaps, and hardly on the number of keys.
   * Tables that lie wholly inside are removed, and their space is free as soon as no snapshot and
   * no iterator needs them. The call first writes the memtable to a table if it holds keys of the
   * range, and waits for compactions in the range. Other writes wait while the change is made, not
   * while compactions end. For a few keys, a {@link WriteBatch} costs less.
   *
   * <p>A snapshot that is open during the call keeps the memory of the memtables of that moment
   * until it is closed, in addition to the tables.
   *
   * @param options how to write; with {@link WriteOptions#sync} or without, the call is durable
   * @param from the first key, inclusive, or null for no bound
   * @param to the end, exclusive, or null for no bound
   * @throws IllegalArgumentException if {@code from} is after {@code to}
   * @throws OffHeapExhaustedException if there is no memory for the change, which has no effect
   *     then
   */
  void deleteRange(WriteOptions options, byte @Nullable [] from, byte @Nullable [] to);

  /**
   * Deletes all keys that begin with some bytes. See {@link #deletePrefix(WriteOptions, byte[])}.
   *
   * @param prefix the first bytes of the keys; if empty, all keys are deleted
   */
  default void deletePrefix(byte[] prefix) {
    deletePrefix(WriteOptions.DEFAULT, prefix);
  }

  /**
   * Deletes all keys that begin with some bytes. It is a {@link #deleteRange(WriteOptions, byte[],
   * byte[])} of the range that these keys form.
   *
   * @param options how to write; with {@link WriteOptions#sync} or without, the call is durable
   * @param prefix the first bytes of the keys; if empty, all keys are deleted
   * @throws IllegalArgumentException if the comparator is not bytewise
   * @throws OffHeapExhaustedException if there is no memory for the change, which has no effect
   *     then
   */
  void deletePrefix(WriteOptions options, byte[] prefix);

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
   * @throws IllegalArgumentException if {@link WriteBatch#create} did not make the batch
   * @throws OffHeapExhaustedException if there is no memory for the write, which has no effect then
   */
  void write(WriteOptions options, WriteBatch batch);

  /**
   * Applies a batch atomically if all its expectations hold. Unlike {@link #write(WriteOptions,
   * WriteBatch) write}, returns false if one does not.
   *
   * @param options how to write
   * @param batch the batch, which does not change
   * @return true if the batch was applied, false if nothing was written
   * @throws IllegalArgumentException if {@link WriteBatch#create} did not make the batch
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
   */
  default byte @Nullable [] update(
      WriteOptions options, byte[] key, UnaryOperator<byte @Nullable []> function) {
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
   * @throws DBReadOnlyException if the database was opened with {@link Options#readOnly}
   */
  Transaction transaction(TransactionOptions options);

  /**
   * Runs a function in a transaction with the default options, and commits it.
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
   * of the function ends the transaction without its writes, and is passed on to the caller.
   *
   * @param <R> what the function returns
   * @param options how the transaction is done, and the number of attempts
   * @param function reads and writes; does not commit
   * @return what the function returned in the attempt that was committed
   * @throws ConflictException if the last attempt has a conflict
   * @throws TransactionTooLargeException if the transaction needs more than {@link
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
   * Returns a cursor over all entries of the newest state.
   *
   * @return a cursor, which the caller closes
   */
  default DBIterator iterator() {
    return iterator(ReadOptions.DEFAULT);
  }

  /**
   * Returns a cursor.
   *
   * @param options the state and the bounds
   * @return a cursor, which the caller closes
   * @throws IllegalArgumentException if the options are {@linkplain ReadOptions#descending()
   *     descending}, or have a prefix and the comparator is not bytewise
   */
  DBIterator iterator(ReadOptions options);

  /**
   * Returns the entries of a scan, for a {@code for} statement.
   *
   * @param options the state, the bounds and the direction
   * @return the entries, copied one by one; the caller closes the scan
   * @throws IllegalArgumentException if the options have a prefix and the comparator is not
   *     bytewise
   */
  default Entries entries(ReadOptions options) {
    return new Entries(iterator(Scans.ascending(options)), options.descending());
  }

  /**
   * Returns the entries of a scan as a sequential stream. It closes itself after the last entry; if
   * the stream may end earlier, close it.
   *
   * @param options the state, the bounds and the direction
   * @return a stream of entries, copied one by one; the caller closes it
   * @throws IllegalArgumentException if the options have a prefix and the comparator is not
   *     bytewise
   */
  default Stream<Entry> stream(ReadOptions options) {
    return entries(options).stream();
  }

  /**
   * Passes every entry of a scan to an action, without copies. It runs in the calling thread. An
   * exception of the action ends the scan and is passed on to the caller.
   *
   * @param options the state, the bounds and the direction
   * @param action takes the key and the value of each entry, both valid during the call only
   * @throws IllegalArgumentException if the options have a prefix and the comparator is not
   *     bytewise
   */
  default void forEach(ReadOptions options, BiConsumer<? super Slice, ? super Slice> action) {
    Objects.requireNonNull(action, "action");
    Scans.forEach(iterator(Scans.ascending(options)), options.descending(), action);
  }

  /**
   * Begins a bulk load of entries whose keys ascend.
   *
   * @return a loader, which the caller closes
   * @see #bulkLoader(BulkLoadOptions)
   */
  default BulkLoader bulkLoader() {
    return bulkLoader(BulkLoadOptions.DEFAULT);
  }

  /**
   * Begins a bulk load: many entries that go into tables directly, and appear together.
   *
   * @param options how to load
   * @return a loader, which the caller closes
   * @throws DBReadOnlyException if the database was opened with {@link Options#readOnly}
   */
  BulkLoader bulkLoader(BulkLoadOptions options);

  /**
   * Adds the entries of tables that {@link TableWriter#forIngest} wrote, all at once. They replace
   * the values that their keys have. When this returns, the entries are durable, and the files may
   * be deleted; they were copied. If it throws, nothing has changed, unless the message says that
   * the outcome is unknown. If the process dies, the next open finds all of the entries or none.
   *
   * <p>Every table is read completely first, and its checksums and the order of its keys are
   * checked. If the range of a table has no entry in the database, the file is copied as it is;
   * otherwise its entries are written to new tables. Snapshots and iterators from before do not
   * show the entries.
   *
   * @param tables the files, in any order; their ranges of keys must not overlap
   * @throws IllegalArgumentException if two tables overlap, or {@link TableWriter#forIngest} did
   *     not write one
   * @throws UnsupportedFormatException if a table has another comparator
   * @throws CorruptionException if a table is damaged
   * @throws DBIOException if a file cannot be read or written
   */
  void ingest(List<Path> tables);

  /**
   * Returns a frozen view of the present state.
   *
   * @return a snapshot, which the caller closes
   */
  Snapshot snapshot();

  /**
   * Returns the order of the keys. It does not throw after the close.
   *
   * @return the comparator that the database was opened with
   */
  DBComparator comparator();

  /**
   * Returns a property as text. Those of LevelDB are {@code leveldb.num-files-at-level<N>}, {@code
   * leveldb.stats}, {@code leveldb.sstables} and {@code leveldb.approximate-memory-usage}, in
   * LevelDB's form. {@code kv.stats} returns the numbers of {@link #stats()}, a line with name and
   * value each; each name is a property too.
   *
   * <p>{@code kv.estimate-num-keys} is an estimate of the number of keys. It comes from counts that
   * kv stores in its tables. An overwritten key counts more than once until it is compacted. The
   * property is null if all tables were written by C++ LevelDB.
   *
   * @param name the name of the property
   * @return its value, or null if there is no property of that name
   */
  @Nullable String property(String name);

  /**
   * Returns statistics of this moment.
   *
   * @return the statistics
   */
  DBStats stats();

  /**
   * Returns the approximate size of ranges of keys on disk. Entries that are still in a memtable do
   * not count.
   *
   * @param ranges the ranges
   * @return the size of each range in bytes, in the same order
   */
  long[] approximateSizes(List<Range> ranges);

  /**
   * Compacts a range of keys, and returns when that is done. Deleted and overwritten entries of the
   * range are then no longer on disk, except those that snapshots and iterators need.
   *
   * <p>A table stays as it is if it overlaps no table of another level, has nothing to drop, is
   * neither small nor more than twice as large as {@link Options#maxFileSize()}, and has the
   * compression and the filter that the options ask for. If there is a {@link CompactionFilter},
   * all tables are written again.
   *
   * @param begin the first key, inclusive, or null for no bound
   * @param end the last key, inclusive, or null for no bound
   * @throws IllegalStateException if compactions are {@linkplain #suspendCompactions suspended} at
   *     the call. If they are suspended later, the call ends after {@link #resumeCompactions}
   * @throws CorruptionException if a table that has to be read is damaged; it stays as it is, and
   *     the database continues
   */
  void compactRange(byte @Nullable [] begin, byte @Nullable [] end);

  /**
   * Compacts the tables that have tombstones and were written some time ago, and returns when that
   * is done. The entries that were deleted before that time are then no longer on disk, except
   * those that snapshots and iterators need. Programs that must erase data within a term call this
   * regularly with a part of the term.
   *
   * <p>Tables of other programs do not tell when they were written, and are compacted, too.
   *
   * @param age how long ago a table was written, at least; zero for all tables
   * @throws IllegalArgumentException if {@code age} is negative
   * @throws IllegalStateException if compactions are {@linkplain #suspendCompactions suspended}
   * @throws CorruptionException if a table of the range is damaged; it stays as it is, and the
   *     database continues
   */
  void compactDeletes(Duration age);

  /**
   * Writes the memtable to a table, and returns when everything that was written before this call
   * is durable.
   */
  void flush();

  /**
   * Stops new compactions and waits for those that are running. Flushes continue, and writers are
   * not slowed down by the tables that pile up in level 0 meanwhile. Calls nest: each one needs a
   * {@link #resumeCompactions} of its own.
   */
  void suspendCompactions();

  /** Undoes one {@link #suspendCompactions}. */
  void resumeCompactions();

  /**
   * Waits until no flush or compaction is running or due. Writes of other threads can make this
   * wait longer. While compactions are {@linkplain #suspendCompactions suspended}, it waits for
   * flushes only. It does nothing if the database was opened with {@link Options#readOnly}.
   *
   * @throws DBReadOnlyException if a flush or compaction fails
   */
  void waitForCompactions();

  /**
   * Writes a checkpoint: a complete database in a new directory, with the state of one moment
   * during this call. Writes continue meanwhile. All writes that were acknowledged before the call
   * are in it. It is durable when this returns.
   *
   * <p>Tables are hard links, which take no space until the database deletes its own. They are
   * copied if the new directory is on another file system, if the environment cannot link, or if
   * the database was opened with {@link Options#readOnly}. The logs, the MANIFEST and CURRENT are
   * copied. Both databases can be written, read and deleted independently.
   *
   * <p>If this fails or the process dies, {@code directory} does not exist; a directory with the
   * suffix {@code .partial} may be left beside it, which the next checkpoint of that name deletes.
   *
   * @param directory the path of the new directory, which must not exist; its parent must exist
   * @return the sequence number of the last write in the checkpoint; it contains every write up to
   *     this number, and none after it
   * @throws DatabaseExistsException if {@code directory} exists, even if it is empty or a file
   * @throws DBReadOnlyException if a write or background work has failed before
   * @throws DBIOException if the file system fails
   */
  long checkpoint(Path directory);

  /**
   * Keeps the files of which the database consists now from being deleted, and returns them, for
   * programs that copy files themselves. The database continues to be read and written.
   *
   * @return the files, which the caller closes
   * @throws DBReadOnlyException if a write or background work has failed before
   * @throws DBIOException if the file system fails
   */
  LiveFiles suspendDeletions();

  /**
   * Reads the durable changes after a position. See {@link #changes(ChangeOptions,
   * ChangePosition)}.
   *
   * @param after the position, which was read from this database earlier
   * @return a reader, which the caller closes
   */
  default Changes changes(ChangePosition after) {
    return changes(ChangeOptions.DEFAULT, after);
  }

  /**
   * Reads the changes after a position: every group of writes that was committed since, in order,
   * and then new ones. The logs of the database are read, as far as {@link Options#logRetention}
   * keeps them.
   *
   * @param options which groups are delivered
   * @param after the position, which was read from this database earlier, also before it was opened
   *     this time
   * @return a reader, which the caller closes
   * @throws ChangesLostException if the changes after the position are not complete any more
   * @throws IllegalStateException if the database was opened without {@link Options#logRetention}
   * @throws IllegalArgumentException if the position lies after the last write, or inside a group
   * @throws DBReadOnlyException if the database was opened with {@link Options#readOnly}
   */
  Changes changes(ChangeOptions options, ChangePosition after);

  /**
   * Returns the position after the last durable write. A copy of the database that is read after
   * this call contains all changes before the position, and perhaps later ones, which can be
   * applied again.
   *
   * @return the position
   * @throws IllegalStateException if the database was opened without {@link Options#logRetention}
   * @throws DBReadOnlyException if the database was opened with {@link Options#readOnly}
   */
  ChangePosition changePosition();

  /**
   * Returns the position before the oldest change that can still be read. A flush after this call,
   * or one that ends at the same time, can delete that change, if the retention asks for it: {@link
   * #changes} then throws {@link ChangesLostException}, and the caller asks for the oldest position
   * again.
   *
   * @return the position
   * @throws IllegalStateException if the database was opened without {@link Options#logRetention}
   * @throws DBReadOnlyException if the database was opened with {@link Options#readOnly}
   */
  ChangePosition oldestChangePosition();

  /**
   * Tries failed background work again, and lets writes through if it succeeds. Does nothing if
   * nothing has failed.
   *
   * <p>These failures can be resumed: a flush or compaction that could not write its table, because
   * the disk was full, the process had no descriptor left, or a read or write failed; and a thread
   * that could not be started. Nothing on disk depends on such work: its output is deleted, and the
   * work starts again with new files. After a failure of the file system, the database also retries
   * by itself, at first every 5 seconds and later every minute. A shortage of off-heap memory needs
   * no call: the database waits for memory, and writes that would have to wait longer than a second
   * throw {@link OffHeapExhaustedException}.
   *
   * <p>These failures cannot be resumed: a failed write or sync of a log, of the MANIFEST, of
   * CURRENT or of the directory. After one, the state on disk is unknown until the database is
   * opened again.
   *
   * @throws DBReadOnlyException if the work fails again, with the new failure as the cause; if the
   *     failure cannot be resumed; or if the database was opened with {@link Options#readOnly}
   */
  void resume();

  /**
   * Shows the present state of the files to new reads, if the database was opened with {@link
   * Options#readOnly}: follows a writer in another process. Reads, iterators and snapshots that
   * begin after this call see all writes that the writer had passed to the operating system before
   * it. Open iterators and snapshots keep their view. The state never goes back. Other threads may
   * read meanwhile.
   *
   * <p>The MANIFEST and the logs are read again completely, as at an open; tables that are open
   * already are not.
   *
   * <p>If this throws, the database continues to show what it showed before.
   *
   * @return true if there are later writes than before
   * @throws IllegalStateException if the database was not opened with {@link Options#readOnly}, or
   *     the calling thread runs the listener of the database
   * @throws CorruptionException if a file is damaged, or the directory contains another database or
   *     an older state than before
   * @throws DBIOException if a file cannot be read, or a writer deletes files faster than they can
   *     be opened
   */
  default boolean refresh() {
    throw new IllegalStateException("the database was not opened with Options.readOnly");
  }

  /**
   * Closes the database. Closing it twice does nothing. Calls in other threads end with their
   * result or with {@link DBClosedException}. Iterators and snapshots need not be closed before.
   * Writes that were not synced are passed to the operating system.
   *
   * @throws DBIOException if a log or LOCK cannot be closed; the database is closed and its memory
   *     freed nevertheless, and acknowledged writes are in the log
   */
  @Override
  void close();
}
