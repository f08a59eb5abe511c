package dev.kv.space;

import dev.kv.BulkLoadOptions;
import dev.kv.BulkLoader;
import dev.kv.ChangeOptions;
import dev.kv.ChangePosition;
import dev.kv.Changes;
import dev.kv.ConflictException;
import dev.kv.DB;
import dev.kv.DBComparator;
import dev.kv.DBIterator;
import dev.kv.DBStats;
import dev.kv.Escape;
import dev.kv.LiveFiles;
import dev.kv.PinnedValue;
import dev.kv.Range;
import dev.kv.ReadOptions;
import dev.kv.Snapshot;
import dev.kv.Transaction;
import dev.kv.TransactionOptions;
import dev.kv.ValueReader;
import dev.kv.WriteBatch;
import dev.kv.WriteOptions;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * A part of a database: the keys with one prefix. It is a {@link DB} whose keys are those keys
 * without the prefix. A view: it holds nothing, and needs no close. Thread-safe.
 *
 * <pre>{@code
 * Space users = Space.of(db, "user/");
 * Space orders = Space.of(db, "order/");
 * users.put(id, user); // sets the key "user/" + id of db
 *
 * WriteBatch batch = WriteBatch.create();
 * users.within(batch).put(id, user);
 * orders.within(batch).delete(order);
 * db.write(batch); // one atomic write of both
 * }</pre>
 *
 * <p>The spaces of a database share everything else with it:
 *
 * <ul>
 *   <li>A {@link Snapshot} of the database or of any of its spaces is one of all of them.
 *   <li>{@link #flush}, {@link #checkpoint}, {@link #suspendCompactions}, {@link
 *       #resumeCompactions} and {@link #resume} affect the whole database, and {@link #property}
 *       and {@link #stats} describe it.
 *   <li>{@link #compactRange} and {@link #approximateSizes} take keys of the space. No bound means
 *       the end of the space. A compaction merges whole tables, which may hold keys of neighbors.
 *   <li>{@link #close} does nothing. Whoever opened the database closes it, and then the methods of
 *       its spaces throw {@link dev.kv.DBClosedException}.
 * </ul>
 *
 * <p>Choose prefixes of which none begins with another: the space "user" would contain the keys of
 * the space "users". Prefixes of one length, prefixes with an end mark as above, and encoded tuples
 * ({@link dev.kv.tuple.TupleBuilder}) are safe. The empty prefix is the whole database. A space of
 * a space has both prefixes.
 *
 * <p>A space needs the bytewise comparator. Under another order, the keys with a prefix may not be
 * next to each other.
 */
public final class Space implements DB {
  private final DB database;
  private final KeyPrefix prefix;

  private Space(DB database, KeyPrefix prefix) {
    this.database = database;
    this.prefix = prefix;
  }

  /**
   * Returns the space of the keys with a prefix.
   *
   * @param db the database, or a space of it
   * @param prefix the first bytes of the keys; copied
   * @return the space
   * @throws IllegalArgumentException if the database's comparator is not bytewise
   */
  public static Space of(DB db, byte[] prefix) {
    Objects.requireNonNull(db, "db");
    Objects.requireNonNull(prefix, "prefix");
    if (db instanceof Space outer) {
      return new Space(outer.database, new KeyPrefix(outer.prefix.join(prefix)));
    }
    if (!db.comparator().equals(DBComparator.bytewise())) {
      throw new IllegalArgumentException(
          "a space needs the bytewise comparator, and this database has " + db.comparator().name());
    }
    return new Space(db, new KeyPrefix(prefix.clone()));
  }

  /**
   * Returns the space of the keys with a prefix.
   *
   * @param db the database, or a space of it
   * @param prefix the prefix, which is encoded in UTF-8
   * @return the space
   * @throws IllegalArgumentException if the database's comparator is not bytewise
   */
  public static Space of(DB db, String prefix) {
    Objects.requireNonNull(prefix, "prefix");
    return of(db, prefix.getBytes(StandardCharsets.UTF_8));
  }

  /**
   * Returns the database that this space is a part of.
   *
   * @return the database, which is not a space
   */
  public DB database() {
    return database;
  }

  /**
   * Returns the prefix, which includes those of outer spaces.
   *
   * @return a copy
   */
  public byte[] prefix() {
    return prefix.bytes().clone();
  }

  /**
   * Returns a view of a batch of the {@linkplain #database() database} that adds operations on this
   * space to it. Write the batch itself, with {@code database().write(batch)}; no database takes
   * the view.
   *
   * <p>The view iterates over and counts the operations and expectations of the batch on this
   * space. Its save points are those of the batch. It refuses {@link WriteBatch#clear}.
   *
   * @param batch the batch
   * @return the view
   */
  public WriteBatch within(WriteBatch batch) {
    return new SpaceBatch(Objects.requireNonNull(batch, "batch"), prefix);
  }

  /**
   * Returns a view of a transaction of the {@linkplain #database() database} that reads and writes
   * this space. One transaction can have views of several spaces. To commit or close a view does
   * the same to the transaction.
   *
   * @param transaction the transaction
   * @return the view
   */
  public Transaction within(Transaction transaction) {
    return new SpaceTransaction(Objects.requireNonNull(transaction, "transaction"), this, prefix);
  }

  /** Returns the options for the database: bounds in its keys, which are those of the space. */
  ReadOptions whole(ReadOptions options) {
    byte[] lower = options.lowerBound();
    byte[] upper = options.upperBound();
    byte[] inner = options.prefix();
    return options.toBuilder()
        .lowerBound(lower == null ? null : prefix.join(lower))
        .upperBound(upper == null ? null : prefix.join(upper))
        .prefix(inner == null ? prefix.bytes() : prefix.join(inner))
        .build();
  }

  @Override
  public byte @Nullable [] get(ReadOptions options, byte[] key) {
    return database.get(options, prefix.join(Objects.requireNonNull(key, "key")));
  }

  @Override
  public List<byte @Nullable []> getAll(ReadOptions options, List<byte[]> keys) {
    Objects.requireNonNull(keys, "keys");
    return database.getAll(
        options,
        keys.stream().map(key -> prefix.join(Objects.requireNonNull(key, "key"))).toList());
  }

  /** {@inheritDoc} In a space, it allocates an array for the key. */
  @Override
  public int get(ReadOptions options, ByteBuffer key, ByteBuffer into) {
    return database.get(options, prefix.join(Objects.requireNonNull(key, "key")), into);
  }

  @Override
  public <R extends @Nullable Object> @Nullable R read(
      ReadOptions options, byte[] key, ValueReader<R> reader) {
    return database.read(options, prefix.join(Objects.requireNonNull(key, "key")), reader);
  }

  @Override
  public @Nullable PinnedValue pinned(ReadOptions options, ByteBuffer key) {
    return database.pinned(options, prefix.join(Objects.requireNonNull(key, "key")));
  }

  @Override
  public void put(WriteOptions options, byte[] key, byte[] value) {
    database.put(options, prefix.join(Objects.requireNonNull(key, "key")), value);
  }

  @Override
  public void put(WriteOptions options, ByteBuffer key, ByteBuffer value) {
    database.put(options, prefix.join(Objects.requireNonNull(key, "key")), value);
  }

  @Override
  public void delete(WriteOptions options, byte[] key) {
    database.delete(options, prefix.join(Objects.requireNonNull(key, "key")));
  }

  @Override
  public void delete(WriteOptions options, ByteBuffer key) {
    database.delete(options, prefix.join(Objects.requireNonNull(key, "key")));
  }

  /**
   * Applies a batch atomically, whose keys are those of this space. It copies the batch; {@link
   * #within} avoids that.
   *
   * @param options how to write
   * @param batch the batch, which does not change
   * @throws ConflictException if an expectation of the batch does not hold; its key is one of this
   *     space, and nothing was written
   */
  @Override
  public void write(WriteOptions options, WriteBatch batch) {
    try {
      database.write(options, whole(batch));
    } catch (ConflictException e) {
      throw ofThisSpace(e);
    }
  }

  /**
   * Returns the exception with its key as one of this space, or the same exception if the key is
   * not in it.
   */
  ConflictException ofThisSpace(ConflictException e) {
    byte[] key = e.key();
    byte[] bytes = prefix.bytes();
    if (key.length < bytes.length || !Arrays.equals(key, 0, bytes.length, bytes, 0, bytes.length)) {
      return e;
    }
    ConflictException ours =
        new ConflictException(
            Objects.requireNonNullElse(e.getMessage(), ""),
            Arrays.copyOfRange(key, bytes.length, key.length));
    ours.setStackTrace(e.getStackTrace());
    return ours;
  }

  @Override
  public boolean tryWrite(WriteOptions options, WriteBatch batch) {
    return database.tryWrite(options, whole(batch));
  }

  /** Returns the batch for the database. */
  private WriteBatch whole(WriteBatch batch) {
    Objects.requireNonNull(batch, "batch");
    WriteBatch whole = WriteBatch.create();
    within(whole).append(batch);
    return whole;
  }

  /**
   * Deletes all keys of this space, as one atomic and durable write. The space can be used further.
   *
   * @see DB#deleteRange(WriteOptions, byte[], byte[])
   */
  public void drop() {
    deleteRange(WriteOptions.DEFAULT, null, null);
  }

  @Override
  public void deleteRange(WriteOptions options, byte @Nullable [] from, byte @Nullable [] to) {
    database.deleteRange(
        options,
        from == null ? prefix.bytes() : prefix.join(from),
        to == null ? prefix.end() : prefix.join(to));
  }

  @Override
  public void deletePrefix(WriteOptions options, byte[] prefix) {
    database.deletePrefix(options, this.prefix.join(Objects.requireNonNull(prefix, "prefix")));
  }

  @Override
  public DBIterator iterator(ReadOptions options) {
    Objects.requireNonNull(options, "options");
    return new SpaceIterator(database.iterator(whole(options)), prefix);
  }

  @Override
  public Transaction transaction(TransactionOptions options) {
    return within(database.transaction(options));
  }

  @Override
  public Snapshot snapshot() {
    return database.snapshot();
  }

  @Override
  public DBComparator comparator() {
    return database.comparator();
  }

  @Override
  public @Nullable String property(String name) {
    return database.property(name);
  }

  @Override
  public DBStats stats() {
    return database.stats();
  }

  @Override
  public long[] approximateSizes(List<Range> ranges) {
    Objects.requireNonNull(ranges, "ranges");
    return database.approximateSizes(
        ranges.stream()
            .map(range -> new Range(prefix.join(range.start()), prefix.join(range.limit())))
            .toList());
  }

  @Override
  public void compactRange(byte @Nullable [] begin, byte @Nullable [] end) {
    database.compactRange(
        begin == null ? prefix.bytes() : prefix.join(begin),
        end == null ? prefix.end() : prefix.join(end));
  }

  /** Compacts old tables with tombstones of the whole database, with all of its spaces. */
  @Override
  public void compactDeletes(Duration age) {
    database.compactDeletes(age);
  }

  @Override
  public BulkLoader bulkLoader(BulkLoadOptions options) {
    return new SpaceLoader(database.bulkLoader(options), prefix);
  }

  /**
   * Not supported: the tables have whole keys, with the prefix of the space. Ingest them into the
   * {@linkplain #database() database}.
   *
   * @throws UnsupportedOperationException always
   */
  @Override
  public void ingest(List<Path> tables) {
    throw new UnsupportedOperationException(
        "a table has whole keys: ingest it into the database of the space");
  }

  /**
   * Not supported: a group of changes has writes of the whole database. Read the changes of the
   * {@linkplain #database() database}.
   *
   * @throws UnsupportedOperationException always
   */
  @Override
  public Changes changes(ChangeOptions options, ChangePosition after) {
    throw new UnsupportedOperationException(
        "a group of changes has whole keys: read the changes of the database of the space");
  }

  /** Returns the position of the whole database. */
  @Override
  public ChangePosition changePosition() {
    return database.changePosition();
  }

  /** Returns the oldest position of the whole database. */
  @Override
  public ChangePosition oldestChangePosition() {
    return database.oldestChangePosition();
  }

  @Override
  public void flush() {
    database.flush();
  }

  @Override
  public void suspendCompactions() {
    database.suspendCompactions();
  }

  @Override
  public void resumeCompactions() {
    database.resumeCompactions();
  }

  @Override
  public void waitForCompactions() {
    database.waitForCompactions();
  }

  /** Writes a checkpoint of the whole database, with all of its spaces. */
  @Override
  public long checkpoint(Path directory) {
    return database.checkpoint(directory);
  }

  /** Returns the files of the whole database, with all of its spaces. */
  @Override
  public LiveFiles suspendDeletions() {
    return database.suspendDeletions();
  }

  @Override
  public void resume() {
    database.resume();
  }

  @Override
  public boolean refresh() {
    return database.refresh();
  }

  /** Does nothing: a space holds nothing, and does not own its database. */
  @Override
  public void close() {}

  /** Returns the prefix and the database, for logs. */
  @Override
  public String toString() {
    return "Space['" + Escape.bytes(prefix.bytes()) + "' of " + database + "]";
  }
}
