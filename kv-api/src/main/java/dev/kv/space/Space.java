package dev.kv.space;

import dev.kv.BatchOperations;
import dev.kv.DB;
import dev.kv.DBReader;
import dev.kv.KeyValueStore;
import dev.kv.Snapshot;
import dev.kv.Transaction;
import dev.kv.TransactionOptions;
import dev.kv.WriteBatch;
import dev.kv.WriteOptions;
import dev.kv.bytes.DBComparator;
import dev.kv.bytes.Range;
import dev.kv.errors.ConflictException;
import dev.kv.load.BulkLoads;
import dev.kv.view.BatchView;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.Objects;
import java.util.concurrent.CompletionStage;
import org.jspecify.annotations.Nullable;

/**
 * A part of a database: the keys with one prefix. It reads and writes those keys without the
 * prefix. A view: it holds nothing, and needs no close. Thread-safe.
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
 * <p>{@link #snapshot} reads this space; all spaces of the database take it in {@link
 * dev.kv.ReadOptions#snapshot()}. They take snapshots of the database as well. What an operator
 * calls is in {@link DB#admin}; its ranges have whole keys, from {@link #prefix} to {@link #end}.
 * Changes and tables for ingest have whole keys, too. After the close of the database, the methods
 * of its spaces throw {@link dev.kv.errors.DBClosedException}. {@link DB} says what holds for each
 * call: null arguments, arrays, interrupts, exceptions and threads.
 *
 * <p>Choose prefixes of which none begins with another: the space "user" would contain the keys of
 * the space "users". Prefixes of one length and prefixes with an end mark as above are safe. So are
 * encoded tuples ({@link dev.kv.tuple.TupleBuilder}) whose last element is a number, a boolean, a
 * UUID or descending. A tuple that ends in a text, bytes or a nested tuple is not: the space of the
 * tuple "a" would contain that of "a\0". Add an element to it, such as the number 0. The empty
 * prefix is the whole database. A space of a space has both prefixes.
 *
 * <p>A space needs the bytewise comparator. Under another order, the keys with a prefix may not be
 * next to each other.
 */
public final class Space extends SpaceReader implements KeyValueStore {
  private final KeyValueStore store;

  private Space(KeyValueStore store, KeyPrefix prefix) {
    super(store, prefix);
    this.store = store;
  }

  /**
   * Returns the space of the keys with a prefix.
   *
   * @param db the database, or a space of it
   * @param prefix the first bytes of the keys; copied
   * @return the space
   * @throws IllegalArgumentException if the database's comparator is not bytewise
   */
  public static Space of(KeyValueStore db, byte[] prefix) {
    Objects.requireNonNull(db, "db");
    Objects.requireNonNull(prefix, "prefix");
    if (db instanceof Space outer) {
      return new Space(outer.store, new KeyPrefix(outer.prefix.join(prefix)));
    }
    return new Space(db, prefixIn(db, prefix));
  }

  private static KeyPrefix prefixIn(DBReader reader, byte[] prefix) {
    if (!reader.comparator().equals(DBComparator.bytewise())) {
      throw new IllegalArgumentException(
          "a space needs the bytewise comparator, and this database has "
              + reader.comparator().name());
    }
    return new KeyPrefix(prefix.clone());
  }

  /**
   * Returns the space of the keys with a prefix.
   *
   * @param db the database, or a space of it
   * @param prefix the prefix, which is encoded in UTF-8
   * @return the space
   * @throws IllegalArgumentException if the database's comparator is not bytewise
   */
  public static Space of(KeyValueStore db, String prefix) {
    Objects.requireNonNull(prefix, "prefix");
    return of(db, prefix.getBytes(StandardCharsets.UTF_8));
  }

  /**
   * Returns what reads the keys with a prefix, without the prefix, in a snapshot, a database that
   * is open for reads only, or any other reader.
   *
   * @param reader reads the whole keys
   * @param prefix the first bytes of the keys; copied
   * @return the reader of the space
   * @throws IllegalArgumentException if the reader's comparator is not bytewise
   */
  public static DBReader reading(DBReader reader, byte[] prefix) {
    Objects.requireNonNull(reader, "reader");
    Objects.requireNonNull(prefix, "prefix");
    return new SpaceReader(reader, prefixIn(reader, prefix));
  }

  /**
   * Returns the store that this space is a part of.
   *
   * @return the database, or a view of it that is not a space
   */
  public KeyValueStore store() {
    return store;
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
   * Returns the first key of the database after this space.
   *
   * @return the key, or null if no key is after the space
   */
  public byte @Nullable [] end() {
    return prefix.end();
  }

  /**
   * Returns the whole key of a key of this space, for {@link WriteBatch#expect} on a batch of the
   * {@linkplain #store() store}.
   *
   * @param key a key of this space
   * @return the key of the database
   */
  @Override
  public byte[] whole(byte[] key) {
    return super.whole(key);
  }

  /**
   * Returns a range of this space with whole keys, for {@link dev.kv.admin.DBAdmin}.
   *
   * @param range a range of keys of this space; without a bound, it ends where this space does
   * @return the range of keys of the database
   */
  public Range whole(Range range) {
    Objects.requireNonNull(range, "range");
    return new Range(wholeFrom(range.from()), wholeTo(range.to()));
  }

  private byte[] wholeFrom(byte @Nullable [] from) {
    return from == null ? prefix() : prefix.join(from);
  }

  private byte @Nullable [] wholeTo(byte @Nullable [] to) {
    return to == null ? end() : prefix.join(to);
  }

  /**
   * Returns a view of a batch of the {@linkplain #store() store} that adds operations on this space
   * to it. Write the batch itself, with {@code store().write(batch)}. Expectations are added to the
   * batch itself as well, with {@link #whole(byte[])}.
   *
   * <p>The view iterates over and counts the operations and expectations of the batch on this
   * space. Its save points are those of the batch.
   *
   * @param batch a batch of the database, or one that was not used yet
   * @return the view
   * @throws IllegalArgumentException if the batch belongs to something else, such as another space
   */
  @Override
  public BatchOperations within(BatchOperations batch) {
    return BatchView.within(batch, this, store, inner -> new SpaceBatch(inner, this));
  }

  /** Returns true for a space of the same database with the same prefix. */
  @Override
  public boolean equals(@Nullable Object obj) {
    return obj instanceof Space other
        && other.store == store
        && Arrays.equals(other.prefix.bytes(), prefix.bytes());
  }

  @Override
  public int hashCode() {
    return Arrays.hashCode(prefix.bytes());
  }

  /**
   * Returns a view of a transaction of the {@linkplain #store() store} that reads and writes this
   * space. One transaction can have views of several spaces. To commit or close a view does the
   * same to the transaction.
   *
   * @param transaction a transaction of the database
   * @return the view
   * @throws IllegalArgumentException if the transaction belongs to something else, such as another
   *     space
   */
  @Override
  public Transaction within(Transaction transaction) {
    Objects.requireNonNull(transaction, "transaction");
    return equals(transaction.store())
        ? transaction
        : new SpaceTransaction(store.within(transaction), this);
  }

  @Override
  public void put(WriteOptions options, byte[] key, byte[] value) {
    store.put(options, whole(key), value);
  }

  @Override
  public void put(WriteOptions options, ByteBuffer key, ByteBuffer value) {
    store.put(options, prefix.join(key), value);
  }

  @Override
  public void delete(WriteOptions options, byte[] key) {
    store.delete(options, whole(key));
  }

  @Override
  public void delete(WriteOptions options, ByteBuffer key) {
    store.delete(options, prefix.join(key));
  }

  /**
   * Applies a batch atomically, whose keys are those of this space. It copies the batch; {@link
   * #within} avoids that.
   *
   * @param options how to write
   * @param batch the batch, which does not change
   * @throws ConflictException if an expectation of the batch does not hold; its key is one of this
   *     space, and nothing was written
   * @throws IllegalArgumentException if the batch belongs to something else
   */
  @Override
  public void write(WriteOptions options, WriteBatch batch) {
    Objects.requireNonNull(options, "options");
    try {
      store.write(options, whole(batch));
    } catch (ConflictException e) {
      throw prefix.without(e);
    }
  }

  @Override
  public CompletionStage<@Nullable Void> syncAsync() {
    return store.syncAsync();
  }

  @Override
  public boolean tryWrite(WriteOptions options, WriteBatch batch) {
    Objects.requireNonNull(options, "options");
    return store.tryWrite(options, whole(batch));
  }

  /** Returns the batch for the database. */
  private WriteBatch whole(WriteBatch batch) {
    BatchView.requireOwn(batch, this);
    WriteBatch whole = WriteBatch.create();
    within(whole).append(batch);
    return whole;
  }

  /**
   * Deletes all keys of this space, as one atomic and durable write. The space can be used further.
   *
   * @see DB#deleteRange(byte[], byte[])
   */
  public void drop() {
    deleteRange(null, null);
  }

  @Override
  public void deleteRange(byte @Nullable [] from, byte @Nullable [] to) {
    store.deleteRange(wholeFrom(from), wholeTo(to));
  }

  @Override
  public void deletePrefix(byte[] prefix) {
    store.deletePrefix(this.prefix.join(Objects.requireNonNull(prefix, "prefix")));
  }

  @Override
  public Transaction transaction(TransactionOptions options) {
    return within(store.transaction(options));
  }

  /**
   * Returns a snapshot of the whole database, which reads this space. Reads of the database itself
   * refuse it.
   */
  @Override
  public Snapshot snapshot() {
    return new SpaceSnapshot(store.snapshot(), prefix);
  }

  @Override
  public BulkLoads loads() {
    return options -> new SpaceLoader(store.loads().bulkLoader(options), prefix);
  }
}
